import type { Finish } from "#core";

/** The ends of answers that the AI SDK has words for, in the words of streams. */
const finishWords: Readonly<Partial<Record<string, Exclude<Finish, null>>>> = {
  stop: "stop",
  "tool-calls": "tool_calls",
  length: "length",
  "content-filter": "content_filter",
};

/** The end that a word of the AI SDK means; undefined for others. */
export const finishOfWord = (word: unknown): Exclude<Finish, null> | undefined =>
  typeof word === "string" && Object.hasOwn(finishWords, word) ? finishWords[word] : undefined;
