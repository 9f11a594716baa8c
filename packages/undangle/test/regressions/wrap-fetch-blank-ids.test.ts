import { describe, expect, test } from "vitest";

import { calls, callsIn, end, role } from "../clients/chat-chunks.ts";
import { block, ending, json, start, stop, text as saying } from "../clients/message-events.ts";
import { chunk, done, events, passedThrough, ways } from "../clients/passed-through.ts";
import type { Answered } from "../clients/passed-through.ts";
import { chat, messages } from "../clients/requests.ts";

/** Ids and names of white space say nothing: they passed where text came behind the call, and what came next was an error. */
const says = chunk({ content: "And." });
const call = (index: number, id: string, name = "find"): object =>
  calls({ index, id, type: "function", function: { name, arguments: '{"n":1}' } });

/** The ids of calls in a body of chat, or the names. */
const valuesOf = (key: "id" | "name", body: string): readonly string[] =>
  [...body.matchAll(/(?<=^data: )\{.*$/gmu)].flatMap(([data]) =>
    [...data.matchAll(key === "id" ? /"id":"([^"]*)","type"/gu : /"name":"([^"]*)"/gu)].map(([, value = ""]) => value),
  );

describe.each(ways)("in pieces of $size, calls: $toolCalls", (way) => {
  describe.each([" ", "\t\n", "null"])("calls with the id %j get one", (id) => {
    test.each([
      ["alone", [call(0, id)]],
      ["before a text", [call(0, id), says]],
      ["before a text and another call", [call(0, id), says, call(1, id)]],
      ["beside one that has one", [call(0, "call_0"), call(1, id), says]],
    ])("%s", async (_, sent) => {
      const { text, error, told } = await passedThrough({ ...chat, ...way, body: events(role, ...sent, end, done) });
      const ids = valuesOf("id", text);
      expect(error).toBeUndefined();
      expect(callsIn(text)).toEqual(sent.filter((each) => each !== says).map(() => 'find {"n":1}'));
      expect(ids.every((each) => /^call_\w+$/u.test(each))).toBe(true);
      expect(new Set(ids).size).toBe(callsIn(text).length);
      expect(told.map(({ isChanged }) => isChanged)).toEqual([true]);
    });
  });

  test("a name of white space does not pass as one before the name comes", async () => {
    const late = calls({ index: 0, function: { name: "find" } });
    const { text } = await passedThrough({
      ...chat,
      ...way,
      body: events(role, call(0, "call_0", " "), late, end, done),
    });
    expect(callsIn(text)).toEqual(['find {"n":1}']);
    expect(valuesOf("name", text)).toEqual(["find"]);
  });

  test("a call of Anthropic's with the null as text gets an id", async () => {
    const use = (index: number): string => block(index, { type: "tool_use", id: "null", name: "find", input: {} });
    const one = (index: number): string => use(index) + json(index, '{"n":1}') + stop(index);
    const body = start + one(0) + saying(1, "And.") + one(2) + ending;
    const { text, error } = await passedThrough({ ...messages, ...way, body } satisfies Answered);
    expect(error).toBeUndefined();
    expect(text).not.toContain('"null"');
    expect(text.match(/"id":"call_\w+"/gu)).toHaveLength(2);
  });
});
