import { assemble } from "undangle";
import { describe, expect, test } from "vitest";

import { begun, more } from "../clients/chat-chunks.ts";
import { chunk, done, events, passedThrough, ways } from "../clients/passed-through.ts";
import { chat } from "../clients/requests.ts";

/** Two answers were asked for, and come side by side. */
const request = { ...chat.request, n: 2 };
const of = (index: number, delta: object, finish: string | null = null): object => chunk(delta, finish, { index });
const role = (index: number): object => of(index, { role: "assistant", content: "" });
const calls = (index: number, ...entries: readonly object[]): object => of(index, { tool_calls: entries });
const called = (index: number): readonly object[] => [
  calls(index, begun(0, "f")),
  calls(index, more(0, '{"x"')),
  calls(index, more(0, ":1}")),
];
const roles = [role(0), role(1)];
const says = of(1, { content: "Hé" });

describe.each(ways)("pieces of $size, calls: $toolCalls", (way) => {
  test.each([
    ["text behind the end of the other", [...called(0), of(0, {}, "tool_calls"), says, says, of(1, {}, "stop")]],
    [
      "text that was cut off behind the calls",
      [...called(1), of(1, {}, "tool_calls"), of(0, { content: "A" }), of(0, {}, "length")],
    ],
    [
      "text that was cut off before the calls",
      [of(0, { content: "A" }), of(0, {}, "length"), ...called(1), of(1, {}, "tool_calls")],
    ],
    ["calls behind the text", [...called(0), of(0, {}, "tool_calls"), says, ...called(1), of(1, {}, "tool_calls")]],
    ["one id for the calls of both", [...called(0), ...called(1), of(0, {}, "tool_calls"), of(1, {}, "tool_calls")]],
  ])("healthy chunks keep their places: %s", async (_, chunks) => {
    const body = events(...roles, ...chunks, done);
    expect(await passedThrough({ ...chat, request, ...way, body })).toEqual({ text: body, error: undefined, told: [] });
  });

  test.each([
    ["text alone", [of(0, { content: "A" }), says, of(0, {}, "stop")]],
    ["text behind calls", [...called(0), of(0, {}, "tool_calls"), says]],
  ])("one without a reason gets one: %s", async (_, chunks) => {
    const { text, error, told } = await passedThrough({
      ...chat,
      request,
      ...way,
      body: events(...roles, ...chunks, done),
    });
    expect(error).toBeUndefined();
    expect(reasonsIn(text)).toEqual(expect.arrayContaining([[1, "stop"]]));
    expect(reasonsIn(text)).toHaveLength(2);
    expect(text.endsWith(done)).toBe(true);
    expect(told).toMatchObject([{ isChanged: true, anomalies: [{ kind: "finish-missing" }] }]);
  });

  test.each([
    ["more of a call", [calls(0, more(0, '{"y":2}'))]],
    ["another reason", [of(0, {}, "length")]],
    ["nothing", []],
  ])("what comes behind calls that have passed is not presented: %s", async (_, late) => {
    const body = events(...roles, ...called(0), of(0, {}, "tool_calls"), says, ...late);
    const { text, error, told } = await passedThrough({ ...chat, request, ...way, body });
    expect(error).toMatch(/Cannot repair|cut off/u);
    expect(text).not.toContain(done);
    expect(told).toHaveLength(1);
  });
});

test("each answer has ids of its own", async () => {
  const chunks = [...roles, ...called(0), ...called(1), of(0, {}, "tool_calls"), of(1, {}, "tool_calls")];
  const turns = await assemble(chunks, { format: "openai-chat" }).turns();
  expect(turns.map(({ calls: all, anomalies }) => [all.map(({ id }) => id), anomalies])).toEqual([
    [["call_0"], []],
    [["call_0"], []],
  ]);
});

/** The reasons that a client finds in a body, with the choices that they are of. */
const reasonsIn = (body: string): readonly (readonly [number, string])[] =>
  [...body.matchAll(/"index":(\d),[^\n]*"finish_reason":"(\w+)"/gu)].map(([, index, reason = ""]) => [
    Number(index),
    reason,
  ]);
