import { wrapFetch } from "undangle";
import { wireServer } from "undangle/testing";
import { describe, expect, test } from "vitest";

/** A gateway has a host that nobody knows, and the rules of whoever makes the model: its requests were refused. */
const call = { id: "call_PTLP8xhu3uwZk4l3nlnrrJha", type: "function", function: { name: "f", arguments: '{"x":1}' } };
const messages = [
  { role: "user", content: "Hi." },
  { role: "assistant", content: "", tool_calls: [call] },
  { role: "tool", tool_call_id: call.id, content: "1" },
];
const empty = [
  { role: "user", content: "Hi." },
  { role: "assistant", content: "" },
  { role: "user", content: "Well?" },
];

/** Asks a strict server of a provider through a `fetch` that nobody tells whose it is; gives the status. */
async function statusOf(provider: string, body: object, isBare = false): Promise<number> {
  const server = await wireServer({ provider });
  const fetch = isBare ? globalThis.fetch : wrapFetch({ logger: false });
  const response = await fetch(`${server.url}/v1/chat/completions`, { method: "POST", body: JSON.stringify(body) });
  await response.text();
  await server.close();
  return response.status;
}

describe("the name of a model tells whose rules hold where the host does not", () => {
  test.each([
    ["mistral", "mistral-large-latest", { messages }],
    ["mistral", "mistral/devstral-medium-2507", { messages }],
    ["mistral", "open-mixtral-8x22b", { messages }],
    ["deepseek", "deepseek-v4-pro", { messages, thinking: { type: "enabled" } }],
    ["moonshot", "kimi-k2.5", { messages: empty }],
    ["zhipu", "glm-4.6", { messages: empty }],
    ["xai", "grok-4.3", { messages: empty }],
  ])("%s: %s", async (provider, model, body) => {
    expect(await statusOf(provider, { model, ...body }, true)).toBe(400);
    expect(await statusOf(provider, { model, ...body })).toBe(200);
  });
});

test("the option provider and a host that is known count for more", async () => {
  const sent: unknown[] = [];
  const send: typeof fetch = async (_, init) => {
    sent.push(init?.body);
    return new Response("no", { status: 400 });
  };
  const body = JSON.stringify({ model: "mistral-large-latest", messages });
  const ask = (url: string, provider?: string): Promise<Response> =>
    wrapFetch({ logger: false, provider, fetch: send })(url, { method: "POST", body });
  await ask("https://api.openai.com/v1/chat/completions");
  await ask("https://host.example/v1/chat/completions", "openai");
  expect(sent).toEqual([body, body]);
});
