import { assembleBody } from "#codecs";
import { createAgent, memoryStore, tool } from "undangle/agent";
import type { Agent, ModelExchange, ModelRequest, Thread } from "undangle/agent";
import { fallback, openaiCompatible } from "undangle/models";
import { scriptedModel, wireServer } from "undangle/testing";
import type { ScriptedTurn, WireServer } from "undangle/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";

import { families } from "./families.ts";
import type { Family } from "./families.ts";
import { hear } from "./asking.ts";

const add = tool({ name: "add", description: "Adds.", input: z.object({ a: z.number() }), execute: () => "3" });
const turns: readonly ScriptedTurn[] = [
  {
    text: "I add.",
    calls: [
      { name: "add", arguments: { a: 1 } },
      { name: "add", arguments: { a: 2 } },
    ],
  },
  { text: "Three." },
];

async function serving({ provider }: Family, played = turns): Promise<WireServer> {
  const server = await wireServer({ turns: played, ...(provider !== undefined && { provider }) });
  onTestFinished(() => server.close());
  return server;
}

const userMessage = (text: string): ModelRequest["messages"][number] => ({
  role: "user",
  path: "",
  name: undefined,
  parts: [{ type: "text", path: "", text }],
});

const agentOf = (model: Parameters<typeof createAgent>[0]["model"]): Agent =>
  createAgent({ model, instructions: "Be brief.", tools: [add], store: memoryStore() });

describe("thread.exchange()", () => {
  test.each(families)("writes the request that $name got, and its response", async (family) => {
    const server = await serving(family);
    const thread: Thread = agentOf(family.make(server.baseUrl(family.format), { temperature: 0.5 })).thread("t");
    await thread.send("Add 1 and 2.").result;
    for (const [i, entry] of [1, 2].entries()) {
      const exchange = await thread.exchange(entry);
      expect(exchange).toMatchObject({ format: family.format });
      expect(exchange?.request).toStrictEqual(server.requests[i]?.body);
      const body = exchange?.response ?? {};
      const turn = await assembleBody(body, { format: family.format, tools: [add], isOver: true }).turn();
      expect(turn.text).toBe(turns[i]?.text);
      expect(turn.calls.map((call) => call.arguments)).toStrictEqual(
        (turns[i]?.calls ?? []).map((call) => call.arguments),
      );
      expect(turn.finish).toBe(i === 0 ? "tool_calls" : "stop");
    }
  });

  test("knows the model that a fallback has used", async () => {
    const family = families.find(({ name }) => name === "anthropic");
    if (family === undefined) throw new Error("There is no such family.");
    const server = await serving(family);
    const broken = family.make("http://127.0.0.1:1", { name: "broken", retries: 0 });
    const thread = agentOf(fallback(broken, family.make(server.baseUrl("anthropic")))).thread("t");
    await thread.send("Add 1 and 2.").result;
    expect(await thread.exchange(1)).toMatchObject({
      format: "anthropic",
      request: { model: "claude-sonnet-4-5", system: "Be brief." },
    });
  });

  test("uses OpenAI's format for a model that writes no bodies, and hides what looks like a key", async () => {
    const key = "sk-proj-abcdefgh12345678";
    const thread = agentOf(scriptedModel([{ text: `It is ${key}.` }])).thread("t");
    await thread.send(`My key is ${key}.`).result;
    const exchange = await thread.exchange(1);
    expect(exchange).toMatchObject({
      format: "openai-chat",
      request: {
        messages: [
          { role: "system", content: "Be brief." },
          { role: "user", content: "My key is ***." },
        ],
        tools: [{ type: "function", function: { name: "add" } }],
      },
      response: { choices: [{ message: { role: "assistant", content: "It is ***." }, finish_reason: "stop" }] },
    });
  });

  test("has the address and the headers, with variables in place of secrets", async () => {
    const thread = (model: Parameters<typeof createAgent>[0]["model"]): Thread => agentOf(model).thread("t");
    const targetOf = async (each: Thread): Promise<unknown> => {
      await each.send("Hi.").result;
      return (await each.exchange(1))?.target;
    };
    const reply = () =>
      Promise.resolve(
        new Response('data: {"choices":[{"delta":{"content":"Hi."},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n', {
          headers: { "content-type": "text/event-stream" },
        }),
      );
    const deepseek = openaiCompatible({
      provider: "deepseek",
      apiKey: "sk-abcdefgh12345678",
      headers: { "X-Gateway-Token": "hidden", "X-Team": "blue" },
      fetch: reply,
    })("deepseek-chat");
    expect(await targetOf(thread(deepseek))).toStrictEqual({
      url: "https://api.deepseek.com/v1/chat/completions",
      headers: {
        "content-type": "application/json",
        authorization: "Bearer $DEEPSEEK_API_KEY",
        "x-gateway-token": "$X_GATEWAY_TOKEN",
        "x-team": "blue",
      },
      variables: ["X_GATEWAY_TOKEN", "DEEPSEEK_API_KEY"],
    });
    const local = openaiCompatible({
      baseURL: "http://user:secret@127.0.0.1:8000/v1?key=hidden",
      env: {},
      fetch: reply,
    });
    expect(await targetOf(thread(local("m")))).toStrictEqual({
      url: expect.stringMatching(/^http:\/\/\*\*\*@127\.0\.0\.1:8000\/v1\?key=\*\*\*/u) as unknown,
      headers: { "content-type": "application/json" },
      variables: [],
    });
    expect(await targetOf(thread(scriptedModel([{ text: "Hi." }])))).toBeUndefined();
  });

  test("finds the model of a turn among others, if the agent has another one by now", async () => {
    const family = families.find(({ name }) => name === "anthropic");
    if (family === undefined) throw new Error("There is no such family.");
    const server = await serving(family);
    const store = memoryStore();
    const claude = family.make(server.baseUrl("anthropic"));
    await createAgent({ model: claude, tools: [add], store })
      .thread("t")
      .send("Add.").result;
    const thread = createAgent({ model: scriptedModel([]), tools: [add], store }).thread("t");
    expect(await thread.exchange(1)).toMatchObject({ format: "openai-chat" });
    expect(await thread.exchange(1, { models: [claude] })).toMatchObject({
      format: "anthropic",
      response: { model: "claude-sonnet-4-5" },
    });
  });

  test("omits what came later, and what was retracted before", async () => {
    const thread = agentOf(scriptedModel([{ text: "One." }, { text: "Two." }, { text: "Three." }])).thread("t");
    await thread.send("Count.").result;
    await thread.regenerate().result;
    await thread.send("And on.").result;
    const contents = async (entry: number): Promise<unknown> => {
      const { messages } = (await thread.exchange(entry))?.request ?? {};
      return (messages as readonly { readonly content: unknown }[]).map(({ content }) => content); // OpenAI's
    };
    expect(await contents(1)).toStrictEqual(["Be brief.", "Count."]);
    expect(await contents(3)).toStrictEqual(["Be brief.", "Count."]);
    expect(await contents(5)).toStrictEqual(["Be brief.", "Count.", "Two.", "And on."]);
  });

  test.each([0, 7, -1, 0.5])("gives nothing for entry %d, which is not a turn", async (entry) => {
    const thread = agentOf(scriptedModel([{ text: "One." }])).thread("t");
    await thread.send("Count.").result;
    expect(await thread.exchange(entry)).toBeUndefined();
  });

  test("gives nothing for an imported turn, which no model was asked for", async () => {
    const thread = agentOf(scriptedModel([])).thread("t");
    await thread.import([
      { role: "user", content: "Hi." },
      { role: "assistant", content: "Hello." },
    ]);
    expect(await thread.exchange(2)).toBeUndefined();
  });
});

describe("onExchange of a request", () => {
  test.each(families)("gets the texts that $name got and sent, without the key", async (family) => {
    const server = await serving(family, [{ text: "Yes." }]);
    const exchanges: ModelExchange[] = [];
    await hear(family.make(server.baseUrl(family.format)), {
      messages: [userMessage("My key is test-key-0123456789.")],
      onExchange: (each) => void exchanges.push(each),
    });
    const [only] = exchanges;
    expect(exchanges).toHaveLength(1);
    const sent = JSON.stringify(server.requests[0]?.body);
    expect(sent).toContain("test-key-0123456789");
    expect(JSON.parse(only?.request ?? "")).toStrictEqual(JSON.parse(sent.replace("test-key-0123456789", "***")));
    expect(only?.format).toBe(family.format);
    expect(only?.target?.url).toContain(server.requests[0]?.path ?? "");
    expect(JSON.stringify(only?.target)).not.toContain("test-key");
    expect(only?.response).toContain("Yes.");
  });

  test("gets every attempt, also a refused one", async () => {
    const [, family] = families;
    if (family === undefined) throw new Error("There is no such family.");
    const server = await serving(family, [{ error: { status: 503, message: "busy now" } }, { text: "Yes." }]);
    const responses: string[] = [];
    await hear(family.make(server.baseUrl(family.format)), {
      onExchange: ({ response }) => void responses.push(response),
    });
    expect(responses).toStrictEqual([expect.stringContaining("busy now"), expect.stringContaining("Yes.")]);
  });
});
