import { Buffer } from "node:buffer";

/**
 * A line with its line break, in the original bytes. A line longer than the longest string comes in several parts, all
 * `overlong`.
 */
export interface Line {
  readonly number: number;
  readonly bytes: Buffer;
  readonly overlong: boolean;
}

/** Splits a byte stream into lines. Holds at most one line and one chunk, regardless of chunk boundaries. */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  { longest }: { readonly longest: number },
): AsyncGenerator<Line, void, undefined> {
  let held: Buffer[] = [];
  let length = 0;
  let number = 1;
  let overlong = false;
  for await (const chunk of chunks) {
    const bytes = asBuffer(chunk);
    let start = 0;
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
      const piece = bytes.subarray(start, end + 1);
      overlong ||= length + piece.length > longest;
      yield { number, bytes: held.length === 0 ? piece : Buffer.concat([...held, piece]), overlong };
      [held, length, overlong, start] = [[], 0, false, end + 1];
      number++;
    }
    if (start === bytes.length) continue;
    held.push(bytes.subarray(start));
    length += bytes.length - start;
    if (length <= longest) continue;
    overlong = true;
    for (const piece of held) yield { number, bytes: piece, overlong };
    held = [];
  }
  if (held.length > 0) yield { number, bytes: Buffer.concat(held), overlong };
}

export const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const newline = 0x0a;
