import { describe, expect, test } from "vitest";

import { chunk, done, events, named, passedThrough, ways } from "../clients/passed-through.ts";

/** Whatever is left out of an answer, or written in another way, is told: some was not. */
const request = { model: "m", stream: true, max_tokens: 9, messages: [], input: "Hi.", contents: [] };
const chat = "https://host.example/v1/chat/completions";
const gemini = "https://host.example/v1beta/models/g:streamGenerateContent?alt=sse";
const role = chunk({ role: "assistant", content: "" });
const says = chunk({ content: "Hé" });
const stop = chunk({}, "stop");
const call = { index: 0, id: "a", type: "function", function: { name: "f", arguments: '{"x":1}' } };
const called = chunk({ tool_calls: [call] });
const ended = chunk({}, "tool_calls");
const part = (given: object, more: object = {}): object => ({
  candidates: [{ content: { role: "model", parts: [given] }, index: 0, ...more }],
});
const line = (message: object, isDone: boolean): string =>
  `${JSON.stringify({ model: "m", message: { role: "assistant", content: "", ...message }, done: isDone })}\n`;
const item = { id: "i", type: "function_call", call_id: "a", name: "f", arguments: "", status: "in_progress" };
const response = (status: string): object => ({
  response: { id: "r", status, output: [], error: { code: "e", message: "Bad" } },
});

describe.each(ways)("what was changed is told once, in pieces of $size, calls: $toolCalls", (way) => {
  test.each([
    ["a mark at the beginning", chat, `\ufeff${events(role, says, stop, done)}`],
    ["the same before a call", chat, `\ufeff${events(role, called, ended, done)}`],
    ["an event without data", chat, events(role, "data:\n\n", says, stop, done)],
    ["the same before all", chat, events("data:\n\n", role, says, stop, done)],
    ["the same behind a call", chat, events(role, called, "data:\n\n", ended, done)],
    ["an event that is no JSON", chat, events(role, "data: ping\n\n", says, stop, done)],
    ["line breaks that not all clients know", chat, events(role, says, stop, done).replaceAll("\n", "\r")],
    ["an event whose end was forgotten", chat, events(role, says, stop).trimEnd()],
    ["a mark that is none of Google's", gemini, events(part({ text: "Hé" }, { finishReason: "STOP" }), done)],
    ["a comment that has no end there", gemini, `${events(part({ text: "Hé" }, { finishReason: "STOP" }))}: bye\n`],
    ["a line that is no JSON", ollama(), `${line({ content: "Hé" }, false)}ping\n${line({}, true)}`],
    ["a call before an error", chat, events(role, called, { error: { message: "Bad" } })],
    ["a call together with one", chat, events(role, chunk({ tool_calls: [call] }, "error"))],
    [
      "a call of a response that failed",
      "https://host.example/v1/responses",
      named(
        { type: "response.created", ...response("in_progress") },
        { type: "response.output_item.added", output_index: 0, item },
        { type: "response.failed", ...response("failed") },
      ),
    ],
    [
      "a call of Gemini's that is malformed",
      gemini,
      events(
        part({ functionCall: { name: "f", args: {} } }),
        part({ text: "" }, { finishReason: "MALFORMED_FUNCTION_CALL" }),
      ),
    ],
  ])("%s", async (_, url, body) => {
    const type = url === ollama() ? "application/x-ndjson" : "text/event-stream";
    const { text, error, told } = await passedThrough({ url, request, ...way, type, body });
    expect({ text, error }).not.toEqual({ text: body, error: undefined });
    expect(told).toHaveLength(1);
    expect(told[0]?.error === undefined).toBe(error === undefined);
  });
});

test("an error that breaks the body off is told", async () => {
  const { error, told } = await passedThrough({
    url: chat,
    request,
    body: events(role, { object: "error", message: "Bad", code: 503 }),
  });
  expect(error).toBe("Error: Bad");
  expect(told).toMatchObject([{ error: "Bad" }]);
});

test("an error that passes as it came is not", async () => {
  const { told } = await passedThrough({ url: chat, request, body: events(role, says, { error: { message: "Bad" } }) });
  expect(told).toEqual([]);
});

function ollama(): string {
  return "http://127.0.0.1:11434/api/chat";
}
