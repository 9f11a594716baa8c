import { describe, expect, test } from "vitest";

import { over, reason, start, text } from "../clients/message-events.ts";
import { chunk, done, events, passedThrough, ways } from "../clients/passed-through.ts";

/** What a provider documents is healthy where it is that one; it was written anew, and parts of it were lost. */
const tool = { type: "function", function: { name: "f" } };
const request = { model: "m", stream: true, messages: [], tools: [tool] };
const azure = "https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=1";
const mistral = "https://api.mistral.ai/v1/chat/completions";
const openrouter = "https://openrouter.ai/api/v1/chat/completions";
const role = chunk({ role: "assistant", content: "" });
const stop = chunk({ content: "" }, "stop");
const filtered = chunk(undefined, null, { content_filter_results: { hate: {} }, content_filter_offsets: { start: 1 } });
const thinking = { type: "thinking", thinking: [{ type: "text", text: "Hm" }] };
const reference = { type: "reference", reference_ids: [1] };
const details = [{ type: "reasoning.summary", summary: "Hm", index: 0, format: "x" }];
const called = { index: 0, id: "a", type: "function", function: { name: "f", arguments: "" } };
const more = { index: 0, type: "function", function: { name: null, arguments: '{"x":1}' } };
const call = { id: "abcdefghi", function: { name: "f", arguments: '{"x":1}' } };

describe.each(ways)("passes as it came in pieces of $size, calls: $toolCalls", (way) => {
  test.each([
    ["Azure's filter in the middle", azure, events(role, filtered, chunk({ content: "Hi" }), stop, done)],
    ["Azure's filter behind the end", azure, events(role, chunk({ content: "Hi" }), stop, filtered, done)],
    [
      "Azure's filter behind a call",
      azure,
      events(
        role,
        chunk({ tool_calls: [called] }),
        chunk({ tool_calls: [more] }),
        filtered,
        chunk({}, "tool_calls"),
        done,
      ),
    ],
    ["Mistral's thinking", mistral, events(role, chunk({ content: [thinking] }), chunk({ content: "Hi" }), stop, done)],
    [
      "Mistral's references",
      mistral,
      events(role, chunk({ content: [{ type: "text", text: "Hi" }, reference] }), stop, done),
    ],
    ["Mistral's calls", mistral, events(role, chunk({ tool_calls: [{ ...call, index: 0 }] }, "tool_calls"), done)],
    [
      "OpenRouter's reasoning",
      openrouter,
      events(
        chunk({ role: "assistant", content: "", reasoning_details: details }),
        chunk({ content: "Hi" }),
        stop,
        done,
      ),
    ],
    [
      "the same of somebody who passes it on",
      "https://gateway.example/v1/chat/completions",
      events(
        chunk({ role: "assistant", content: "", reasoning_details: details }),
        chunk({ content: "Hi" }),
        stop,
        done,
      ),
    ],
    [
      "OpenRouter's usage behind the end of a call",
      openrouter,
      events(
        role,
        chunk({ role: "assistant", content: null, tool_calls: [called] }),
        chunk({ role: "assistant", content: null, tool_calls: [more] }),
        chunk({ role: "assistant", content: "" }, "tool_calls"),
        { ...role, usage: { total_tokens: 3 } },
        done,
      ),
    ],
  ])("%s", async (_, url, body) => {
    expect(await passedThrough({ url, request, ...way, body })).toEqual({ text: body, error: undefined, told: [] });
  });

  test("Anthropic's counts that come bit by bit", async () => {
    const body = start + text(0, "Hi") + reason(null, 1) + reason("end_turn", 2) + reason("end_turn", 3) + over;
    const url = "https://api.anthropic.com/v1/messages";
    expect(await passedThrough({ url, request, ...way, body })).toEqual({ text: body, error: undefined, told: [] });
  });
});

test("a body of Mistral's with thinking and a call passes as it came", async () => {
  const message = { role: "assistant", content: [thinking, { type: "text", text: "Hi" }], tool_calls: [call] };
  const body = JSON.stringify({ id: "x", choices: [{ index: 0, message, finish_reason: "tool_calls" }] }, null, 2);
  const asked = { url: mistral, request: { ...request, stream: false }, type: "application/json" };
  expect(await passedThrough({ ...asked, body })).toEqual({ text: body, error: undefined, told: [] });
});

test("what was thought is not lost where somebody else sends it so", async () => {
  const message = { role: "assistant", content: [thinking, { type: "text", text: "Hi" }], tool_calls: [call] };
  const body = JSON.stringify({ id: "x", choices: [{ index: 0, message, finish_reason: "tool_calls" }] });
  const url = "https://host.example/v1/chat/completions";
  const { text } = await passedThrough({ url, request: { ...request, stream: false }, body, type: "application/json" });
  expect(text).toContain('"content":"Hi"');
  expect(text).toContain('"reasoning_content":"Hm"');
});

describe("what is neither text nor thought is not lost where somebody else sends it so", () => {
  const url = "https://host.example/v1/chat/completions";
  const content = [{ type: "text", text: "Hi" }, reference];

  test.each(ways)("in a stream, in pieces of $size, calls: $toolCalls", async (way) => {
    const body = events(role, chunk({ content }), chunk({ content: [reference] }), chunk({ content: "!" }), stop, done);
    const { text } = await passedThrough({ url, request, ...way, body });
    const told = text.split("\n\n").filter((each) => each.startsWith("data: {"));
    const choices = told.flatMap((each) => {
      const value = JSON.parse(each.slice(6)) as { readonly choices: readonly Record<string, unknown>[] };
      return value.choices;
    });
    expect(choices.map(({ delta }) => delta)).toEqual([
      { role: "assistant", content: "" },
      { content: "Hi" },
      {},
      { content: "!" },
      { content: "" },
    ]);
    expect(choices.flatMap(({ content_parts: parts }) => parts ?? [])).toEqual([reference, reference]);
  });

  test("in a body with a call", async () => {
    const message = { role: "assistant", content, tool_calls: [call] };
    const body = JSON.stringify({ id: "x", choices: [{ index: 0, message, finish_reason: "tool_calls" }] });
    const asked = { url, request: { ...request, stream: false }, body, type: "application/json" };
    const { text } = await passedThrough(asked);
    expect(text).toContain(`"content":"Hi","tool_calls"`);
    expect(text).toContain(`"content_parts":[${JSON.stringify(reference)}]`);
  });
});
