import { describe, expect, test } from "vitest";
import { calls, end, more } from "../clients/chat-chunks.ts";
import { chunk, done, events, passedThrough, ways } from "../clients/passed-through.ts";

/** A healthy delta with text and a call in it was taken apart where calls pass while they come. */
const chat = {
  url: "https://host.example/v1/chat/completions",
  request: { model: "m", stream: true, messages: [], tools: [{ type: "function", function: { name: "f" } }] },
} as const;
const call = (text: string, more: object = {}): object => ({
  index: 0,
  id: "a",
  type: "function",
  function: { name: "f", arguments: text },
  ...more,
});
const said = (text: string, more?: object): object =>
  chunk({ role: "assistant", content: "Hé", tool_calls: [call(text, more)] });
const rest = calls(more(0, ":1}"));

describe.each(ways)("in pieces of $size, calls: $toolCalls", (way) => {
  test.each([
    ["a whole call", [said('{"x":1}')]],
    ["the beginning of one", [said('{"x"'), rest]],
    ["its name alone", [said(""), calls(more(0, '{"x":1}'))]],
  ])("a text beside %s passes with it as they came", async (_, pieces) => {
    const body = events(...pieces, end, done);
    expect(await passedThrough({ ...chat, ...way, body })).toEqual({ text: body, error: undefined, told: [] });
  });

  test.each([
    ["one over which clients trip", [said('{"x":1}', { id: null }), end]],
    ["one that may still get arguments", [said("{}"), end]],
    [
      "one that is over with the turn",
      [chunk({ role: "assistant", content: "Hé", tool_calls: [call("{}")] }, "tool_calls")],
    ],
  ])("a text beside %s is not lost", async (_, pieces) => {
    const { text, error } = await passedThrough({ ...chat, ...way, body: events(...pieces, done) });
    expect(error).toBeUndefined();
    expect(text.match(/Hé/gu)).toHaveLength(1);
    expect(text.match(/"name":"f"/gu)).toHaveLength(1);
  });
});

test("a text beside the beginning of a call does not wait for it", async () => {
  const body = events(said('{"x"'));
  const { text, error } = await passedThrough({ ...chat, toolCalls: "stream", body });
  expect(text).toBe(body);
  expect(error).toMatch(/cut off/u);
});
