import { errorText, UndangleError } from "#core";
import type { AssembledTurn, Language } from "#core";

import type { ModelPart } from "../model.ts";
import { pause } from "./watch.ts";

/** One request: its parts as they come, and in the end the turn, or why there is none. */
export type Attempt = AsyncGenerator<ModelPart, AssembledTurn | UndangleError, undefined>;

/** How often a request that failed is made again, and after how many milliseconds at first. */
export interface Patience {
  readonly retries: number;
  readonly retryDelay: number;
  readonly language: Language;
}

/** Makes a request until it is answered, as often as that makes sense. Of an answer that broke off, it says so. */
export async function* askAgain(
  askOnce: () => Attempt,
  patience: Patience,
  signal: AbortSignal,
): AsyncGenerator<ModelPart, AssembledTurn, undefined> {
  for (let attempt = 0; ; attempt++) {
    signal.throwIfAborted();
    let hasSaid = false;
    const parts = askOnce();
    let next = await parts.next();
    try {
      while (next.done !== true) {
        hasSaid ||= next.value.type !== "warning";
        yield next.value;
        next = await parts.next();
      }
    } finally {
      if (next.done !== true) await parts.return(noTurn); // nobody listens any more
    }
    if (!(next.value instanceof UndangleError)) return next.value;
    signal.throwIfAborted();
    const wait = pauseAfter(next.value, attempt, patience);
    if (wait === undefined) throw next.value;
    if (hasSaid) yield { type: "discarded", reason: errorText(next.value, patience.language) };
    if (wait >= longWait)
      yield { type: "warning", message: waiting[patience.language](next.value, wait), code: next.value.code };
    await pause(wait, signal);
  }
}

const noTurn = new UndangleError("model/unreachable", { model: "", message: "no listener", canRetry: false });

/** A pause from which on a person wonders what is going on. */
const longWait = 2000;

const waiting: Readonly<Record<Language, (error: UndangleError, wait: number) => string>> = {
  en: (error, wait) => `${errorText(error, "en")} Retry in ${Math.round(wait / 1000)} s.`,
  zh: (error, wait) => `${errorText(error, "zh")}将在 ${Math.round(wait / 1000)} 秒后重试。`,
};

/** Who asks to be left alone for longer is not waited for: the error says for how long. */
const longestPause = 60_000;

const longestBackoff = 8000;

/** How long to wait before the next attempt; undefined when there is to be none. */
function pauseAfter({ data }: UndangleError, attempt: number, { retries, retryDelay }: Patience): number | undefined {
  if (attempt >= retries || !("canRetry" in data) || !data.canRetry) return undefined;
  const told = "retryAfter" in data ? data.retryAfter : undefined;
  if (told !== undefined && told > longestPause) return undefined;
  if (told !== undefined && told > 0) return told; // "at once" helps nobody who is overloaded
  const backoff = Math.min(longestBackoff, retryDelay * 2 ** attempt);
  return backoff * (0.5 + Math.random() / 2); // so that many who failed together do not come back together
}
