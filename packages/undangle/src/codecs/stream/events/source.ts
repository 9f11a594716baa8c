import { UndangleError } from "#core";

/** The sources of a stream: bytes, text, or parsed frames. */
export type StreamSource =
  | string
  | Uint8Array
  | ReadableLike
  | ResponseLike
  | AsyncIterable<unknown>
  | Iterable<unknown>;

/** A stream of the web platform, by its structure. */
interface ReadableLike {
  getReader(): { read(): Promise<{ done: boolean; value?: unknown }>; cancel(): Promise<unknown> };
}

/** A response of fetch, by its structure. */
interface ResponseLike {
  readonly body: ReadableLike | null;
  readonly headers: unknown;
}

/** The chunks of a source, in order. */
export interface SourceChunks {
  next(): Promise<IteratorResult<unknown>> | IteratorResult<unknown>;
  /** Discards the rest. */
  cancel(): void;
}

/** Opens a source of any type. */
export function openSource(source: unknown): SourceChunks {
  if (typeof source === "string" || ArrayBuffer.isView(source)) return chunksOf([source][Symbol.iterator]());
  if (isResponse(source)) return source.body === null ? chunksOf([][Symbol.iterator]()) : openSource(source.body);
  if (typeof source === "object" && source !== null) {
    if (Symbol.asyncIterator in source) return chunksOf((source as AsyncIterable<unknown>)[Symbol.asyncIterator]());
    if ("getReader" in source) return readerOf(source as ReadableLike); // not every browser iterates over them
    if (Symbol.iterator in source) return chunksOf((source as Iterable<unknown>)[Symbol.iterator]());
  }
  const got = source === null ? "null" : typeof source;
  const expected = "a stream, a response, text, bytes, or an iterable of those or of parsed frames";
  throw new UndangleError("input/shape", { path: "The source", expected, got });
}

function isResponse(source: unknown): source is ResponseLike {
  return typeof source === "object" && source !== null && "body" in source && "headers" in source;
}

function chunksOf(iterator: AsyncIterator<unknown> | Iterator<unknown>): SourceChunks {
  return {
    next: () => iterator.next(),
    cancel: () => void quietly(() => iterator.return?.()),
  };
}

function readerOf(stream: ReadableLike): SourceChunks {
  const reader = stream.getReader();
  return {
    async next() {
      const { done, value } = await reader.read();
      return done ? { done: true, value: undefined } : { done: false, value };
    },
    cancel: () => void quietly(() => reader.cancel()),
  };
}

/** Ignores errors while a source is closed. */
async function quietly(close: () => unknown): Promise<void> {
  try {
    await close();
  } catch {
    return; // the received part is kept, and there is no listener for the error
  }
}
