import { Buffer } from "node:buffer";
import { asBuffer, readLines } from "./read-lines.ts";
import type { Line } from "./read-lines.ts";

/** One JSON value as its file has it: a whole file, or a line of one. */
export interface Document {
  readonly bytes: Buffer;
  /** The number of the line in a file of JSON lines; undefined for a file that is one value. */
  readonly line: number | undefined;
  /** Longer than a string can be; what is there is one piece of it. */
  readonly overlong: boolean;
}

export interface ReadOptions {
  /** True or false where it is known that the input is JSON lines; left out, the beginning of the input tells. */
  readonly lines?: boolean | undefined;
  readonly longest: number;
}

/** Reads a file or a stream as the documents in it: one, or one per line, line by line in constant memory. */
export async function* readDocuments(
  chunks: AsyncIterable<Uint8Array>,
  { lines, longest }: ReadOptions,
): AsyncGenerator<Document, void, undefined> {
  const source = chunks[Symbol.asyncIterator]();
  try {
    const head = lines === undefined ? await sniff(source, longest) : { bytes: [], lines };
    const all = chain(head.bytes, source);
    if (head.lines) for await (const line of readLines(all, { longest })) yield asDocument(line);
    else yield await readWhole(all, longest);
  } finally {
    await source.return?.();
  }
}

/** True when there is nothing but white space. */
export const isBlank = (bytes: Uint8Array): boolean => bytes.findIndex(isInk) === -1;

const isInk = (byte: number): boolean => byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09;

const asDocument = ({ number, bytes, overlong }: Line): Document => ({ bytes, overlong, line: number });

async function readWhole(chunks: AsyncIterable<Uint8Array>, longest: number): Promise<Document> {
  const held: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    held.push(chunk);
    length += chunk.length;
    if (length > longest) return { bytes: Buffer.alloc(0), line: undefined, overlong: true };
  }
  return { bytes: Buffer.concat(held), line: undefined, overlong: false };
}

/** JSON lines are told by a first line that is a whole array or object, with something behind it. */
async function sniff(
  source: AsyncIterator<Uint8Array>,
  longest: number,
): Promise<{ readonly bytes: readonly Buffer[]; readonly lines: boolean }> {
  let held = Buffer.alloc(0);
  const pieces: Buffer[] = [];
  let length = 0;
  let whole: boolean | undefined;
  let end = 0;
  for (;;) {
    const next = await source.next();
    if (next.done === true) return { bytes: [held, ...pieces], lines: false };
    const chunk = asBuffer(next.value);
    pieces.push(chunk);
    length += chunk.length;
    if (length > longest) return { bytes: [held, ...pieces], lines: false };
    if (whole === undefined && !chunk.includes(0x0a)) continue;
    held = Buffer.concat([held, ...pieces.splice(0)]);
    if (whole === undefined) {
      const start = held.findIndex(isInk);
      end = start === -1 ? -1 : held.indexOf(0x0a, start);
      if (end === -1) continue;
      whole = isContainer(held.subarray(0, end));
    }
    if (!whole) return { bytes: [held], lines: false };
    if (!isBlank(held.subarray(end))) return { bytes: [held], lines: true };
  }
}

function isContainer(line: Buffer): boolean {
  try {
    const value: unknown = JSON.parse(line.toString("utf8").replace(/^\uFEFF/, ""));
    return typeof value === "object" && value !== null;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

async function* chain(
  head: readonly Buffer[],
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield* head;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}
