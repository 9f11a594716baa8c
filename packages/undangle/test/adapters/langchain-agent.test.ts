/** Real agents of LangChain on poisoned histories: they fail, and run after one added line. */
import { ChatAnthropic } from "@langchain/anthropic";
import { AIMessage, HumanMessage, RemoveMessage, ToolMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import { MemorySaver, messagesStateReducer } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { createDeepAgent } from "deepagents";
import { createAgent, fakeModel, humanInTheLoopMiddleware, tool } from "langchain";
import type { AgentMiddleware } from "langchain";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { undangle } from "../../src/adapters/langchain.ts";
import { judgeLangchain } from "../judge/langchain/judge.ts";
import { startRefusing } from "./refusing-server.ts";
import type { RefusingServer } from "./refusing-server.ts";

const call = { id: "call_1", name: "get_weather", args: { city: "Oslo" }, type: "tool_call" as const };
const poisoned = (): BaseMessage[] => [
  new HumanMessage("What is the weather in Oslo?"),
  new AIMessage({ content: "", tool_calls: [call] }),
  new HumanMessage("Never mind. And in Bergen?"),
];

const getWeather = tool(() => "3 °C", { name: "get_weather", description: "", schema: z.object({ city: z.string() }) });

const isHealthy = (messages: readonly BaseMessage[]): boolean =>
  judgeLangchain(messages.map((message) => message.toDict())).length === 0;

describe("an agent on a server that refuses what OpenAI refuses", () => {
  let server: RefusingServer;
  beforeAll(async () => (server = await startRefusing("openai-chat")));
  afterAll(() => server.close());

  const agentOf = (middleware: AgentMiddleware[]) => {
    const configuration = { baseURL: `${server.url}/v1` };
    const model = new ChatOpenAI({ model: "gpt-4o", apiKey: "none", maxRetries: 0, configuration });
    return createAgent({ model, tools: [getWeather], middleware });
  };

  test("fails without us, in the words that people look for", async () => {
    await expect(agentOf([]).invoke({ messages: poisoned() })).rejects.toThrow(/must be followed by tool messages/u);
  });

  test("runs with one added line", async () => {
    const { messages } = await agentOf([undangle()]).invoke({ messages: poisoned() });
    expect(messages.at(-1)?.text).toBe("All good.");
    expect(server.bodies.at(-1)?.messages[2]).toMatchObject({
      role: "tool",
      tool_call_id: "call_1",
      content:
        "Tool call get_weather with id call_1 was cancelled - another message came in before it could be completed.",
    });
  });

  test("also gets ids that OpenAI takes, since the model says where it goes", async () => {
    const id = "call_".padEnd(90, "x");
    const messages = [
      new HumanMessage("hi"),
      new AIMessage({ content: "", tool_calls: [{ ...call, id }] }),
      new ToolMessage({ content: "3 °C", tool_call_id: id }),
    ];
    await expect(agentOf([]).invoke({ messages })).rejects.toThrow(/400/u);
    await expect(agentOf([undangle()]).invoke({ messages })).resolves.toBeDefined();
  });
});

describe("an agent on a server that refuses what Anthropic refuses", () => {
  let server: RefusingServer;
  beforeAll(async () => (server = await startRefusing("anthropic")));
  afterAll(() => server.close());

  const agentOf = (middleware: AgentMiddleware[]) => {
    const model = new ChatAnthropic({
      model: "claude-sonnet-4-5",
      apiKey: "none",
      maxRetries: 0,
      anthropicApiUrl: server.url,
    });
    return createAgent({ model, tools: [getWeather], middleware });
  };

  test("fails without us, and runs with one added line", async () => {
    await expect(agentOf([]).invoke({ messages: poisoned() })).rejects.toThrow(/tool_result/u);
    const { messages } = await agentOf([undangle()]).invoke({ messages: poisoned() });
    expect(messages.at(-1)?.text).toBe("All good.");
  });

  test("takes over a history of another provider, whose ids restart in every turn", async () => {
    const turn = (n: number) => [
      new HumanMessage(`question ${n}`),
      new AIMessage({ content: "", tool_calls: [{ ...call, id: "functions.get_weather:0" }] }),
      new ToolMessage({ content: `${n} °C`, tool_call_id: "functions.get_weather:0" }),
    ];
    const messages = [...turn(1), ...turn(2)];
    await expect(agentOf([]).invoke({ messages })).rejects.toThrow(/400/u);
    await expect(agentOf([undangle()]).invoke({ messages })).resolves.toBeDefined();
  });
});

describe("what is kept in the state", () => {
  const config = { configurable: { thread_id: "1" } };

  test("is what it was, without persist: only the request is repaired", async () => {
    const model = fakeModel().respond(new AIMessage("fine"));
    const { messages } = await createAgent({ model, tools: [], middleware: [undangle()] }).invoke({
      messages: poisoned(),
    });
    expect(messages).toHaveLength(4);
    expect(isHealthy(messages)).toBe(false);
    expect(isHealthy(model.calls[0]?.messages ?? [])).toBe(true);
  });

  test("is repaired with persist, survives the checkpointer as messages of LangChain, and is repaired once", async () => {
    const model = fakeModel().respond(new AIMessage("fine")).respond(new AIMessage("still"));
    const told: number[] = [];
    const middleware = [undangle({ persist: true, onRepair: (edits) => told.push(edits.length) })];
    const agent = createAgent({ model, tools: [], middleware, checkpointer: new MemorySaver() });
    await agent.invoke({ messages: poisoned() }, config);
    const { messages } = await agent.invoke({ messages: [new HumanMessage("go on")] }, config);
    expect(messages.map((message) => message.type)).toEqual(["human", "ai", "tool", "human", "ai", "human", "ai"]);
    expect(isHealthy(messages)).toBe(true);
    expect(messages[2]?.constructor).toBe(ToolMessage); // read back from the checkpoint
    expect(messages[2]).toMatchObject({ status: "error", name: "get_weather", tool_call_id: "call_1" });
    expect(told).toEqual([1]);
  });

  test("is replaced as a whole: the update starts with the marker that removes everything", async () => {
    const given = poisoned();
    const update = await undangle({ persist: true }).beforeAgent?.({ messages: given });
    const [first, ...rest] = update?.messages ?? [];
    expect(RemoveMessage.isInstance(first) && first.id).toBe("__remove_all__");
    expect(rest).toHaveLength(4);
    expect(messagesStateReducer(given, update?.messages ?? [])).toEqual(rest);
    expect([rest[0], rest[1], rest[3]]).toEqual(given);
  });

  test.each([{ messages: [] }, { messages: undefined }, { messages: [new HumanMessage("hi")] }])(
    "needs no update where nothing is wrong",
    async (state) => {
      const { beforeAgent, beforeModel } = undangle({ persist: true });
      expect(await beforeAgent?.(state)).toBeUndefined();
      expect(await beforeModel?.(state)).toBeUndefined();
    },
  );
});

describe("a request", () => {
  test("reaches the handler untouched when nothing is wrong, or there is nothing in it", async () => {
    for (const messages of [[], [new HumanMessage("hi")]]) {
      const request = { messages, model: "gpt-4o", tools: [] };
      expect(await undangle().wrapModelCall(request, (given) => given)).toBe(request);
    }
  });

  test("may have notices that take time, in another language, or in the words of the caller", async () => {
    const ask = async (middleware: ReturnType<typeof undangle>) => {
      const handed = await middleware.wrapModelCall({ messages: poisoned() }, (request) => request.messages);
      return (handed[2] as ToolMessage).content;
    };
    expect(await ask(undangle({ notice: async ({ name }) => `${name} waits` }))).toBe("get_weather waits");
    expect(await ask(undangle({ language: "zh" }))).toContain("已被取消");
  });
});

test("a new message while a person is asked for approval is no dangling call", async () => {
  const model = fakeModel()
    .respondWithTools([{ name: "get_weather", args: { city: "Oslo" }, id: "call_9" }])
    .respond(new AIMessage("ok"));
  // Its types do not allow exactOptionalPropertyTypes, neither its options nor the middleware.
  const approvals = humanInTheLoopMiddleware({ interruptOn: { get_weather: true } } as never);
  const agent = createAgent({
    model,
    tools: [getWeather],
    middleware: [approvals as unknown as AgentMiddleware, undangle()],
    checkpointer: new MemorySaver(),
  });
  const config = { configurable: { thread_id: "2" } };
  await agent.invoke({ messages: [new HumanMessage("Weather?")] }, config);
  await agent.invoke({ messages: [new HumanMessage("Something else.")] }, config);
  const seen = model.calls.at(-1)?.messages ?? [];
  expect(isHealthy(seen)).toBe(true);
  expect(seen.find((message) => ToolMessage.isInstance(message))?.text).toMatch(/was cancelled/u);
});

test("takes the place of deepagents' own middleware under its name", async () => {
  const model = fakeModel().respond(new AIMessage("fine"));
  const agent = createDeepAgent({ model, middleware: [undangle({ name: "patchToolCallsMiddleware", persist: true })] });
  const orphan = new ToolMessage({
    content: "Transfer completed, transaction 123",
    tool_call_id: "gone",
    name: "transfer",
  });
  const { messages } = await agent.invoke({ messages: [orphan, ...poisoned()] });
  expect(isHealthy(model.calls[0]?.messages ?? [])).toBe(true);
  expect(isHealthy(messages)).toBe(true);
  expect(messages.some(({ text }) => text === "Transfer completed, transaction 123")).toBe(true); // theirs drops it
});
