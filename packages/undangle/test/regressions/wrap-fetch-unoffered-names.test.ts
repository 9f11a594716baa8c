import { describe, expect, test } from "vitest";

import { begun, calls, callsIn, end, more, role } from "../clients/chat-chunks.ts";
import * as anthropic from "../clients/message-events.ts";
import { done, events, passedThrough, ways } from "../clients/passed-through.ts";
import { chat, messages } from "../clients/requests.ts";

/** A call of a tool that was not offered was written anew, as it came, and told as changed. */
const tools = [{ type: "function", function: { name: "find_book" } }];
const request = { ...chat.request, tools };

describe.each(ways)("pieces of $size, calls: $toolCalls", (way) => {
  test.each([
    ["in pieces", [calls(begun(0, "lend_book")), calls(more(0, '{"x"')), calls(more(0, ":1}"))]],
    ["whole", [calls(begun(0, "lend_book", '{"x":1}'))]],
    ["two of them", [calls(begun(0, "lend_book", '{"x":1}')), calls(begun(1, "find_book", "{}"))]],
  ])("a call of a tool that was not offered passes as it came: %s", async (_, chunks) => {
    const body = events(role, ...chunks, end, done);
    expect(await passedThrough({ ...chat, request, ...way, body })).toEqual({ text: body, error: undefined, told: [] });
  });

  test("so it does in Anthropic's format", async () => {
    const body = anthropic.start + anthropic.called(0, "lend_book", '{"x"', ":1}") + anthropic.ending;
    const asked = { ...messages.request, tools: [{ name: "find_book", input_schema: { type: "object" } }] };
    const passed = await passedThrough({ ...messages, request: asked, ...way, body });
    expect(passed).toEqual({ text: body, error: undefined, told: [] });
  });

  test.each([
    ["the rest of it", [calls(begun(0, "find_")), calls({ index: 0, function: { name: "book" } })]],
    ["what stands around it", [calls(begun(0, "functions.find_book:0"))]],
  ])("a name that is known by %s is that of the tool", async (_, chunks) => {
    const body = events(role, ...chunks, calls(more(0, '{"x":1}')), end, done);
    const { text, error, told } = await passedThrough({ ...chat, request, ...way, body });
    expect({ error, calls: callsIn(text) }).toEqual({ error: undefined, calls: ['find_book {"x":1}'] });
    expect(told).toMatchObject([{ isChanged: true }]);
  });
});
