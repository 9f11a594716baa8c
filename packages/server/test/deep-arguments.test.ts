import { tool } from "undangle/agent";
import { anthropic, gemini, ollama, openai, openaiCompatible } from "undangle/models";
import { scriptedModel, wireServer } from "undangle/testing";
import { describe, expect, onTestFinished, test } from "vitest";

import { serve } from "./serve-fixture.ts";
import type { Served } from "./serve-fixture.ts";

/** The stack overflows at about 3,000 levels when code copies a value, and at about 5,000 when `JSON.stringify` writes it. */
const deepTexts = [
  ["3,000 lists", `{"a":${"[".repeat(3000)}${"]".repeat(3000)}}`],
  ["6,000 lists", `{"a":${"[".repeat(6000)}${"]".repeat(6000)}}`],
  ["20,000 objects", `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`],
] as const;

const user = { role: "user", content: "Pay." };
const functionCall = (text: string) => ({ id: "a", type: "function", function: { name: "pay", arguments: text } });
const chat = (text: string): readonly object[] => [
  user,
  { role: "assistant", content: null, tool_calls: [functionCall(text)] },
  { role: "tool", tool_call_id: "a", content: text },
];
const histories: Readonly<Record<string, (text: string) => unknown>> = {
  "openai-chat": chat,
  "openai-responses": (text) => ({
    input: [
      user,
      { type: "function_call", call_id: "a", name: "pay", arguments: text },
      { type: "function_call_output", call_id: "a", output: text },
    ],
  }),
  anthropic: (text) => [
    user,
    { role: "assistant", content: [{ type: "tool_use", id: "a", name: "pay", input: text }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: text }] },
  ],
  gemini: (text) => ({
    contents: [
      { role: "user", parts: [{ text: "Pay." }] },
      { role: "model", parts: [{ functionCall: { name: "pay", args: text } }] },
      { role: "user", parts: [{ functionResponse: { name: "pay", response: text } }] },
    ],
  }),
  bedrock: (text) => [
    { role: "user", content: [{ text: "Pay." }] },
    { role: "assistant", content: [{ toolUse: { toolUseId: "a", name: "pay", input: text } }] },
    { role: "user", content: [{ toolResult: { toolUseId: "a", content: [{ text }] } }] },
  ],
  ollama: (text) => [
    user,
    { role: "assistant", content: "", tool_calls: [{ function: { name: "pay", arguments: text } }] },
    { role: "tool", tool_name: "pay", content: text },
  ],
  "ai-sdk": (text) => [
    user,
    { role: "assistant", content: [{ type: "tool-call", toolCallId: "a", toolName: "pay", input: text }] },
    {
      role: "tool",
      content: [{ type: "tool-result", toolCallId: "a", toolName: "pay", output: { type: "text", value: text } }],
    },
  ],
  langchain: (text) => [
    { type: "human", content: "Pay." },
    { type: "ai", content: "", tool_calls: [{ id: "a", name: "pay", args: text }] },
    { type: "tool", tool_call_id: "a", content: text },
  ],
};
const formats = Object.keys(histories);

const views = ["", "?contents=pending", "/entries", "/trace", "/repairs", "/export"].map((view) => `/threads/t${view}`);
const routes = ["/threads", "/queue", ...views, ...formats.map((format) => `/threads/t/export?format=${format}`)];

/** The routes that do not respond with 200. */
async function failing({ call }: Served, more: readonly string[] = []): Promise<readonly string[]> {
  const found: string[] = [];
  for (const route of [...routes, ...more]) {
    const { status } = await call("GET", route);
    if (status !== 200) found.push(`${route} ${status}`);
  }
  return found;
}

describe.each(deepTexts)("arguments and results of %s", (_, text) => {
  test.each(formats)("can be imported in the format %s, and shown and continued everywhere", async (format) => {
    const served = serve({ turns: [{ text: "Done." }] });
    const body = { id: "t", format, history: histories[format]?.(text) };
    expect((await served.call("POST", "/threads/import", body)).status).toBe(201);
    const message = await served.call("POST", "/threads/t/messages?wait=true", { content: "Well?" });
    expect(message.body["status"]).toBe("done");
    expect(await failing(served, ["/threads/t/export?format=original"])).toEqual([]);
    const { text: shown } = await served.call("GET", "/threads/t/export?format=openai-chat");
    expect(shown).toContain(JSON.stringify(text)); // nothing is lost on the way
    const { body: exported } = await served.call("GET", "/threads/t/export");
    expect((await served.call("POST", "/threads/import", { id: "u", history: exported })).status).toBe(201);
  });

  test("cannot be imported as a call that waits for a decision", async () => {
    const { call } = serve();
    const action = { functionCall: { id: "a", name: "pay", arguments: text } };
    const { status, body } = await call("POST", "/threads/import", {
      id: "t",
      history: { messages: [user], pendingAction: action },
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { code: "input/too-deep" } });
    expect((await call("GET", "/threads/t")).status).toBe(404);
  });

  test("do not break a conversation without stored thread", async () => {
    const { call } = serve({ turns: [{ text: "Done." }] });
    const messages = [...chat(text), { role: "user", content: "Well?" }];
    expect((await call("POST", "/v1/chat/completions", { model: "helper", messages })).status).toBe(200);
  });
});

const providers = {
  "openai-chat": (baseURL: string) => openaiCompatible({ baseURL, ...settings })("m"),
  "openai-responses": (baseURL: string) => openai("m", { baseURL, ...settings }),
  anthropic: (baseURL: string) => anthropic("m", { baseURL, ...settings }),
  gemini: (baseURL: string) => gemini("m", { baseURL, ...settings }),
  ollama: (baseURL: string) => ollama("m", { baseURL, ...settings }),
} as const;
/** They send an object, which the server of the test cannot write with more levels either. */
const sendObjects: ReadonlySet<string> = new Set(["gemini", "ollama"]);
const settings = { apiKey: "k", env: {}, retryDelay: 1 };

const ran: unknown[] = [];
const pay = tool({
  name: "pay",
  description: "Pays.",
  input: { type: "object", properties: {}, additionalProperties: true },
  approval: true,
  execute(args) {
    ran.push(args);
    return "paid";
  },
});

const names = Object.keys(providers) as (keyof typeof providers)[];

describe.each(deepTexts)("a call with %s", (levels, text) => {
  test.each(names.filter((name) => levels === "3,000 lists" || !sendObjects.has(name)))(
    "of a model of %s does not run, and the model is informed",
    async (provider) => {
      ran.length = 0;
      const wire = await wireServer({ turns: [{ calls: [{ name: "pay", raw: text }] }, { text: "Sorry." }] });
      onTestFinished(() => wire.close());
      const model = providers[provider](wire.baseUrl(provider));
      const served = serve({ config: { agents: { helper: { model, tools: [pay] } } } });
      const { call } = served;
      await call("POST", "/threads", { id: "t" });
      const { body } = await call("POST", "/threads/t/messages?wait=true", { content: "Pay." });
      expect(body).toMatchObject({ status: "done", text: "Sorry." });
      expect(ran).toEqual([]);
      const { body: thread } = await call("GET", "/threads/t");
      expect(thread["calls"]).toMatchObject([{ arguments: text, status: "failed" }]);
      expect(JSON.stringify(wire.requests.at(-1)?.body)).toContain("nested too deeply");
      const turns = [1, 2].flatMap((n) => ["request", "response"].map((side) => `/threads/t/responses/${n}/${side}`));
      expect(await failing(served, turns)).toEqual([]);
    },
  );

  test("keeps its event stream open", async () => {
    const { app, call } = serve({
      agent: { tools: [pay] },
      turns: [{ calls: [{ name: "pay", raw: text }] }, { text: "Sorry." }],
    });
    const url = await app.listen({ port: 0 });
    await call("POST", "/threads", { id: "t" });
    const { body } = await fetch(`${url}/threads/t/events?after=0`);
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    await call("POST", "/threads/t/messages?wait=true", { content: "Pay." });
    let events = "";
    for (let isDone = false; !isDone && !events.includes("event: run_end");) {
      const read = await reader?.read();
      isDone = read?.done !== false;
      events += read?.value ?? "";
    }
    expect(events).toContain("event: tool_call_end");
    expect(events).toContain("event: run_end");
    await reader?.cancel();
  });
});

test("a call that waits is shown with arguments of 400 levels, and an edit of 600 is refused", async () => {
  const text = `{"a":${"[".repeat(399)}${"]".repeat(399)}}`;
  const served = serve({ agent: { tools: [pay] }, turns: [{ calls: [{ name: "pay", raw: text }] }] });
  await served.call("POST", "/threads", { id: "t" });
  await served.call("POST", "/threads/t/messages?wait=true", { content: "Pay." });
  const { body } = await served.call("GET", "/threads/t");
  expect(body["pending"]).toMatchObject([{ arguments: JSON.parse(text) as unknown }]);
  expect(await failing(served)).toEqual([]);
  const edit = { type: "edit", arguments: JSON.parse(`{"a":${"[".repeat(600)}${"]".repeat(600)}}`) as unknown };
  const refused = await served.call("POST", "/threads/t/decisions", { decisions: { call_1: edit } });
  expect(refused.body).toMatchObject({ error: { code: "too-deep" } });
});

test.each([500, 3000, 20_000])("a result of %i nested lists is a text, or a failure that says why", async (levels) => {
  const deep = tool({
    name: "pay",
    description: "Pays.",
    execute() {
      let value: unknown[] = [];
      for (let i = 0; i < levels; i++) value = [value];
      return value;
    },
  });
  const model = scriptedModel([{ calls: [{ name: "pay", arguments: {} }] }, { text: "Done." }]);
  const served = serve({ config: { agents: { helper: { model, tools: [deep] } } } });
  await served.call("POST", "/threads", { id: "t" });
  const { body } = await served.call("POST", "/threads/t/messages?wait=true", { content: "Pay." });
  expect(body["status"]).toBe("done");
  expect(await failing(served, ["/threads/t/responses/1/response", "/threads/t/responses/2/request"])).toEqual([]);
});
