import { Buffer } from "node:buffer";
import { asBuffer, readLines } from "./read-lines.ts";
import type { Line } from "./read-lines.ts";

/** A JSON value of a source: a whole file, or one of its lines. */
export interface Document {
  readonly bytes: Buffer;
  /** The line number in JSON lines; undefined for a file with one value. */
  readonly line: number | undefined;
  /** True if the line exceeds the longest string; the document is one part of it. */
  readonly overlong: boolean;
}

export interface ReadOptions {
  /** Whether the input is JSON lines. By default the start of the input decides. */
  readonly lines?: boolean | undefined;
  readonly longest: number;
}

/** Reads a file or a stream as documents: one, or one per line in constant memory. */
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

/** Detects JSON lines: the first line is a complete array or object, and more text follows. */
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
