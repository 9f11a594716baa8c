import { isRecord } from "#core";

/** The name under which a thread keeps words for calls without a result, by the ids that the calls have in histories. */
export const keptWordsName = "patch-tool-calls";

/** The words that a thread keeps: every history of it tells of its calls in these. */
export function keptWords(state: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const words = Object.hasOwn(state, keptWordsName) ? state[keptWordsName] : undefined;
  return isRecord(words) ? words : {};
}
