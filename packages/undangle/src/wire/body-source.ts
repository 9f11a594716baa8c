import { joined } from "./cut-events.ts";

/** A body that is being read, of which something can be put back. */
export interface BodySource {
  /** The next piece; undefined behind the last one. Rejects where the connection breaks. */
  readonly read: () => Promise<Uint8Array | undefined>;
  /** The next to be read are these again. */
  readonly putBack: (pieces: readonly Uint8Array[]) => void;
  readonly cancel: (reason?: unknown) => Promise<void>;
}

/**
 * A body that is locked when somebody reads it, and not before. Of a response that is forgotten unread the platform ends the body,
 * unless that is locked; and it must not while somebody may still read what is made of it.
 */
export interface LateReader {
  readonly read: ReadableStreamDefaultReader<Uint8Array>["read"];
  readonly cancel: (reason?: unknown) => Promise<void>;
  /** Tells whoever asks, from the first reading on, when the connection breaks, or somebody breaks it off. */
  readonly whenBroken: (tell: () => void) => void;
  /** Whose body it is: nobody else keeps that. */
  readonly owner: Response | undefined;
}

export function lateReader(body: ReadableStream<Uint8Array>, owner?: Response): LateReader {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let tellBroken: (() => void) | undefined;
  const open = (): ReadableStreamDefaultReader<Uint8Array> => {
    const opened = body.getReader();
    if (tellBroken !== undefined) opened.closed.catch(tellBroken);
    return opened;
  };
  return {
    read: () => (reader ??= open()).read(),
    cancel: (reason) => (reader ?? body).cancel(reason),
    whenBroken(tell) {
      tellBroken = tell;
    },
    owner,
  };
}

/** Takes a body over: nobody else can read it, nor throw it away. */
export function sourceOf(body: ReadableStream<Uint8Array>, owner?: Response): BodySource {
  const reader = lateReader(body, owner);
  let known: readonly Uint8Array[] = [];
  let at = 0;
  return {
    async read() {
      const again = known[at];
      if (again !== undefined) {
        at += 1;
        return again;
      }
      known = [];
      at = 0;
      const { done, value } = await reader.read();
      return done ? undefined : value;
    },
    putBack(pieces) {
      known = [...pieces, ...known.slice(at)];
      at = 0;
    },
    async cancel(reason) {
      known = [];
      at = 0;
      await reader.cancel(reason);
    },
  };
}

/** Pieces as a body that is made when somebody reads it, piece by piece, and is cancelled with its source. */
export function bodyOf(
  source: Pick<BodySource, "cancel">,
  pieces: AsyncIterator<Uint8Array, void>,
): ReadableStream<Uint8Array> {
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    const { done, value } = await pieces.next();
    if (done === true) controller.close();
    else controller.enqueue(value);
  };
  return new ReadableStream({ pull, cancel: (reason) => source.cancel(reason) }, { highWaterMark: 0 });
}

/** All that is left of a source. */
export async function* restOf({ read }: BodySource): AsyncGenerator<Uint8Array, void> {
  for (let piece = await read(); piece !== undefined; piece = await read()) yield piece;
}

/**
 * Reads until there is enough, and puts all of it back: gives what it has read, and whether that is the whole body. A connection
 * that breaks is for whoever reads on.
 */
export async function lookInto(
  source: BodySource,
  isEnough: (read: readonly Uint8Array[], size: number) => boolean,
): Promise<{ readonly bytes: Uint8Array; readonly isWhole: boolean }> {
  const read: Uint8Array[] = [];
  let size = 0;
  let isWhole = false;
  try {
    while (!isWhole && !isEnough(read, size)) {
      const piece = await source.read();
      isWhole = piece === undefined;
      if (piece === undefined) break;
      read.push(piece);
      size += piece.length;
    }
  } catch {
    isWhole = false; // the next to read gets the same error
  }
  source.putBack(read);
  return { bytes: joined(read), isWhole };
}
