import { errorText, UndangleError } from "#core";
import type { AssembledTurn, Language } from "#core";

import type { ModelPart } from "../model.ts";
import { pause } from "./watch.ts";

/** A request: yields its parts, and returns the turn or an error. */
export type Attempt = AsyncGenerator<ModelPart, AssembledTurn | UndangleError, undefined>;

/** The number of retries, and the first delay in milliseconds. */
export interface Patience {
  readonly retries: number;
  readonly retryDelay: number;
  readonly language: Language;
}

/** Retries a request while a retry can help. Reports a response that was discarded. */
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
      if (next.done !== true) await parts.return(noTurn); // the caller stopped reading
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

/** The shortest delay that is reported to the user. */
const longWait = 2000;

const waiting: Readonly<Record<Language, (error: UndangleError, wait: number) => string>> = {
  en: (error, wait) => `${errorText(error, "en")} Retry in ${Math.round(wait / 1000)} s.`,
  zh: (error, wait) => `${errorText(error, "zh")}将在 ${Math.round(wait / 1000)} 秒后重试。`,
};

/** A longer delay is not waited for; the error contains it. */
const longestPause = 60_000;

const longestBackoff = 8000;

/** The delay before the next attempt; undefined for no further attempt. */
function pauseAfter({ data }: UndangleError, attempt: number, { retries, retryDelay }: Patience): number | undefined {
  if (attempt >= retries || !("canRetry" in data) || !data.canRetry) return undefined;
  const told = "retryAfter" in data ? data.retryAfter : undefined;
  if (told !== undefined && told > longestPause) return undefined;
  if (told !== undefined && told > 0) return told; // a delay of 0 does not help an overloaded provider
  const backoff = Math.min(longestBackoff, retryDelay * 2 ** attempt);
  return backoff * (0.5 + Math.random() / 2); // jitter, so that clients do not retry together
}
