import type { JsonObject } from "#core";

import { describe, expect, test } from "vitest";

import { assemble } from "../../stream/assemble.ts";
import type { FrameContent, Frame } from "../../stream/response-writer.ts";
import { hasSameCalls } from "../../stream/response-writer.ts";
import { readWaiting } from "../../stream/read-waiting.fixture.ts";
import { geminiWriter } from "./write-stream.ts";

const chunk = (parts: readonly JsonObject[], more: JsonObject = {}): JsonObject => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
  modelVersion: "gemini-x",
  responseId: "r-1",
});
const call = (functionCall: JsonObject, more: JsonObject = {}): JsonObject => ({ functionCall, ...more });
const over = chunk([{ text: "" }], { finishReason: "STOP" });
const framesOf = (values: readonly JsonObject[]): readonly Frame[] => values.map((value) => ({ value }));
const turnsOf = (values: readonly JsonObject[]) => assemble(values, { format: "gemini" }).turns();
const soup = { dish: "soup" };

describe("a stream that is read as it was meant", () => {
  test.each<[about: string, values: readonly JsonObject[]]>([
    ["without ids", [chunk([call({ name: "serve", args: soup })]), over]],
    ["with ids", [chunk([call({ id: "a", name: "serve", args: soup }), call({ id: "b", name: "serve" })]), over]],
    [
      "with a signature, the end in the same chunk",
      [chunk([call({ name: "serve", args: soup }, { thoughtSignature: "s" })], { finishReason: "STOP" })],
    ],
    [
      "with arguments piece by piece",
      [
        chunk([call({ name: "serve", willContinue: true })]),
        chunk([call({ partialArgs: [{ jsonPath: "$.dish", stringValue: "so" }], willContinue: true })]),
        chunk([call({ partialArgs: [{ jsonPath: "$.dish", stringValue: "up" }], willContinue: true })]),
        chunk([call({})]),
        over,
      ],
    ],
  ])("%s", async (_, values) => {
    const plain = readWaiting(geminiWriter.stream(), framesOf(values));
    expect(plain && hasSameCalls(plain, await turnsOf(values))).toBe(true);
  });
});

describe("a stream that some clients read otherwise is written as Gemini would", () => {
  test.each<[about: string, values: readonly JsonObject[], parts: readonly JsonObject[]]>([
    [
      "null for the arguments",
      [chunk([call({ name: "serve", args: null })]), over],
      [call({ name: "serve", args: {} })],
    ],
    [
      "arguments as text",
      [chunk([call({ name: "serve", args: '{"dish":"soup"}' })]), over],
      [call({ name: "serve", args: soup })],
    ],
    [
      "keys with underscores",
      [chunk([{ function_call: { id: "a", name: "serve", args: soup }, thought_signature: "s" }]), over],
      [call({ id: "a", name: "serve", args: soup }, { thoughtSignature: "s" })],
    ],
    [
      "a call that is sent again",
      [
        chunk([call({ id: "a", name: "serve", args: soup })]),
        chunk([call({ id: "a", name: "serve", args: soup })]),
        over,
      ],
      [call({ id: "a", name: "serve", args: soup })],
    ],
    [
      "a list for the arguments, which stays one",
      [chunk([call({ name: "serve", args: ["soup"] })]), over],
      [call({ name: "serve", args: ["soup"] })],
    ],
  ])("%s", async (_, values, parts) => {
    const cleaner = geminiWriter.stream();
    const turns = await turnsOf(values);
    const plain = readWaiting(cleaner, framesOf(values));
    expect(plain !== undefined && hasSameCalls(plain, turns)).toBe(false);
    const expected = [...parts.map((part) => chunk([part])), over];
    expect(cleaner.writeTurns(turns, framesOf(values), values.at(-1) ?? {}).map(({ value }) => value)).toEqual(
      expected,
    );
  });

  test("what chunks have besides text and calls is kept", async () => {
    const code = { executableCode: { language: "PYTHON", code: "1" } };
    const usageMetadata = { totalTokenCount: 3 };
    const values = [
      chunk([code, { text: "Hm", thoughtSignature: "t" }, call({ name: "serve", args: null })]),
      { ...over, usageMetadata },
    ];
    const written = geminiWriter.stream().writeTurns(await turnsOf(values), framesOf(values), values.at(-1) ?? {});
    const last = chunk([code, { text: "", thoughtSignature: "t" }], { finishReason: "STOP" });
    expect(written.at(-1)?.value).toEqual({ ...last, usageMetadata });
  });
});

test("calls are over when nothing more of them can come", () => {
  const { endsCall } = geminiWriter.stream();
  const ends = (functionCall: JsonObject): boolean => endsCall({ value: chunk([{ functionCall }]) });
  expect(ends({ name: "serve", args: { to: "all" } })).toBe(true);
  expect(ends({ name: "serve", args: {} })).toBe(false);
  expect(ends({})).toBe(true);
  expect(ends({ name: "serve" })).toBe(false);
  expect(ends({ name: "serve", args: {}, willContinue: true })).toBe(false);
  expect(endsCall({ value: over })).toBe(false);
});

describe("text", () => {
  const text = { type: "text", choice: 0, text: "Hi" } as const;
  const thought = { type: "reasoning", choice: 0, text: "Hm" } as const;

  test.each<[about: string, value: JsonObject, reading: FrameContent, isSound: boolean]>([
    ["text", chunk([{ text: "Hi" }]), { texts: [text], hasEnd: false }, true],
    [
      "a thought, and text",
      chunk([{ text: "Hm", thought: true }, { text: "Hi" }]),
      { texts: [thought, text], hasEnd: false },
      true,
    ],
    ["the end", over, { texts: [], hasEnd: true }, true],
    ["usage alone", { usageMetadata: {} }, { texts: [], hasEnd: false }, true],
    [
      "a reason that is none",
      chunk([], { finishReason: "FINISH_REASON_UNSPECIFIED" }),
      { texts: [], hasEnd: false },
      false,
    ],
    ["a reason that nobody knows", chunk([], { finish_reason: "STOP" }), { texts: [], hasEnd: true }, false],
    ["text that was read otherwise", chunk([{ text: "Ho" }]), { texts: [text], hasEnd: false }, false],
  ])("%s", (_, value, reading, isSound) => {
    expect(geminiWriter.stream().isValid({ value }, reading)).toBe(isSound);
  });

  test("is said in the right spelling, with its signature", () => {
    const given = chunk([{ text: "Hi", thought_signature: "s" }]);
    expect(geminiWriter.stream().writeText([text], given)).toEqual([
      { value: chunk([{ text: "Hi", thoughtSignature: "s" }]) },
    ]);
    expect(geminiWriter.stream().writeText([thought], over)).toEqual([
      { value: chunk([{ text: "Hm", thought: true }]) },
    ]);
  });
});

test("a body keeps its parts in their order", async () => {
  const body = chunk([{ text: "A" }, { function_call: { name: "serve", args: null } }, { text: "B" }], {
    finish_reason: "STOP",
  });
  expect(geminiWriter.body.clientTurns(body)).toBeUndefined();
  expect(geminiWriter.body.write(await turnsOf([body]), body)).toEqual(
    chunk([{ text: "A" }, call({ name: "serve", args: {} }), { text: "B" }], { finishReason: "STOP" }),
  );
});
