import type { Finish } from "#core";

/** The finish reasons of the AI SDK, in stream vocabulary. */
const finishWords: Readonly<Partial<Record<string, Exclude<Finish, null>>>> = {
  stop: "stop",
  "tool-calls": "tool_calls",
  length: "length",
  "content-filter": "content_filter",
};

/** The finish reason for a word of the AI SDK; undefined for others. */
export const finishOfWord = (word: unknown): Exclude<Finish, null> | undefined =>
  typeof word === "string" && Object.hasOwn(finishWords, word) ? finishWords[word] : undefined;
