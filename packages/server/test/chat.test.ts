import { memoryStore, tool } from "undangle/agent";
import { defineConfig } from "undangle/config";
import { scriptedModel } from "undangle/testing";
import type { ScriptedAnswer } from "undangle/testing";
import OpenAI from "openai";
import { afterEach, describe, expect, test } from "vitest";

import { createServer } from "../src/index.ts";

const open: ReturnType<typeof createServer>[] = [];

afterEach(async () => {
  for (const app of open.splice(0)) await app.close();
});

const lookUp = tool({ name: "look_up", description: "Looks up.", execute: () => "sunny" });
const pay = tool({ name: "pay", description: "Pays.", approval: true, execute: () => "paid" });

/** A server whose model says what the script says, and a client of it. */
async function serve(turns: readonly ScriptedAnswer[] = []) {
  const model = scriptedModel(turns);
  const config = defineConfig({ agents: { helper: { model, instructions: "Be brief.", tools: [lookUp, pay] } } });
  const app = createServer({ store: memoryStore(), config, env: {} });
  open.push(app);
  const baseURL = `${await app.listen({ port: 0, host: "127.0.0.1" })}/v1`;
  return { app, model, baseURL, client: new OpenAI({ baseURL, apiKey: "none", maxRetries: 0 }) };
}

type Message = OpenAI.ChatCompletionMessageParam;
const clientTool: OpenAI.ChatCompletionTool = {
  type: "function",
  function: { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } },
};

describe("a chat with tools of the server", () => {
  const story: readonly ScriptedAnswer[] = [
    {
      text: "I look.",
      calls: [{ name: "look_up" }],
      usage: { input_tokens: 20, output_tokens: 3, cache_read_input_tokens: 100 },
    },
    { text: "It is sunny.", usage: { prompt_tokens: 30, completion_tokens: 4 } },
  ];

  test("is one answer, and the conversation is kept with its calls", async () => {
    const { app, client } = await serve(story);
    const answer = await client.chat.completions.create({
      model: "helper",
      messages: [{ role: "user", content: "Hi" }],
    });
    expect(answer.choices[0]).toMatchObject({
      finish_reason: "stop",
      message: { role: "assistant", content: "I look.\n\nIt is sunny." },
    });
    const { thread_id: id } = (answer as unknown as { undangle: { thread_id: string } }).undangle;
    const { thread } = await app.service.projectThreads.open("default", id);
    expect((await thread.calls()).map(({ name, status }) => [name, status])).toEqual([["look_up", "succeeded"]]);
  });

  test("streams the same: the role first, stable ids, usage when it is asked for", async () => {
    const { client } = await serve(story);
    const stream = await client.chat.completions.create({
      model: "helper",
      messages: [{ role: "user", content: "Hi" }],
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks[0]?.choices[0]?.delta.role).toBe("assistant");
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toBe("I look.\n\nIt is sunny.");
    expect(chunks.flatMap(({ choices }) => choices[0]?.finish_reason ?? [])).toEqual(["stop"]);
    expect(chunks.at(-1)?.choices).toEqual([]);
    expect(chunks.at(-1)?.usage).toEqual({
      prompt_tokens: 150, // of both answers, also what a cache of Anthropic had
      completion_tokens: 7,
      total_tokens: 157,
      prompt_tokens_details: { cached_tokens: 100 },
    });
  });

  test("a gated one ends the answer with a sentence that names it", async () => {
    const { app, client } = await serve([{ text: "I pay.", calls: [{ name: "pay" }] }, { text: "Paid." }]);
    const answer = await client.chat.completions.create({
      model: "helper",
      messages: [{ role: "user", content: "Pay" }],
    });
    expect(answer.choices[0]).toMatchObject({
      finish_reason: "stop",
      message: { content: "I pay.\n\nWaiting for approval of pay (call_1)." },
    });
    const { undangle } = answer as unknown as { undangle: { thread_id: string; status: string; pending: object[] } };
    expect(undangle).toMatchObject({ status: "waiting", pending: [{ id: "call_1", name: "pay" }] });
    const { thread } = await app.service.projectThreads.open("default", undangle.thread_id);
    expect((await thread.approveAll({ by: "me" }).result).text).toBe("Paid.");
  });
});

describe("a chat with tools of the caller", () => {
  const turns: readonly ScriptedAnswer[] = [
    { text: "Both.", calls: [{ name: "look_up" }, { name: "weather", arguments: { city: "Rome" } }] },
    { text: "Warm." },
  ];

  test.each([false, true])(
    "returns only theirs of a mixed turn, and finds the thread by their ids (streamed: %s)",
    async (streamed) => {
      const { model, client } = await serve(turns);
      const messages: Message[] = [{ role: "user", content: "Weather?" }];
      const ask = async (): Promise<OpenAI.ChatCompletionMessage> => {
        const body = { model: "helper", messages, tools: [clientTool] };
        if (!streamed)
          return (await client.chat.completions.create(body)).choices[0]?.message as OpenAI.ChatCompletionMessage;
        return (await client.chat.completions.stream(body).finalChatCompletion()).choices[0]
          ?.message as OpenAI.ChatCompletionMessage;
      };
      const first = await ask();
      expect(first.tool_calls).toHaveLength(1);
      const [call] = first.tool_calls ?? [];
      expect(call).toMatchObject({ type: "function", function: { name: "weather", arguments: '{"city":"Rome"}' } });
      messages.push(first, { role: "tool", tool_call_id: call?.id ?? "", content: "30 degrees" });
      expect((await ask()).content).toBe("Warm.");
      expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("30 degrees");
      expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("sunny");
    },
  );
});

describe("a thread that is named", () => {
  test("goes on with what is new, and refuses another history", async () => {
    const { client } = await serve([{ text: "One." }, { text: "Two." }]);
    const first = await client.chat.completions.create({
      model: "helper",
      messages: [{ role: "user", content: "1?" }],
    });
    const { thread_id: id } = (first as unknown as { undangle: { thread_id: string } }).undangle;
    const go = (messages: Message[]) =>
      client.chat.completions.create({
        model: "helper",
        messages,
        thread_id: id,
      } as OpenAI.ChatCompletionCreateParamsNonStreaming);
    await expect(
      go([
        { role: "user", content: "something else" },
        { role: "assistant", content: "One." },
        { role: "user", content: "2?" },
      ]),
    ).rejects.toMatchObject({ status: 409, param: "messages" });
    const second = await go([
      { role: "user", content: "1?" },
      { role: "assistant", content: "One." },
      { role: "user", content: "2?" },
    ]);
    expect(second.choices[0]?.message.content).toBe("Two.");
  });
});

test("a broken history is mended, and told in the headers", async () => {
  const { model, baseURL } = await serve([{ text: "Fine." }]);
  const call = { id: "call_a", type: "function", function: { name: "look_up", arguments: "{}" } };
  const messages = [
    { role: "user", content: "Hi" },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "user", content: "And?" },
  ];
  const answer = await fetch(`${baseURL}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ messages }),
  });
  expect([answer.status, answer.headers.get("x-undangle-edits")]).toEqual([200, "1"]);
  expect(model.requests).toHaveLength(1);
});

describe("what cannot be meant is refused by its name", () => {
  const said = [{ role: "user", content: "Hi" }];
  test.each([
    ["messages", {}],
    ["messages", { messages: [] }],
    ["messages[0].role", { messages: [{ role: "robot", content: "x" }] }],
    ["messages[0].content", { messages: [{ role: "user", content: 7 }] }],
    ["messages[0].content", { messages: [{ role: "user", content: Array.from({ length: 2001 }, () => "x") }] }],
    [
      "messages[0].tool_calls",
      { messages: [{ role: "assistant", tool_calls: Array.from({ length: 2001 }) }, ...said] },
    ],
    ["temperature", { messages: said, temperature: "hot" }],
    ["stream", { messages: said, stream: "yes" }],
    ["n", { messages: said, n: 2 }],
    ["tools[0].function.name", { messages: said, tools: [{ type: "function", function: { name: "a b" } }] }],
    ["tool_choice", { messages: said, tool_choice: "maybe" }],
    ["tool_choice", { messages: said, tool_choice: { type: "custom", function: { name: "gettime" } } }],
    ["tool_choice.function.name", { messages: said, tool_choice: { type: "function", function: { name: "gettime" } } }],
    [
      "tool_choice.function.name",
      { messages: said, tool_choice: { type: "function", function: { name: "look_up" } }, use_tools: false },
    ],
    ["messages", { messages: [{ role: "system", content: "Say hello." }] }],
    ["stream_options", { messages: said, stream_options: { include_usage: true } }],
    ["stream_options.include_usage", { messages: said, stream: true, stream_options: { include_usage: 1 } }],
    ["logprobs", { messages: said, logprobs: true }],
    ["top_logprobs", { messages: said, top_logprobs: 21 }],
    ["modalities", { messages: said, modalities: ["text", "audio"] }],
    ["frequency_penalty", { messages: said, frequency_penalty: 3 }],
    ["presence_penalty", { messages: said, presence_penalty: "none" }],
    ["logit_bias", { messages: said, logit_bias: [] }],
    ["metadata", { messages: said, metadata: "x" }],
    ["store", { messages: said, store: "yes" }],
  ])("%s", async (param, body) => {
    const { app } = await serve();
    const answer = await app.inject({ method: "POST", url: "/v1/chat/completions", payload: body });
    expect([answer.statusCode, answer.json<{ error: { param: string } }>().error.param]).toEqual([400, param]);
  });

  test("a tool that is to be called may be the persona's, the caller's, or the caller's of before", async () => {
    const { app, model } = await serve(Array.from({ length: 3 }, () => ({ text: "Hi." })));
    const ask = (name: string, more: object) =>
      app.inject({
        method: "POST",
        url: "/v1/chat/completions",
        payload: { messages: said, tool_choice: { type: "function", function: { name } }, ...more },
      });
    expect((await ask("look_up", {})).statusCode).toBe(200);
    const own = await ask("weather", { tools: [clientTool] });
    expect(own.statusCode).toBe(200);
    const { thread_id } = own.json<{ undangle: { thread_id: string } }>().undangle;
    expect((await ask("weather", { thread_id })).statusCode).toBe(200);
    expect((await ask("wether", { thread_id })).json()).toMatchObject({
      error: { param: "tool_choice.function.name" },
    });
    expect(model.requests).toHaveLength(3);
  });

  test.each([
    ["personality_id", { messages: said, personality_id: "nobody" }],
    ["thread_id", { messages: said, thread_id: "none" }],
    ["model", { messages: said, model: "gpt-99" }],
  ])("an unknown %s is not found", async (param, body) => {
    const { app } = await serve();
    const answer = await app.inject({ method: "POST", url: "/v1/chat/completions", payload: body });
    expect([answer.statusCode, answer.json<{ error: { param: string } }>().error.param]).toEqual([404, param]);
  });
});

test("the first start answers in Chinese what time it is", async () => {
  const app = createServer({ store: memoryStore(), folder: import.meta.dirname, env: {} });
  open.push(app);
  const body = {
    messages: [{ role: "user", content: "现在几点钟？" }],
    personality_id: "health_assistant",
    use_tools: true,
    stream: true,
  };
  const answer = await app.inject({ method: "POST", url: "/v1/chat/completions", payload: body });
  const lines = answer.body.split("\n\n").filter((line) => line.startsWith("data: {"));
  const text = lines
    .map((line) => JSON.parse(line.slice(6)) as OpenAI.ChatCompletionChunk)
    .map(({ choices }) => choices[0]?.delta.content ?? "")
    .join("");
  expect(text).toMatch(/\d\d:\d\d/u);
  expect(text).toMatch(/\p{Script=Han}/u);
  expect(answer.body.trimEnd().endsWith("data: [DONE]")).toBe(true);
});
