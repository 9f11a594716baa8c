import { wrapFetch } from "undangle";
import type { WireRepair } from "undangle";
import { describe, expect, test } from "vitest";

import { chunk, done, events, passedThrough } from "../clients/passed-through.ts";

/** Paths that end as those of a format do are also other people's, whose messages were rewritten or taken away. */
const call = { id: "a1b2c3d4e", type: "function", function: { name: "search", arguments: '{"to":"LIS"}' } };
const dangling = [
  { role: "user", content: "Find a flight." },
  { role: "assistant", content: "", tool_calls: [call] },
  { role: "user", content: "Well?" },
];
const chat = dangling.with(2, { role: "tool", tool_call_id: call.id, name: "search", content: "TP 571" } as never);
const blocks = [
  { role: "user", content: "Find a flight." },
  { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "search", input: {} }] },
  { role: "user", content: "Well?" },
];
const ui = [
  { id: "1", role: "user", parts: [{ type: "text", text: "Hi." }] },
  { id: "2", role: "assistant", parts: [{ type: "tool-f", toolCallId: "t", state: "input-available", input: {} }] },
];
const own = [
  { role: "user", content: "Hi.", at: 1 },
  { role: "bot", text: "Hello." },
];

interface Sent {
  readonly body: string;
  readonly told: readonly WireRepair[];
}

/** What is sent of a request. */
async function sentTo(url: string, body: object, headers: Record<string, string> = {}): Promise<Sent> {
  const told: WireRepair[] = [];
  const sent: unknown[] = [];
  const fetch = wrapFetch({
    logger: false,
    onRepair: (repair) => void told.push(repair),
    fetch: async (_, init) => {
      sent.push(init?.body);
      return new Response("no", { status: 400 });
    },
  });
  await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  return { body: String(sent[0]), told };
}

const onVertex = (publisher: string, model: string, verb = "rawPredict"): string =>
  `https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/l/publishers/${publisher}/models/${model}:${verb}`;

describe("models of other publishers on Vertex", () => {
  test.each([
    [onVertex("mistralai", "mistral-large-2411"), { model: "mistral-large-2411", messages: chat }],
    [onVertex("mistralai", "mistral-large@2411", "streamRawPredict"), { messages: chat, stream: true }],
    [onVertex("mistralai", "mistral-small-2503"), { messages: [{ role: "system", content: "Be brief." }, ...chat] }],
    [onVertex("mistralai", "codestral-2501", "streamRawPredict"), { model: "codestral-2501", prompt: "def f(" }],
    [onVertex("ai21", "jamba-1.5-large"), { model: "jamba-1.5-large", messages: chat }],
    [onVertex("somebody", "else"), { model: "else", messages: chat }],
    ["https://my.app/models/mine:rawPredict", { model: "mine", messages: [{ role: "bot", text: "Hi." }] }],
    ["https://my.app/v1/endpoints/123:rawPredict", { model: "mine", messages: chat }],
  ])("get healthy requests as they are: %s", async (url, body) => {
    expect(await sentTo(url, body)).toEqual({ body: JSON.stringify(body), told: [] });
  });

  test.each([
    [onVertex("mistralai", "mistral-large-2411"), { messages: dangling }, "openai-chat"],
    [onVertex("ai21", "jamba-1.5-large"), { messages: dangling }, "openai-chat"],
    [onVertex("anthropic", "claude-sonnet-4-5", "streamRawPredict"), { messages: blocks }, "anthropic"],
    ["https://my.app/v1/endpoints/123:rawPredict", { anthropic_version: "v", messages: blocks }, "anthropic"],
  ])("get broken ones mended by their own rules: %s", async (url, body, format) => {
    const { body: sent, told } = await sentTo(url, body);
    expect(told).toMatchObject([{ format, isChanged: true, problems: [] }]);
    const roles = (JSON.parse(sent) as { readonly messages: readonly { role: string }[] }).messages.map(
      ({ role }) => role,
    );
    expect(roles.slice(0, 3)).toEqual(["user", "assistant", format === "anthropic" ? "user" : "tool"]);
  });

  test("have their answers mended as well", async () => {
    const { id: _, ...nameless } = call;
    const url = onVertex("mistralai", "mistral-large-2411", "streamRawPredict");
    const request = { messages: [{ role: "user", content: "Hi." }] };
    const body = events(chunk({ role: "assistant", tool_calls: [{ index: 0, ...nameless }] }, "tool_calls"), done);
    const { text, told } = await passedThrough({ url, request, body });
    expect(text).toMatch(/"id":"\w+","type":"function"/u);
    expect(told).toMatchObject([{ format: "openai-chat" }]);
  });
});

describe("a request at a host that nobody knows", () => {
  test.each([
    ["/api/messages", { model: "gpt-4.1", messages: chat }],
    ["/api/messages", { model: "gpt-4.1", messages: dangling }],
    ["/api/messages", { model: "claude-sonnet-4-5", messages: own }],
    ["/api/messages", { model: "m", messages: ui }],
    ["/api/messages", { model: "m", messages: ["Hi."] }],
    ["/api/responses", { model: "gpt-4.1", input: chat }],
    ["/api/responses", { model: "gpt-4.1", input: [{ id: 1, value: "x" }] }],
    ["/chat/completions", { messages: ui }],
    ["/chat/completions", { model: "m", messages: [{ type: "human", data: { content: "Hi." } }] }],
  ])("with messages that are none of the format stays as it is: %s %j", async (path, body) => {
    expect(await sentTo(`https://my.app${path}`, body)).toEqual({ body: JSON.stringify(body), told: [] });
  });

  test.each<[path: string, body: object, headers?: Record<string, string>]>([
    ["/api/messages", { model: "m", messages: blocks }],
    ["/api/messages", { model: "m", messages: [{ role: "user", content: "" }] }],
    ["/api/messages", { model: "m", messages: dangling }, { "anthropic-version": "2023-06-01" }],
    ["/api/messages", { model: "m", messages: own }, { "user-agent": "Anthropic/JS 1.8.0" }],
    ["/anthropic/v1/messages", { model: "m", messages: dangling }],
    ["/api/messages", { model: "m", system: "Be brief.", messages: dangling }],
    ["/api/responses", { model: "m", input: [{ type: "function_call", call_id: "c", name: "f", arguments: "{}" }] }],
    ["/api/responses", { model: "m", input: chat }, { "user-agent": "OpenAI/JS 7.53.0" }],
    ["/api/responses", { model: "m", instructions: "Be brief.", input: chat }],
    ["/chat/completions", { messages: dangling }],
    ["/chat/completions", { model: "m", messages: ui, stream_options: {} }],
  ])("with a sign of the format is mended: %s %j", async (path, body, headers) => {
    const { told } = await sentTo(`https://my.app${path}`, body, headers);
    expect(told).toMatchObject([{ isChanged: true }]);
  });
});
