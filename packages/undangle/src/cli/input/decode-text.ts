import { Buffer, isUtf8 } from "node:buffer";

/** A text and its encoding. */
export interface Decoded {
  readonly text: string;
  readonly encoding: "utf8" | "utf16le";
  /** True if a byte order mark precedes the text. */
  readonly marked: boolean;
}

/**
 * Decodes UTF-8, or the UTF-16 that PowerShell writes. Undefined for any other encoding, so that nothing is replaced
 * silently.
 */
export function decodeText(bytes: Buffer): Decoded | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) {
    return { text: bytes.toString("utf16le", 2), encoding: "utf16le", marked: true };
  }
  if (!isUtf8(bytes)) return undefined;
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return { text: bytes.toString("utf8", marked ? 3 : 0), encoding: "utf8", marked };
}

/** Encodes a text in chunks, in the encoding of another. */
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

/** Chunks are joined up to this length, to save system calls. */
const portion = 65_536;

/** The first line that is not UTF-8. */
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
