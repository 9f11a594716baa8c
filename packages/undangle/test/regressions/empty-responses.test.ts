import { createAgent } from "undangle/agent";
import { anthropic, gemini, mistral, ollama, openai, openaiCompatible } from "undangle/models";
import type { HttpModelOptions, Model } from "undangle/models";
import { describe, expect, test } from "vitest";

const event = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;
const done = "data: [DONE]\n\n";
const chunk = (more: object): object => ({ id: "c", object: "chat.completion.chunk", model: "m", ...more });
const role = chunk({ choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }] });
const usage = chunk({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 0, total_tokens: 1 } });
const message = { id: "m", type: "message", role: "assistant", content: [], model: "m", stop_reason: null };

/** Bodies of responses with the status 200 in which the model neither speaks nor says that it is done. */
const bodies: readonly [what: string, body: string][] = [
  ["nothing", ""],
  ["blank lines", "\n\n\n"],
  ["[DONE]", done],
  ["[DONE] without a line break", "data: [DONE]"],
  ["[DONE] twice", done + done],
  ["comments", ": keep-alive\n\n: keep-alive\n\n"],
  ["a comment and [DONE]", `: keep-alive\n\n${done}`],
  ["null and [DONE]", event(null) + done],
  ["an empty object and [DONE]", event({}) + done],
  ["a role and [DONE]", event(role) + done],
  ["a count of tokens and [DONE]", event(usage) + done],
  ["a ping", event({ type: "ping" })],
  ["the frame of a message", event({ type: "message_start", message }) + event({ type: "message_stop" })],
  ["the start of a response", event({ type: "response.created", response: { id: "r", status: "in_progress" } })],
  ["a count of tokens of Gemini", event({ usageMetadata: { promptTokenCount: 1 } })],
  ["an empty JSON object", "{}"],
  ["an empty JSON list", "[]"],
  ["null", "null"],
];

const models: readonly [name: string, make: (options: HttpModelOptions) => Model][] = [
  ["OpenAI", (options) => openai("gpt-5.1", options)],
  ["a compatible provider", (options) => openaiCompatible({ baseURL: "http://localhost/v1", ...options })("m")],
  ["Anthropic", (options) => anthropic("claude-sonnet-4-5", options)],
  ["Gemini", (options) => gemini("gemini-2.5-pro", options)],
  ["Mistral", (options) => mistral("mistral-large", options)],
  ["Ollama", (options) => ollama("llama", options)],
];

describe.each(models)("a stream of %s", (_, make) => {
  test.each(bodies)("that has only %s is an error, and the thread has no response", async (__, body) => {
    const headers = { "content-type": "text/event-stream" };
    const fetch = (): Promise<Response> => Promise.resolve(new Response(body, { headers }));
    const agent = createAgent({ model: make({ apiKey: "k", fetch, retries: 0 }) });
    const thread = agent.thread("t");
    const { status, error } = await thread.send("Hello").result;
    expect([status, error?.code]).toEqual(["failed", expect.stringMatching(/^model\/(?:unreachable|overloaded)$/u)]);
    expect(await thread.history("openai-chat")).toEqual([{ role: "user", content: "Hello" }]);
  });
});
