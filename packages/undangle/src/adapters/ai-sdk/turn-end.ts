import { finishOfWord } from "#codecs";
import { isRecord } from "#core";
import type { Finish } from "#core";

/** How a turn ended: a word, or in newer versions what all providers say with it and what this one said. */
export function reasonOf(finishReason: unknown): string {
  const reason = isRecord(finishReason) ? finishReason["unified"] : finishReason;
  return typeof reason === "string" ? reason : "unknown";
}

/** True for a turn that says all that it had to say. Whatever has another end may have been cut anywhere. */
export const isWhole = (finishReason: unknown): boolean => /^(?:stop|tool-calls)$/u.test(reasonOf(finishReason));

/** The end of a turn in the words of streams; undefined for none. */
export function finishOf(finishReason: unknown): Exclude<Finish, null> | undefined {
  return finishReason === undefined ? undefined : (finishOfWord(reasonOf(finishReason)) ?? "error");
}

/** The same reason with another word, which keeps what the provider said; the same reference for the same word. */
export function withReason(finishReason: unknown, reason: "tool-calls" | "error"): unknown {
  if (reasonOf(finishReason) === reason) return finishReason;
  return isRecord(finishReason) ? { ...finishReason, unified: reason } : reason;
}

/** Says why calls were not passed on. */
export function describeCut(why: string, names: readonly string[]): string {
  const calls = names.length === 0 ? "" : ` (${names.join(", ")})`;
  return `The model's response is incomplete: ${why}. Its tool calls${calls} are withheld, so that none of them runs.`;
}
