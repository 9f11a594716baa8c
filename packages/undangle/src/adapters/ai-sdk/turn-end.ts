import { finishOfWord } from "#codecs";
import { isRecord } from "#core";
import type { Finish } from "#core";

/** The finish reason: a word, or in newer versions an object with the provider's reason. */
export function reasonOf(finishReason: unknown): string {
  const reason = isRecord(finishReason) ? finishReason["unified"] : finishReason;
  return typeof reason === "string" ? reason : "unknown";
}

/** True for a complete turn. Any other reason may mean truncation. */
export const isWhole = (finishReason: unknown): boolean => /^(?:stop|tool-calls)$/u.test(reasonOf(finishReason));

/** The finish reason in stream vocabulary; undefined for none. */
export function finishOf(finishReason: unknown): Exclude<Finish, null> | undefined {
  return finishReason === undefined ? undefined : (finishOfWord(reasonOf(finishReason)) ?? "error");
}

/** The finish reason with another word; the provider's reason stays. The same reference for the same word. */
export function withReason(finishReason: unknown, reason: "tool-calls" | "error"): unknown {
  if (reasonOf(finishReason) === reason) return finishReason;
  return isRecord(finishReason) ? { ...finishReason, unified: reason } : reason;
}

/** The message about withheld calls. */
export function describeCut(why: string, names: readonly string[]): string {
  const calls = names.length === 0 ? "" : ` (${names.join(", ")})`;
  return `The model's response is incomplete: ${why}. Its tool calls${calls} are withheld, so that none of them runs.`;
}
