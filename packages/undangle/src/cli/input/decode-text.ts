import { Buffer, isUtf8 } from "node:buffer";

/** A text and the way its bytes were written. */
export interface Decoded {
  readonly text: string;
  readonly encoding: "utf8" | "utf16le";
  /** A byte order mark stands before the text. */
  readonly marked: boolean;
}

/** Reads bytes as UTF-8, or as the UTF-16 that PowerShell writes; undefined where they are neither, so that nothing is replaced silently. */
export function decodeText(bytes: Buffer): Decoded | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) {
    return { text: bytes.toString("utf16le", 2), encoding: "utf16le", marked: true };
  }
  if (!isUtf8(bytes)) return undefined;
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return { text: bytes.toString("utf8", marked ? 3 : 0), encoding: "utf8", marked };
}

/** Writes a text in pieces the way another one was written. */
export function* encodeText(
  pieces: readonly string[],
  { encoding, marked }: Pick<Decoded, "encoding" | "marked">,
): Generator<Buffer, void, undefined> {
  if (marked) yield Buffer.from("\uFEFF", encoding);
  let held = "";
  for (const piece of pieces) {
    held += piece;
    if (held.length < portion) continue;
    yield Buffer.from(held, encoding);
    held = "";
  }
  if (held !== "") yield Buffer.from(held, encoding);
}

/** Pieces are gathered up to this many characters: one system call for many small ones. */
const portion = 65_536;

/** The number of the first line that is not UTF-8. */
export function firstBadLine(bytes: Buffer): number {
  let number = 1;
  for (let start = 0; start < bytes.length; number++) {
    const end = bytes.indexOf(0x0a, start);
    const line = bytes.subarray(start, end === -1 ? bytes.length : end);
    if (!isUtf8(line)) return number;
    start = end === -1 ? bytes.length : end + 1;
  }
  return number;
}
