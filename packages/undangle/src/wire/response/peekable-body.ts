import { isRecord, parseJson } from "#core";
import type { JsonObject } from "#core";

import { concat } from "../stream/framing.ts";

/** A body whose chunks can be put back after they were read. */
export interface PeekableBody {
  /** The next chunk; undefined after the last one. Rejects if the connection breaks. */
  readonly read: () => Promise<Uint8Array | undefined>;
  /** These chunks are read again next. */
  readonly putBack: (chunks: readonly Uint8Array[]) => void;
  readonly cancel: (reason?: unknown) => Promise<void>;
}

/**
 * Locks a body with the first read. The platform closes the body of a response that is garbage collected unread, unless it is locked,
 * so `owner` keeps the response alive while the new body may still be read.
 */
export interface LateReader {
  readonly read: ReadableStreamDefaultReader<Uint8Array>["read"];
  readonly cancel: (reason?: unknown) => Promise<void>;
  /** Calls a listener when the connection breaks or is aborted, from the first read on. */
  readonly onBroken: (listener: () => void) => void;
  /** The response of the body. */
  readonly owner: Response | undefined;
}

export function lateReader(body: ReadableStream<Uint8Array>, owner?: Response): LateReader {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let listener: (() => void) | undefined;
  const open = (): ReadableStreamDefaultReader<Uint8Array> => {
    const opened = body.getReader();
    if (listener !== undefined) opened.closed.catch(listener);
    return opened;
  };
  return {
    read: () => (reader ??= open()).read(),
    cancel: (reason) => (reader ?? body).cancel(reason),
    onBroken(given) {
      listener = given;
    },
    owner,
  };
}

/** Takes over a body. */
export function peekable(body: ReadableStream<Uint8Array>, owner?: Response): PeekableBody {
  const reader = lateReader(body, owner);
  let putBack: readonly Uint8Array[] = [];
  let at = 0;
  return {
    async read() {
      const again = putBack[at];
      if (again !== undefined) {
        at += 1;
        return again;
      }
      putBack = [];
      at = 0;
      const { done, value } = await reader.read();
      return done ? undefined : value;
    },
    putBack(chunks) {
      putBack = [...chunks, ...putBack.slice(at)];
      at = 0;
    },
    async cancel(reason) {
      putBack = [];
      at = 0;
      await reader.cancel(reason);
    },
  };
}

/** A body that pulls chunks from an iterator. Cancelling it cancels the source. */
export function bodyOf(
  source: Pick<PeekableBody, "cancel">,
  chunks: AsyncIterator<Uint8Array, void>,
): ReadableStream<Uint8Array> {
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    const { done, value } = await chunks.next();
    if (done === true) controller.close();
    else controller.enqueue(value);
  };
  return new ReadableStream({ pull, cancel: (reason) => source.cancel(reason) }, { highWaterMark: 0 });
}

/** The remaining chunks. */
export async function* restOf({ read }: PeekableBody): AsyncGenerator<Uint8Array, void> {
  for (let chunk = await read(); chunk !== undefined; chunk = await read()) yield chunk;
}

/** Reads until `isEnough`, then puts all chunks back. If the connection breaks, the next reader gets the error. */
export async function peek(
  source: PeekableBody,
  isEnough: (read: readonly Uint8Array[], size: number) => boolean,
): Promise<{ readonly bytes: Uint8Array; readonly isWhole: boolean }> {
  const read: Uint8Array[] = [];
  let size = 0;
  let isWhole = false;
  try {
    while (!isWhole && !isEnough(read, size)) {
      const chunk = await source.read();
      isWhole = chunk === undefined;
      if (chunk === undefined) break;
      read.push(chunk);
      size += chunk.length;
    }
  } catch {
    isWhole = false; // the next read rejects with the same error
  }
  source.putBack(read);
  return { bytes: concat(read), isWhole };
}

/** The kind of a body, judged by its beginning. */
type BodyKind = "object" | "list" | "events" | "other";

export async function bodyKind(source: PeekableBody): Promise<BodyKind> {
  const { bytes } = await peek(source, (read) => {
    const text = beginningOf(concat(read));
    return text.includes("\n") || text.length >= longestField || /^[^a-z]/u.test(text);
  });
  const text = beginningOf(bytes);
  if (text.startsWith("{")) return "object";
  if (text.startsWith("[")) return "list";
  return /^(?::|(?:data|event|id|retry)[ \t]*(?:[:\r\n]|$))/u.test(text) ? "events" : "other";
}

const longestField = "retry :".length;

/** True for a body whose first line is one of Ollama's. */
export async function startsLikeOllama(source: PeekableBody, maxBytes: number): Promise<boolean> {
  let isBegun = false;
  const { bytes } = await peek(source, (read, size) => {
    const last = read.at(-1);
    const from = isBegun ? 0 : (last?.findIndex((byte) => !blanks.has(byte)) ?? -1);
    if (last === undefined || from < 0) return size > maxBytes;
    const isLine = isBegun || last[from] === brace;
    isBegun = true;
    return !isLine || last.includes(feed, from) || size > maxBytes;
  });
  const [line = ""] = beginningOf(bytes).split("\n", 1);
  const value = line.startsWith("{") ? parseJson(line) : undefined;
  return isRecord(value) && isOllamaValue(value);
}

/** True for a response of Ollama, or a line of one. */
export const isOllamaValue = (value: JsonObject): boolean => "model" in value && "done" in value;

/** True for bytes that start with an object. */
export const opensObject = (bytes: Uint8Array): boolean => firstByteOf(bytes) === brace;

/** True for white space, which some servers send to keep a connection alive. */
export const isBlank = (bytes: Uint8Array): boolean => firstByteOf(bytes) === undefined;

const firstByteOf = (bytes: Uint8Array): number | undefined => bytes.find((byte) => !blanks.has(byte));

const [brace, feed] = [0x7b, 0x0a];

/** White space, and the bytes of a byte order mark. */
const blanks: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

/** The text after white space, without an incomplete character at its end. */
const beginningOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes, { stream: true }).trimStart();
