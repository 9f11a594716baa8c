import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { streamText } from "ai";
import { wrapFetch } from "undangle";
import { describe, expect, test } from "vitest";

import { start } from "../clients/message-events.ts";
import { answering, chunk, done, events, named, passedThrough, ways } from "../clients/passed-through.ts";

/** An error that a provider reports is what the SDK makes of it; the body was broken off behind it, and text was lost. */
const request = { model: "m", stream: true, messages: [], input: "Hi.", contents: [] };
const chat = { url: "https://host.example/v1/chat/completions", request };
const role = chunk({ role: "assistant", content: "" });
const says = chunk({ content: "Hello" });
const overloaded = { error: { message: "Overloaded", type: "server_error" } };
const half = { index: 0, id: "a", type: "function", function: { name: "f", arguments: '{"x":' } };

describe.each(ways)("passes as it came in pieces of $size, calls: $toolCalls", (way) => {
  test.each([
    ["an error behind text", chat.url, events(role, says, overloaded)],
    ["DeepSeek's reason", chat.url, events(role, says, chunk({}, "insufficient_system_resource"), done)],
    [
      "Anthropic's error",
      "https://api.anthropic.com/v1/messages",
      start + named({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }),
    ],
    [
      "a response that failed",
      "https://api.openai.com/v1/responses",
      named({ type: "response.created", response: { id: "r", status: "in_progress", output: [] } }) +
        named({ type: "response.failed", response: { id: "r", status: "failed", output: [] } }),
    ],
    [
      "Gemini's malformed call",
      "https://host.example/v1beta/models/g:streamGenerateContent?alt=sse",
      events(
        { candidates: [{ content: { parts: [{ text: "Hello" }], role: "model" }, index: 0 }] },
        { candidates: [{ content: {}, finishReason: "MALFORMED_FUNCTION_CALL", index: 0 }] },
      ),
    ],
  ])("%s", async (_, url, body) => {
    expect(await passedThrough({ url, request, ...way, body })).toMatchObject({ text: body, error: undefined });
  });
});

test("an error whose end was forgotten has one, or not all clients would hear of it", async () => {
  const url = "https://api.anthropic.com/v1/messages";
  const error = named({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } });
  const body = start + error.trimEnd();
  const { text } = await passedThrough({ url, request, body });
  expect(text).toBe(start + error);
});

test.each([
  ["vLLM's object", chat.url, { object: "error", message: "Overloaded", code: 503 }],
  ["an error that only others have", "https://api.anthropic.com/v1/messages", overloaded],
  [
    "an error in a stream of Google's",
    "https://host.example/v1beta/models/g:streamGenerateContent?alt=sse",
    { error: { code: 503, message: "Overloaded" } },
  ],
])("an error that clients of the format do not see ends the body: %s", async (_, url, error) => {
  const body = events(error);
  expect(await passedThrough({ url, request, body })).toMatchObject({ text: body, error: "Error: Overloaded" });
});

test("an error is written so that all clients read it", async () => {
  const message = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
  const body = events(message).replaceAll("\n", "\r");
  const passed = await passedThrough({ url: "https://api.anthropic.com/v1/messages", request, body });
  expect(passed).toMatchObject({ text: `event: error\n${events(message)}`, error: undefined });
});

test("what came with an error passes with it", async () => {
  const body = events(role, says, overloaded, done);
  expect(await passedThrough({ ...chat, body })).toMatchObject({ text: body, error: undefined });
});

test("a connection that a server leaves open behind an error is closed", async () => {
  const pieces = [events(role, says), events(overloaded)];
  let isClosed = false;
  const source = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = pieces.shift();
        if (piece !== undefined) controller.enqueue(new TextEncoder().encode(piece));
        return piece === undefined ? new Promise(() => undefined) : undefined;
      },
      cancel: () => void (isClosed = true),
    },
    { highWaterMark: 0 },
  );
  const fetch = wrapFetch({ logger: false, fetch: answering(source) });
  const response = await fetch(chat.url, { method: "POST", body: JSON.stringify(request) });
  expect(await response.text()).toBe(events(role, says, overloaded));
  expect(isClosed).toBe(true);
});

test("a call that waits is withheld", async () => {
  const body = events(role, says, chunk({ tool_calls: [half] }), overloaded, done);
  expect(await passedThrough({ ...chat, body })).toMatchObject({
    text: events(role, says, overloaded, done),
    error: undefined,
  });
});

test("a client that has seen a call is told by an error", async () => {
  const body = events(role, chunk({ tool_calls: [half] }), chunk({}, "network_error"), done);
  const { error } = await passedThrough({ ...chat, body, toolCalls: "stream" });
  expect(error).toContain("network_error");
});

test("a reason that comes with the call itself is told by an error", async () => {
  const body = events(role, chunk({ tool_calls: [half] }, "network_error"), done);
  const { text, error } = await passedThrough({ ...chat, body });
  expect(text).toBe(events(role));
  expect(error).toContain("network_error");
});

test("the AI SDK hears the text and the error", async () => {
  const fetch = wrapFetch({
    logger: false,
    fetch: answering(events(role, says, overloaded)),
  });
  const model = createOpenAICompatible({ name: "host", baseURL: "https://host.example/v1", fetch })("m");
  const heard: unknown[] = [];
  for await (const part of streamText({ model, prompt: "Hi.", maxRetries: 0, onError: () => undefined }).fullStream) {
    if (part.type === "text-delta") heard.push(part.text);
    else if (part.type === "error") heard.push(part.error instanceof Error ? part.error.message : part.error);
    else if (part.type === "finish") heard.push(part.finishReason);
  }
  expect(heard).toEqual(["Hello", "Overloaded", "error"]);
});

test.each([
  ["the response reached its maximum length", [chunk({ tool_calls: [half] }), chunk({}, "length"), done]],
  ["its arguments end in the middle", [chunk({ tool_calls: [half] }), chunk({}, "tool_calls"), done]],
  ["the stream ended too early", [chunk({ tool_calls: [half] })]],
])("a call that was cut off says why: %s", async (why, rest) => {
  const { error, told } = await passedThrough({ ...chat, body: events(role, ...rest) });
  expect(error).toContain(why);
  expect(told[0]).toMatchObject({ error: why });
});
