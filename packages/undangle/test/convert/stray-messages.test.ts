import { check, convert } from "undangle";
import { describe, expect, test } from "vitest";
import { formats, subjects } from "../judge/subjects.ts";

/** What stands among the messages and is none. */
const strays: readonly (readonly [string, unknown])[] = [
  ["a string", "stray words"],
  ["a list of strings", ["stray words", "more"]],
  ["an object of another kind", { note: "stray words" }],
];

describe.each(formats)("from %s", (from) => {
  const { listKey, userMessage } = subjects[from];
  test.each(strays)("%s among the messages is written as one of the user, and told", (_, stray) => {
    for (const to of formats.filter((format) => format !== from)) {
      const list = [userMessage, stray, userMessage];
      for (const input of [list, { [listKey]: list }]) {
        const { output, losses } = convert(input, { from, to });
        expect(JSON.stringify(output)).toContain("stray words");
        expect(check(output, { format: to })).toEqual([]);
        // Text alone is a message of LangChain's, and of Gemini's SDK.
        const isMessage = typeof stray === "string" && (from === "langchain" || from === "gemini");
        expect(losses.map(({ path }) => path)).toEqual(isMessage ? [] : [`${listKey}[1]`]);
      }
    }
  });
});
