import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import { ChatOpenAI, ChatOpenAIResponses } from "@langchain/openai";
import { createAgent, initChatModel, tool } from "langchain";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { wireServer, type WireServer } from "undangle/testing";
import { z } from "zod";
import { undangle } from "../../src/adapters/langchain.ts";

/** Some models count their calls from zero in every turn (`call_0`, `functions.look:0`). */
const turn = (n: number, id = "call_0"): BaseMessage[] => [
  new HumanMessage(`question ${n}`),
  new AIMessage({ content: "", tool_calls: [{ id, name: "look", args: { n } }] }),
  new ToolMessage({ content: `answer ${n}`, tool_call_id: id, name: "look" }),
];
const look = tool(() => "seen", { name: "look", description: "", schema: z.object({ n: z.number() }) });

let server: WireServer;
beforeAll(async () => (server = await wireServer({ turns: () => ({ text: "Done." }) })));
afterAll(() => server.close());

type Model = Parameters<typeof createAgent>[0]["model"];

const fields = (model = "gpt-5.1") => ({
  model,
  apiKey: "none",
  maxRetries: 0,
  configuration: { baseURL: server.baseUrl("openai-responses") },
});

const models: readonly { readonly name: string; readonly model: () => Model | Promise<Model> }[] = [
  { name: "useResponsesApi", model: () => new ChatOpenAI({ ...fields(), useResponsesApi: true }) },
  { name: "a model that prefers it", model: () => new ChatOpenAI(fields("gpt-5.1-codex")) },
  { name: "settings that only it has", model: () => new ChatOpenAI({ ...fields(), reasoning: { summary: "auto" } }) },
  { name: "its own class", model: () => new ChatOpenAIResponses(fields()) },
  { name: "a model by its name", model: () => initChatModel("openai:gpt-5.1", { ...fields(), useResponsesApi: true }) },
];

const agentOf = async (given: () => Model | Promise<Model>, isBare = false) =>
  createAgent({ model: await given(), tools: [look], middleware: isBare ? [] : [undangle()] });

interface Item {
  readonly type: string;
  readonly call_id: string;
  readonly arguments: string;
  readonly output: string;
}

describe.each(models)("the Responses API by $name", ({ model }) => {
  test("takes ids that restart in every turn, each result with its call", async () => {
    const messages = [...turn(1), ...turn(2), ...turn(3), new HumanMessage("And?")];
    await expect((await agentOf(model, true)).invoke({ messages })).rejects.toThrow(/Duplicate/u);
    await (await agentOf(model)).invoke({ messages });
    const input = (server.requests.at(-1)?.body["input"] ?? []) as readonly Item[]; // the server took them
    const calls = input.filter(({ type }) => type === "function_call");
    const pairs = calls.map((call) => [
      call.arguments,
      input.find(({ type, call_id: id }) => type === "function_call_output" && id === call.call_id)?.output,
    ]);
    expect(pairs).toEqual([1, 2, 3].map((n) => [`{"n":${n}}`, `answer ${n}`]));
    expect(calls[0]?.call_id).toBe("call_0");
  });

  test("takes ids that are too long, and gets others as they are", async () => {
    const messages = [...turn(1, "c".repeat(70)), new HumanMessage("And?")];
    await expect((await agentOf(model, true)).invoke({ messages })).rejects.toThrow(/64/u);
    await expect((await agentOf(model)).invoke({ messages })).resolves.toBeDefined();
    await (await agentOf(model)).invoke({ messages: [...turn(1, "c".repeat(50)), ...turn(2)] });
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain(`"${"c".repeat(50)}"`);
  });
});

test("Chat Completions gets ids that restart as they are", async () => {
  const model = () => new ChatOpenAI(fields());
  await (await agentOf(model)).invoke({ messages: [...turn(1), ...turn(2), new HumanMessage("And?")] });
  const { path = "", body } = server.requests.at(-1) ?? {};
  expect(path).toContain("chat/completions");
  expect(JSON.stringify(body).split('"call_0"')).toHaveLength(5);
});
