import { describe, expect, test } from "vitest";

import { chunk, done, events, passedThrough } from "../clients/passed-through.ts";

/** Calls that are written while they come: those without arguments were told behind all others, and long ones took for ever. */
const chat = {
  url: "https://host.example/v1/chat/completions",
  request: { model: "m", stream: true, messages: [] },
  toolCalls: "stream",
} as const;
const role = chunk({ role: "assistant", content: null });
const end = chunk({}, "tool_calls");
const begins = (index: number, name: string, given: string): object =>
  chunk({ tool_calls: [{ index, id: null, type: "function", function: { name, arguments: given } }] });
const goesOn = (index: number, given: string): object =>
  chunk({ tool_calls: [{ index, function: { arguments: given } }] });

describe("calls that are written while they come stay in their order", () => {
  test.each([
    ["an empty object", "{}"],
    ["nothing", ""],
    ["null", "null"],
  ])("in chat, behind one with %s for its arguments", async (_, given) => {
    const body = events(role, begins(0, "a", given), begins(1, "b", '{"x"'), goesOn(1, ":1}"), end, done);
    const { text, error } = await passedThrough({ ...chat, body });
    expect(error).toBeUndefined();
    expect(namesIn(text)).toEqual(["a", "b"]);
    expect(text).toContain('"index":0,"function":{"arguments":"{}"}');
  });

  test("in Anthropic's format", async () => {
    const block = (index: number, name: string): object => ({
      type: "content_block_start",
      index,
      content_block: { type: "tool_use", id: "same", name, input: {} },
    });
    const delta = (index: number, given: string): object => ({
      type: "content_block_delta",
      index,
      delta: { type: "input_json_delta", partial_json: given },
    });
    const stop = (index: number): object => ({ type: "content_block_stop", index });
    const body = events(
      { type: "message_start", message: { id: "msg_1", type: "message", role: "assistant", content: [], usage: {} } },
      block(1, "a"),
      delta(1, "{}"),
      stop(1),
      block(2, "b"),
      delta(2, '{"x"'),
      delta(2, ":1}"),
      stop(2),
      { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 1 } },
      { type: "message_stop" },
    );
    const { text, error } = await passedThrough({
      url: "https://host.example/v1/messages",
      request: { model: "m", stream: true, max_tokens: 9, messages: [] },
      toolCalls: "stream",
      body,
    });
    expect(error).toBeUndefined();
    expect(namesIn(text)).toEqual(["a", "b"]);
  });
});

test("a megabyte of arguments in a hundred thousand pieces is written as it comes", async () => {
  const pieces = Array.from({ length: 100_000 }, (_, i) => goesOn(0, `piece ${i} `.slice(0, 10)));
  const body = events(role, begins(0, "a", '{"text":"'), ...pieces, goesOn(0, '"}'), end, done);
  const { text, error } = await passedThrough({ ...chat, body });
  expect(error).toBeUndefined();
  expect(text).toContain("piece 9999");
});

const namesIn = (text: string): readonly string[] =>
  [...text.matchAll(/"name":"(\w+)"/gu)].map(([, name = ""]) => name);
