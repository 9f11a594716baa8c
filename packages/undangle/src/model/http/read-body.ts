import type { StreamFormat } from "#codecs";

import type { Watch } from "./watch.ts";

/** The body of an answer as a source for `assemble`. */
export interface BodySource {
  getReader(): {
    readonly read: () => Promise<Piece>;
    readonly cancel: () => Promise<void>;
  };
  /** How the body begins, for an answer that turns out to be none. */
  opening(): string;
}

interface Piece {
  readonly done: boolean;
  readonly value?: unknown;
}

const longestOpening = 16_384;

/**
 * Reads a body under the eyes of a watch: when that ends, so does the body, and its connection is closed. `ending` is how it
 * says that nothing follows, where it does.
 */
export function watchedBody(body: ReadableStream<Uint8Array> | null, watch: Watch, ending?: RegExp): BodySource {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let opening = "";
  let isFirst = true;
  let isOver = false; // the answer has said that it is at its end
  const cancel = async (): Promise<void> => {
    try {
      await reader?.cancel();
    } catch {
      return; // the connection is gone already, which is what was wanted
    }
  };
  const read = async (): Promise<Piece> => {
    if (reader === undefined) return { done: true };
    const next = await (isOver ? orSilence(reader.read()) : reader.read());
    watch.signal.throwIfAborted(); // also a body that ended because it was given up
    if (isFirst) watch.enter("idle");
    isFirst = false;
    if (next === undefined) void cancel();
    if (next?.done === true) watch.ended();
    if (next === undefined || next.done) return { done: true };
    const { value } = next;
    if (opening.length < longestOpening) opening += decoder.decode(value, { stream: true });
    isOver = ending?.test(ascii.decode(value.subarray(-longestEnding))) === true;
    watch.alive();
    return { done: false, value };
  };
  watch.signal.addEventListener("abort", () => void cancel(), { once: true });
  return { getReader: () => ({ read, cancel }), opening: () => opening };
}

/** The text of a body, as far as it is worth reading. */
export async function bodyText(body: ReadableStream<Uint8Array> | null, watch: Watch): Promise<string> {
  const source = watchedBody(body, watch);
  const { read, cancel } = source.getReader();
  try {
    while (source.opening().length < longestOpening && !(await read()).done);
  } catch {
    // what came of it says more than that the rest did not come
  }
  await cancel();
  return source.opening();
}

const ascii = new TextDecoder("latin1");
const longestEnding = 64;

/** How answers say that nothing follows. In the other formats what says so is long, or may be part of an answer. */
export const endings: Readonly<Partial<Record<StreamFormat, RegExp>>> = {
  "openai-chat": /data:\s*\[DONE\]\s*$/u,
  anthropic: /"message_stop"\s*\}\s*$/u,
};

/** How long a server is waited for that has said everything and does not hang up. */
const farewell = 1000;

/** The next piece, unless nothing comes for a moment. */
async function orSilence<T>(next: Promise<T>): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), farewell);
  });
  try {
    return await Promise.race([next, silence]);
  } finally {
    clearTimeout(timer);
  }
}
