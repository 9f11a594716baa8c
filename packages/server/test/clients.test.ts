import { spawn } from "node:child_process";
import { text as textOf } from "node:stream/consumers";

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { AIMessageChunk, BaseMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { generateObject, generateText, jsonSchema, stepCountIs, streamText, tool as aiTool } from "ai";
import OpenAI from "openai";
import { tool } from "undangle/agent";
import { describe, expect, test } from "vitest";

import { serve } from "./serve-fixture.ts";

const question = "How is the weather in Rome?";
const weather = { type: "object" as const, properties: { city: { type: "string" as const } }, required: ["city"] };
const chatTool = {
  type: "function",
  function: { name: "weather", description: "The weather.", parameters: weather },
} as const;
const lookUp = tool({ name: "look_up", description: "Looks up.", execute: () => "in the south" });

/** What a program has heard at the end, and the arguments with which its own tool was called. */
interface Heard {
  readonly text: string;
  readonly calls: readonly unknown[];
}

interface Program {
  readonly name: string;
  /** Asks, runs its own tool for as long as it is called, and gives back the last answer. */
  readonly ask: (baseURL: string, streamed: boolean, hasTool: boolean) => Promise<Heard>;
}

const programs: readonly Program[] = [
  {
    name: "openai",
    async ask(baseURL, streamed, hasTool) {
      const client = new OpenAI({ baseURL, apiKey: "none", maxRetries: 0 });
      const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: question }];
      const calls: unknown[] = [];
      for (;;) {
        const body = { model: "helper", messages, ...(hasTool && { tools: [chatTool] }) };
        const completion = streamed
          ? await client.chat.completions.stream(body).finalChatCompletion()
          : await client.chat.completions.create(body);
        const [choice] = completion.choices;
        const { message } = choice ?? {};
        if (message?.tool_calls === undefined || message.tool_calls.length === 0)
          return { text: message?.content ?? "", calls };
        messages.push(message);
        for (const call of message.tool_calls) {
          if (call.type !== "function") continue;
          calls.push(JSON.parse(call.function.arguments));
          messages.push({ role: "tool", tool_call_id: call.id, content: "30 degrees" });
        }
      }
    },
  },
  {
    name: "the AI SDK",
    async ask(baseURL, streamed, hasTool) {
      const model = createOpenAICompatible({ baseURL, name: "undangle", includeUsage: true }).chatModel("helper");
      const calls: unknown[] = [];
      const own = aiTool({
        description: "The weather.",
        inputSchema: jsonSchema<{ city: string }>(weather),
        execute(input) {
          calls.push(input);
          return "30 degrees";
        },
      });
      const options = {
        model,
        prompt: question,
        maxRetries: 0,
        stopWhen: stepCountIs(5),
        ...(hasTool && { tools: { weather: own } }),
      };
      const result = streamed ? streamText(options) : await generateText(options);
      return { text: await result.text, calls };
    },
  },
  {
    name: "LangChain",
    async ask(baseURL, streamed, hasTool) {
      const chat = new ChatOpenAI({ model: "helper", apiKey: "none", maxRetries: 0, configuration: { baseURL } });
      const runnable = hasTool ? chat.bindTools([chatTool]) : chat;
      const messages: BaseMessage[] = [new HumanMessage(question)];
      const calls: unknown[] = [];
      for (;;) {
        const answer = streamed ? await joined(await runnable.stream(messages)) : await runnable.invoke(messages);
        const made = answer.tool_calls ?? [];
        if (made.length === 0) return { text: answer.text, calls };
        messages.push(answer);
        for (const { id = "", args } of made) {
          calls.push(args);
          messages.push(new ToolMessage({ tool_call_id: id, content: "30 degrees" }));
        }
      }
    },
  },
  {
    name: "curl",
    async ask(baseURL, streamed, hasTool) {
      const messages: object[] = [{ role: "user", content: question }];
      const calls: unknown[] = [];
      for (;;) {
        const body = { messages, stream: streamed, ...(hasTool && { tools: [chatTool] }) };
        const message = messageIn(await curl(`${baseURL}/chat/completions`, body), streamed);
        const { content, tool_calls: made = [] } = message;
        if (made.length === 0) return { text: content ?? "", calls };
        messages.push({ role: "assistant", ...message });
        for (const call of made) {
          calls.push(JSON.parse(call.function.arguments));
          messages.push({ role: "tool", tool_call_id: call.id, content: "30 degrees" });
        }
      }
    },
  },
];

async function joined(stream: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk> {
  let all: AIMessageChunk | undefined;
  for await (const chunk of stream) all = all?.concat(chunk) ?? chunk;
  if (all === undefined) throw new Error("Nothing was said.");
  return all;
}

async function curl(url: string, body: object): Promise<string> {
  const args = ["-sS", "-N", url, "-H", "Content-Type: application/json", "-d", "@-"];
  const child = spawn("curl", args, { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(JSON.stringify(body));
  return textOf(child.stdout);
}

interface Message {
  readonly content?: string | null;
  readonly tool_calls?: readonly { id: string; type: string; function: { name: string; arguments: string } }[];
}

/** The message in what curl has written, put together as its documentation says. */
function messageIn(answer: string, streamed: boolean): Message {
  if (!streamed) return (JSON.parse(answer) as { choices: { message: Message }[] }).choices[0]?.message ?? {};
  const lines = answer.split("\n\n").filter((line) => line.startsWith("data: "));
  expect(lines.at(-1)).toBe("data: [DONE]");
  const deltas = lines
    .slice(0, -1)
    .map((line) => (JSON.parse(line.slice(6)) as { choices: { delta: StreamedMessage }[] }).choices[0]?.delta ?? {});
  const calls: { id: string; type: string; function: { name: string; arguments: string } }[] = [];
  for (const { index, ...piece } of deltas.flatMap(({ tool_calls: pieces = [] }) => pieces)) {
    const call = (calls[index] ??= { id: "", type: "function", function: { name: "", arguments: "" } });
    call.id ||= piece.id ?? "";
    call.function.name ||= piece.function.name ?? "";
    call.function.arguments += piece.function.arguments;
  }
  const content = deltas.map((delta) => delta.content ?? "").join("");
  return { content, ...(calls.length > 0 && { tool_calls: calls }) };
}

interface StreamedMessage {
  readonly content?: string | null;
  readonly tool_calls?: readonly { index: number; id?: string; function: { name?: string; arguments: string } }[];
}

const ways = programs.flatMap(({ name, ask }) =>
  [false, true].map((streamed) => ({ name, ask, streamed, how: streamed ? "streamed" : "whole" })),
);

describe("a program that knows nothing of Undangle", () => {
  test.each(ways)("$name, $how, hears one answer while tools of the server run", async ({ ask, streamed }) => {
    const { app, model } = serve({
      agent: { tools: [lookUp] },
      turns: [{ text: "I look.", calls: [{ name: "look_up" }] }, { text: "It is warm." }],
    });
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    const { text, calls } = await ask(`${url}/v1`, streamed, false);
    expect([text, calls, model.calls]).toEqual(["I look.\n\nIt is warm.", [], 2]);
  });

  test.each(ways)("$name, $how, runs its own tool, also in a mixed turn", async ({ ask, streamed }) => {
    const { app, model, call } = serve({
      agent: { tools: [lookUp] },
      turns: [
        { text: "Both.", calls: [{ name: "look_up" }, { name: "weather", arguments: { city: "Rome" } }] },
        { calls: [{ name: "weather", arguments: { city: "Ostia" } }] },
        { text: "It is warm." },
      ],
    });
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    const { text, calls } = await ask(`${url}/v1`, streamed, true);
    expect([text, calls, model.calls]).toEqual(["It is warm.", [{ city: "Rome" }, { city: "Ostia" }], 3]);
    const said = JSON.stringify(model.requests.at(-1)?.messages);
    expect([said.includes("in the south"), said.includes("30 degrees")]).toEqual([true, true]);
    const { body } = await call("GET", "/threads");
    expect(body["data"]).toHaveLength(1); // one conversation, although nobody has named its thread
  });
});

describe("generateObject of the AI SDK with the demo model", () => {
  const person = jsonSchema<{ name: string; age: number }>({
    type: "object",
    properties: { name: { type: "string" }, age: { type: "number" } },
    required: ["name", "age"],
  });
  const prompt = 'Anna is 31 years old. Answer as JSON: {"name": "…", "age": 1}';

  test.each([false, true])("gives an object (the schema is sent: %s)", async (supportsStructuredOutputs) => {
    const { app } = serve({ config: { agents: { helper: { model: "demo" } } } });
    const baseURL = `${await app.listen({ port: 0 })}/v1`;
    const model = createOpenAICompatible({ baseURL, name: "undangle", supportsStructuredOutputs }).chatModel("helper");
    const { object, finishReason } = await generateObject({ model, schema: person, prompt, maxRetries: 0 });
    expect([object, finishReason]).toEqual([{ name: expect.any(String) as string, age: 31 }, "stop"]);
  });
});

test("the demo model keeps to max_tokens and stop", async () => {
  const { app } = serve({ config: { agents: { helper: { model: "demo" } } } });
  const client = new OpenAI({ baseURL: `${await app.listen({ port: 0 })}/v1`, apiKey: "none", maxRetries: 0 });
  const messages = [{ role: "user" as const, content: "Hello." }];
  const short = await client.chat.completions.create({ model: "helper", messages, max_tokens: 5 });
  expect([short.choices[0]?.finish_reason, short.usage?.completion_tokens]).toEqual(["length", 5]);
  const stopped = await client.chat.completions.create({ model: "helper", messages, stop: ["Undangle"] });
  expect([stopped.choices[0]?.finish_reason, stopped.choices[0]?.message.content]).toEqual(["stop", "Hello! I am "]);
});
