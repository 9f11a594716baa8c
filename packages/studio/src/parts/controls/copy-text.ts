/** Copies a text. Pages without TLS have no clipboard, except on this machine; there the old command copies. */
export async function copyText(text: string): Promise<void> {
  const { clipboard } = navigator as { readonly clipboard?: Clipboard }; // absent, whatever the types say
  if (clipboard !== undefined) return await clipboard.writeText(text);
  const field = document.createElement("textarea");
  const { activeElement } = document;
  field.value = text;
  field.style.position = "fixed";
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  if (activeElement instanceof HTMLElement) activeElement.focus();
  if (!isCopied) throw new Error("The browser refused to copy.");
}
