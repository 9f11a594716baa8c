import { isRecord } from "#core";
import type { JsonObject } from "#core";

/** The state key of stored notices, by the call ids of histories. */
export const keptWordsName = "patch-tool-calls";

/** The stored notices of a thread, which every history of it uses. */
export function keptWords(state: JsonObject): JsonObject {
  const words = Object.hasOwn(state, keptWordsName) ? state[keptWordsName] : undefined;
  return isRecord(words) ? words : {};
}
