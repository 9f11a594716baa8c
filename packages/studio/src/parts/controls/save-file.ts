/**
 * Downloads bytes as they are, or a value as a JSON file. Bytes get a type that no browser runs. Nothing is sent: the
 * address points into the memory of the page.
 */
export function saveFile(name: string, value: unknown): void {
  const blob =
    value instanceof Blob
      ? value
      : value instanceof Uint8Array
        ? new Blob([new Uint8Array(value)], { type: "application/octet-stream" })
        : new Blob([JSON.stringify(value, null, 2)], { type: "application/json" });
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name.replaceAll(/[^\p{L}\p{N}_.-]+/gu, "-");
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000); // the browser reads it after the click
}
