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
