import { describe, expect, test } from "vitest";

import { ping, start } from "../clients/message-events.ts";
import { chunk, done, events, named, passedThrough, ways } from "../clients/passed-through.ts";

/** A stream that broke off before a word was said was taken for an answer without words. */
const asked = { model: "m", stream: true, max_tokens: 9, messages: [], input: "Hi.", contents: [] };
const urls = {
  chat: "https://host.example/v1/chat/completions",
  messages: "https://host.example/v1/messages",
  responses: "https://host.example/v1/responses",
  gemini: "https://host.example/v1beta/models/g:streamGenerateContent?alt=sse",
  ollama: "http://127.0.0.1:11434/api/chat",
};
const role = chunk({ role: "assistant", content: "" });
const created = named({ type: "response.created", response: { id: "r", status: "in_progress", output: [] } });
const line = `${JSON.stringify({ model: "m", message: { role: "assistant", content: "" }, done: false })}\n`;
const metadata = { usageMetadata: { promptTokenCount: 1 } };
const blocked = { promptFeedback: { blockReason: "SAFETY" }, ...metadata };

describe.each(ways)("in pieces of $size, calls: $toolCalls", (way) => {
  test.each([
    ["chat", urls.chat, events(role)],
    ["chat, told by usage only", urls.chat, events({ ...role, choices: [], usage: { total_tokens: 1 } })],
    ["messages", urls.messages, start + ping],
    ["responses", urls.responses, created],
    ["Gemini", urls.gemini, events(metadata)],
    ["Ollama", urls.ollama, line],
  ])("an answer without a word and without an end ends in an error: %s", async (_, url, body) => {
    const type = url === urls.ollama ? "application/x-ndjson" : "text/event-stream";
    const { text, error, told } = await passedThrough({ url, request: asked, ...way, type, body });
    expect(text).toBe(body);
    expect(error).toBe("Error: The response was cut off: the stream ended too early");
    expect(told).toMatchObject([{ error: "the stream ended too early" }]);
  });

  test.each([
    ["an end alone", urls.chat, events(role, chunk({}, "stop"), done)],
    ["a limit of length", urls.chat, events(role, chunk({}, "length"))],
    ["a prompt that was refused", urls.gemini, events(blocked)],
    ["nothing at all", urls.chat, ""],
    ["signs of life only", urls.messages, ping],
    ["comments only", urls.chat, ": hello\n\n"],
    ["somebody else's events", urls.chat, events({ kind: "token" })],
  ])("what has an end, or is none of the format, passes: %s", async (_, url, body) => {
    expect(await passedThrough({ url, request: asked, ...way, body })).toMatchObject({ text: body, error: undefined });
  });
});
