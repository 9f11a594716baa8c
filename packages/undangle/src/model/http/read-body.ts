import type { StreamFormat } from "#codecs";

import type { Watch } from "./watch.ts";

/** A response body as a source for `assemble`. */
export interface BodySource {
  getReader(): {
    readonly read: () => Promise<Piece>;
    readonly cancel: () => Promise<void>;
  };
  /** The start of the body, for errors and records. */
  opening(): string;
}

interface Piece {
  readonly done: boolean;
  readonly value?: unknown;
}

const longestOpening = 16_384;

export interface BodyOptions {
  /** Matches the end marker of the format. */
  readonly ending?: RegExp | undefined;
  /** How much of the body `opening` returns, in characters. */
  readonly longest?: number | undefined;
}

/** Reads a body under a watch. When the watch ends, so does the body, and its connection closes. */
export function watchedBody(
  body: ReadableStream<Uint8Array> | null,
  watch: Watch,
  { ending, longest = longestOpening }: BodyOptions = {},
): BodySource {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let opening = "";
  let isFirst = true;
  let isOver = false; // the end marker was read
  const cancel = async (): Promise<void> => {
    try {
      await reader?.cancel();
    } catch {
      return; // the connection is already closed
    }
  };
  const read = async (): Promise<Piece> => {
    if (reader === undefined) return { done: true };
    const next = await (isOver ? orSilence(reader.read()) : reader.read());
    watch.signal.throwIfAborted(); // also for a body that was cancelled
    if (isFirst) watch.enter("idle");
    isFirst = false;
    if (next === undefined) void cancel();
    if (next?.done === true) watch.ended();
    if (next === undefined || next.done) return { done: true };
    const { value } = next;
    if (opening.length < longest) opening += decoder.decode(value, { stream: true });
    isOver = ending?.test(ascii.decode(value.subarray(-longestEnding))) === true;
    watch.alive();
    return { done: false, value };
  };
  watch.signal.addEventListener("abort", () => void cancel(), { once: true });
  return { getReader: () => ({ read, cancel }), opening: () => opening };
}

/** The text of a body, up to a limit. */
export async function bodyText(body: ReadableStream<Uint8Array> | null, watch: Watch): Promise<string> {
  const source = watchedBody(body, watch);
  const { read, cancel } = source.getReader();
  try {
    while (source.opening().length < longestOpening && !(await read()).done);
  } catch {
    // the partial text says more than the error
  }
  await cancel();
  return source.opening();
}

const ascii = new TextDecoder("latin1");
const longestEnding = 64;

/** End markers. In other formats they are long, or may be part of a response. */
export const endings: Readonly<Partial<Record<StreamFormat, RegExp>>> = {
  "openai-chat": /data:\s*\[DONE\]\s*$/u,
  anthropic: /"message_stop"\s*\}\s*$/u,
};

/** How long to wait for the end of the connection after the end marker. */
const farewell = 1000;

/** The next chunk, or undefined after a pause. */
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
