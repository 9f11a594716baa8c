import { expect, test } from "vitest";
import { detectStream } from "./detect-stream.ts";
import { streamEvents } from "./events/sse.ts";

const sse = (...frames: readonly unknown[]): string =>
  frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join("");

test.each([
  ["openai-chat", sse({ object: "chat.completion.chunk", choices: [] })],
  ["openai-chat", 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: {"choices":[{"delta":{}}]}\r\n\r\n'],
  ["openai-chat", "data: [DONE]\n\n"],
  ["openai-chat", JSON.stringify({ choices: [{ message: { content: "Hi" } }] }, undefined, 2)],
  ["openai-responses", sse({ type: "response.created", response: {} })],
  ["openai-responses", JSON.stringify({ object: "response", output: [] })],
  ["anthropic", sse({ type: "ping" }, { type: "message_start", message: {} })],
  ["anthropic", 'event: content_block_stop\ndata: {"index":0}\n\n'],
  ["anthropic", JSON.stringify({ type: "message", content: [] })],
  ["gemini", JSON.stringify([{ usageMetadata: {} }, { candidates: [] }], undefined, 2)],
  ["gemini", sse({ candidates: [{ content: {} }] })],
  ["ollama", '{"message":{"role":"assistant","content":"H"},"done":false}\n{"message":{},"done":true}\n'],
  ["bedrock", '{"messageStart":{"role":"assistant"}}\n{"messageStop":{"stopReason":"end_turn"}}\n'],
  ["bedrock", JSON.stringify({ output: { message: { content: [] } }, stopReason: "end_turn" })],
  [undefined, sse({ error: { message: "Overloaded" } })],
  [undefined, "data: not JSON\n\n: ping\n\n"],
  [undefined, ""],
])("%s is told by the looks of its frames", (format, text) => {
  expect(detectStream(text)).toBe(format);
});

test("the first frame that only one format has tells, wherever it stands", () => {
  const pings = ": keep-alive\n\ndata: \n\n".repeat(10_000);
  expect(detectStream(pings + sse({ candidates: [] }))).toBe("gemini");
});

test("the events of a captured text are its frames", () => {
  const text = 'event: a\ndata: {"b":1}\n\n: ping\n\ndata: \n\ndata: 1\ndata: 2\n\ndata: [DONE]\n\n';
  expect(streamEvents(text)).toEqual([
    { data: '{"b":1}', event: "a" },
    { data: "1\n2", event: undefined },
  ]);
});
