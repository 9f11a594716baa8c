import type { JsonObject } from "#core";

import { describe, expect, test } from "vitest";

import { assemble } from "../../stream/assemble.ts";
import type { FrameContent, Frame } from "../../stream/response-writer.ts";
import { hasSameCalls } from "../../stream/response-writer.ts";
import { readWaiting } from "../../stream/read-waiting.fixture.ts";
import { ollamaWriter } from "./write-stream.ts";

const line = (message: JsonObject, more: JsonObject = {}): JsonObject => ({
  model: "m",
  created_at: "2026-01-01T00:00:00Z",
  message: { role: "assistant", content: "", ...message },
  done: false,
  ...more,
});
const calls = (...list: readonly JsonObject[]): JsonObject => line({ tool_calls: list });
const call = (name: string, args: unknown, more: JsonObject = {}): JsonObject => ({
  ...more,
  function: { name, arguments: args },
});
const over = line({}, { done: true, done_reason: "stop", eval_count: 4 });
const framesOf = (values: readonly JsonObject[]): readonly Frame[] => values.map((value) => ({ value }));
const turnsOf = (values: readonly JsonObject[]) => assemble(values, { format: "ollama" }).turns();
const pot = { pot: "blue" };

test.each<[about: string, values: readonly JsonObject[]]>([
  ["without ids", [calls(call("water", pot), call("water", pot)), over]],
  ["with ids", [calls(call("water", pot, { id: "a" })), calls(call("wait", {}, { id: "b" })), over]],
  ["in the last line", [{ ...over, message: { role: "assistant", content: "Ok", tool_calls: [call("water", pot)] } }]],
])("calls %s are read as they were meant", async (_, values) => {
  const plain = readWaiting(ollamaWriter.stream(), framesOf(values));
  expect(plain && hasSameCalls(plain, await turnsOf(values))).toBe(true);
});

test.each<[about: string, values: readonly JsonObject[], written: readonly JsonObject[]]>([
  ["arguments as text", [calls(call("water", '{"pot":"blue"}')), over], [calls(call("water", pot))]],
  ["no arguments", [calls(call("wait", undefined)), over], [calls(call("wait", {}))]],
  ["no wrapper", [calls({ name: "water", arguments: pot }), over], [calls(call("water", pot))]],
  ["an id that is a number", [calls(call("water", pot, { id: 7 })), over], [calls(call("water", pot, { id: "7" }))]],
  [
    "a list for the arguments, which stays one",
    [calls(call("water", ["blue"])), over],
    [calls(call("water", ["blue"]))],
  ],
])("%s: written as Ollama would", async (_, values, written) => {
  const cleaner = ollamaWriter.stream();
  const turns = await turnsOf(values);
  const plain = readWaiting(cleaner, framesOf(values));
  expect(plain !== undefined && hasSameCalls(plain, turns)).toBe(false);
  expect(cleaner.writeTurns(turns, framesOf(values), values.at(-1) ?? {}).map(({ value }) => value)).toEqual([
    ...written,
    over,
  ]);
});

describe("text", () => {
  const text = { type: "text", choice: 0, text: "Hi" } as const;
  const thought = { type: "reasoning", choice: 0, text: "Hm" } as const;

  test.each<[about: string, value: JsonObject, reading: FrameContent, isSound: boolean]>([
    ["text and a thought", line({ content: "Hi", thinking: "Hm" }), { texts: [thought, text], hasEnd: false }, true],
    ["the end", over, { texts: [], hasEnd: true }, true],
    ["no message", { done: true }, { texts: [], hasEnd: true }, false],
    ["null for the text", line({ content: null, thinking: "Hm" }), { texts: [thought], hasEnd: false }, false],
    ["the text of another endpoint", { response: "Hi", done: false }, { texts: [text], hasEnd: false }, false],
  ])("%s", (_, value, reading, isSound) => {
    expect(ollamaWriter.stream().isValid({ value }, reading)).toBe(isSound);
  });

  test("is said in lines of their own", () => {
    const { writeText: say, serialize: textOf } = ollamaWriter.stream();
    const [first, second] = say([thought, text], line({ content: null }));
    expect(first?.value).toEqual(line({ thinking: "Hm" }));
    expect(second && textOf(second)).toBe(`${JSON.stringify(line({ content: "Hi" }))}\n`);
  });
});

test("an end at the limit waits behind calls, since clients read nothing after it", () => {
  const cleaner = ollamaWriter.stream();
  const value = { ...over, done_reason: "length" };
  expect(cleaner.isValid({ value }, { texts: [], hasEnd: true })).toBe(true);
  cleaner.emitted({ value: calls(call("water", pot)) });
  expect(cleaner.isValid({ value }, { texts: [], hasEnd: true })).toBe(false);
});

test("a body is written anew where its calls are not sound", async () => {
  const body = {
    ...over,
    message: { role: "assistant", content: "Ok", tool_calls: [call("water", '{"pot":"blue"}')] },
  };
  expect(ollamaWriter.body.clientTurns(body)).toBeUndefined();
  expect(ollamaWriter.body.write(await turnsOf([body]), body)).toEqual({
    ...body,
    message: { ...body.message, tool_calls: [call("water", pot)] },
  });
});
