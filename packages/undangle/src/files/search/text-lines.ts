/** The lines of a text without their ends. Only `\n`, `\r\n` and `\r` end a line; an end at the end begins no new line. */
export function splitLines(text: string): string[] {
  const lines = text.split(/\r\n|\n|\r/u);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** The text of a file; undefined if it is not text: bytes that are not UTF-8, or NUL. */
export function readText(data: Uint8Array): string | undefined {
  if (data.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(data);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
