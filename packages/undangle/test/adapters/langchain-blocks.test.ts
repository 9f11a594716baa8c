/** Calls that stand as blocks in the content, in the shape of some provider, through the clients of others. */
import { ChatAnthropic } from "@langchain/anthropic";
import {
  AIMessage,
  HumanMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  ToolMessage,
} from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, tool } from "langchain";
import type { AgentMiddleware } from "langchain";
import { check, repair } from "undangle";
import { wireServer } from "undangle/testing";
import type { WireServer } from "undangle/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { undangle } from "../../src/adapters/langchain.ts";
import { startRefusing } from "./refusing-server.ts";
import type { RefusingServer } from "./refusing-server.ts";

const call = { id: "fc1", name: "look", args: { n: 1 }, type: "tool_call" as const };
const blocks = {
  function_call: { type: "function_call", id: "fc_1", call_id: "fc1", name: "look", arguments: '{"n": 1}' },
  custom_tool_call: { type: "custom_tool_call", id: "ctc_1", call_id: "fc1", name: "look", input: "n = 1" },
  invalid_tool_call: { type: "invalid_tool_call", id: "fc1", name: "look", args: '{"n":', error: "Malformed args." },
  functionCall: { type: "functionCall", functionCall: { id: "fc1", name: "look", args: { n: 1 } } },
  tool_use: { type: "tool_use", id: "fc1", name: "look", input: { n: 1 } },
  tool_call: call,
};
const text = { type: "text", text: "Let me look." };

/** A history whose call stands in a block, alone or beside `tool_calls`, with and without its result. */
function historyOf(block: object, { said = false, listed = false, answered = false }): BaseMessage[] {
  const content = [...(said ? [text] : []), { ...block }];
  return [
    new HumanMessage("hi"),
    // Its types know the blocks of standard content only.
    new AIMessage({ content: content as never, ...(listed ? { tool_calls: [call] } : {}) }),
    ...(answered ? [new ToolMessage({ content: "3 °C", tool_call_id: "fc1" })] : []),
    new HumanMessage("and?"),
  ];
}

const flags = [false, true];
const cases = Object.entries(blocks).flatMap(([type, block]) =>
  flags.flatMap((said) =>
    flags.flatMap((listed) => flags.map((answered) => ({ type, block, said, listed, answered }))),
  ),
);

let chat: RefusingServer;
let messages: RefusingServer;
let responses: WireServer;
beforeAll(async () => {
  chat = await startRefusing("openai-chat");
  messages = await startRefusing("anthropic");
  responses = await wireServer({ turns: () => ({ text: "All good." }) });
});
afterAll(() => Promise.all([chat, messages, responses].map((server) => server.close())));

const look = tool(() => "3 °C", { name: "look", description: "", schema: z.object({ n: z.number() }) });
const common = { apiKey: "none", maxRetries: 0 };
const openai = (url: string, useResponsesApi: boolean) =>
  new ChatOpenAI({ ...common, model: "gpt-4o", useResponsesApi, configuration: { baseURL: `${url}/v1` } });
const clients = {
  "ChatOpenAI with Chat Completions": () => openai(chat.url, false),
  "ChatOpenAI with Responses": () => openai(responses.url, true),
  ChatAnthropic: () => new ChatAnthropic({ ...common, model: "claude-sonnet-4-5", anthropicApiUrl: messages.url }),
};

const ask = async (model: ReturnType<(typeof clients)[keyof typeof clients]>, given: BaseMessage[], ours = true) => {
  const middleware: AgentMiddleware[] = ours ? [undangle()] : [];
  const state = await createAgent({ model, tools: [look], middleware }).invoke({ messages: given });
  return state.messages.at(-1)?.text;
};

describe.each(Object.entries(clients))("%s", (_, client) => {
  test.each(cases)("takes $type, with text: $said, in tool_calls: $listed, answered: $answered", async (one) => {
    expect(await ask(client(), historyOf(one.block, one))).toBe("All good.");
  });
});

describe("what is sent", () => {
  const given = (): BaseMessage[] => historyOf(blocks.function_call, {});
  const listed = { id: "fc1", function: { name: "look", arguments: '{"n":1}' } };

  test("to Chat Completions is the call and not its block, which it refuses", async () => {
    await expect(ask(openai(chat.url, false), given(), false)).rejects.toThrow(/function_call/u);
    await ask(openai(chat.url, false), given());
    expect(chat.bodies.at(-1)?.messages[1]).toMatchObject({ role: "assistant", content: "", tool_calls: [listed] });
  });

  test("to Chat Completions is the same when the history was repaired as it was stored, for no model in particular", async () => {
    const stored = repair(mapChatMessagesToStoredMessages(given())).output;
    await ask(openai(chat.url, false), mapStoredMessagesToChatMessages(stored), false);
    expect(chat.bodies.at(-1)?.messages[1]).toMatchObject({ role: "assistant", content: "", tool_calls: [listed] });
  });

  test("to Responses is the call, once", async () => {
    await ask(openai(responses.url, true), given());
    const items = responses.requests.at(-1)?.body["input"] as readonly { readonly type: string }[]; // a list, as the client writes it
    expect(items.filter(({ type }) => type === "function_call")).toMatchObject([{ call_id: "fc1", name: "look" }]);
  });

  test("to Anthropic is the call, once", async () => {
    await ask(clients.ChatAnthropic(), given());
    expect(messages.bodies.at(-1)?.messages[1]?.["content"]).toEqual([
      { type: "tool_use", id: "fc1", name: "look", input: { n: 1 } },
    ]);
  });
});

describe("the edits", () => {
  const edited = (given: BaseMessage[], model = "gpt-4o") => repair(given, { model });

  test("say that a block that was the only place of the call was moved, and that nothing is lost", () => {
    const { output, edits } = edited(historyOf(blocks.function_call, { said: true }));
    expect(output[1]).toMatchObject({ content: [text], tool_calls: [call] });
    expect(edits[0]).toMatchObject({
      rule: "misplaced-block",
      type: "move",
      from: "messages[1].content[1]",
      to: "messages[1].tool_calls[0]",
      before: blocks.function_call,
      lossless: true,
    });
  });

  test("say so where a block that was moved held a signature that the call cannot hold", () => {
    const signed = { ...blocks.functionCall, thoughtSignature: "c2ln" };
    const moved = (block: object) => edited(historyOf(block, { answered: true })).edits;
    expect(moved(signed)).toMatchObject([{ type: "move", lossless: false }]);
    for (const type of ["functionCall", "custom_tool_call", "invalid_tool_call"] as const) {
      expect(moved(blocks[type])).toMatchObject([{ type: "move", lossless: true }]);
    }
  });

  test("say that a block that stood beside the call was removed, and whether it said more", () => {
    const lossless = (block: object): boolean[] => {
      const { output, edits } = edited(historyOf(block, { said: true, listed: true, answered: true }));
      expect(output[1]).toMatchObject({ content: [text], tool_calls: [call] });
      expect(edits).toMatchObject([{ rule: "content-type", type: "remove", from: "messages[1].content[1]" }]);
      return edits.map((edit) => edit.lossless);
    };
    expect(lossless(blocks.function_call)).toEqual([true]);
    expect(lossless(blocks.functionCall)).toEqual([true]);
    expect(lossless({ ...blocks.function_call, arguments: '{"n":2}' })).toEqual([false]);
    expect(lossless({ ...blocks.functionCall, thoughtSignature: "c2ln" })).toEqual([false]);
  });

  test("leave Google's blocks to models that may be Google's, which want their signatures back", () => {
    const given = historyOf(blocks.functionCall, { listed: true, answered: true });
    expect(edited(given, "gemini-3-pro").output).toBe(given);
    expect(repair(given).output).toBe(given);
  });

  test("leave copies alone where nobody says that they go to a client that sends them on", () => {
    const given = historyOf(blocks.function_call, { listed: true, answered: true });
    expect(repair(given).output).toBe(given);
    expect(edited(given, "claude-sonnet-4-5").output).toBe(given);
    expect(edited(given, "deepseek-chat").output[1]?.content).toBe("");
  });

  test("leave serialised copies alone, which Python's clients write and know", () => {
    const given = historyOf(blocks.function_call, { listed: true, answered: true }).map((one) => one.toDict());
    expect(repair(given, { model: "gpt-4o" }).output).toBe(given);
  });

  test.each(cases)("of $type, text: $said, listed: $listed, answered: $answered, are made once", (one) => {
    for (const model of ["gpt-4o", "claude-sonnet-4-5", "some-model", undefined]) {
      const given = historyOf(one.block, one);
      const before = JSON.stringify(given);
      const { output, edits, problems } = repair(given, { model });
      expect(JSON.stringify(given)).toBe(before);
      expect(problems).toEqual([]);
      expect(check(given, { model }).length > 0).toBe(edits.length > 0);
      expect(repair(output, { model }).output).toBe(output);
      expect(output[1]?.text).toBe(given[1]?.text);
    }
  });
});
