/** What becomes of messages of LangChain in all their forms, with the real packages. */
import { load } from "@langchain/core/load";
import {
  AIMessage,
  AIMessageChunk,
  HumanMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  RemoveMessage,
  ToolMessage,
} from "@langchain/core/messages";
import type { BaseMessage, StoredMessage } from "@langchain/core/messages";
import { convertMessagesToCompletionsMessageParams, convertMessagesToResponsesInput } from "@langchain/openai";
import fc from "fast-check";
import { check, detect, repair } from "undangle";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { generate, messagesOf } from "./judge/generate.ts";
import { judge } from "./judge/judge.ts";
import { mutate } from "./judge/mutate.ts";

const call = { id: "c1", name: "look", args: { n: 1 }, type: "tool_call" as const };
const open = (): BaseMessage[] => [
  new HumanMessage({ content: "hi", id: "h1" }),
  new AIMessage({
    content: "",
    id: "a1",
    tool_calls: [call],
    response_metadata: { model: "m" },
  }),
  new HumanMessage({ content: "and?", id: "h2" }),
];

describe("instances", () => {
  test("are told by their structure and stay the same objects where nothing is wrong with them", () => {
    const input = open();
    expect(detect(input)).toEqual({ format: "langchain", confidence: "known" });
    const { output } = repair(input);
    expect([output[0], output[1], output[3]]).toEqual(input);
    expect(output[1]).toBe(input[1]);
  });

  test("get a notice that LangChain takes for its own, also where no message shows the class", () => {
    const notice = repair(open()).output[2];
    expect(notice).toBeInstanceOf(ToolMessage);
    expect(ToolMessage.isInstance(notice)).toBe(true);
    expect(notice?.getType()).toBe("tool");
    expect(notice?.text).toMatch(/^Tool call look with id c1 was cancelled/u);
    expect(notice?.lc_id).toEqual(["langchain_core", "messages", "ToolMessage"]);
  });

  test("get one of the class that another message shows", () => {
    const answered = [
      new AIMessage({ content: "", tool_calls: [{ ...call, id: "c0" }] }),
      new ToolMessage("done", "c0"),
    ];
    expect(repair([...answered, ...open()]).output[4]?.constructor).toBe(ToolMessage);
  });

  test("survive being written and loaded", async () => {
    for (const message of repair(open()).output) {
      const loaded = await load<BaseMessage>(JSON.stringify(message));
      expect(loaded.constructor.name).toBe(
        { human: "HumanMessage", ai: "AIMessage", tool: "ToolMessage" }[message.type as "ai"],
      );
      expect(loaded.toDict()).toEqual(message.toDict());
    }
  });

  test("that are changed are new ones of the same class with every field kept, and the old one is left alone", () => {
    class Own extends AIMessage {
      readonly mine = "kept";
    }
    const given = new Own({
      content: "hm",
      id: "a1",
      name: "bob",
      tool_calls: [{ ...call, id: "" }],
      response_metadata: { model: "m" },
    });
    Object.freeze(given);
    const before = JSON.stringify(given);
    const changed = repair([given, new HumanMessage("and?")]).output[0] as Own;
    expect(JSON.stringify(given)).toBe(before);
    expect(changed).not.toBe(given);
    expect(changed).toBeInstanceOf(Own);
    expect(changed).toMatchObject({
      mine: "kept",
      id: "a1",
      name: "bob",
      content: "hm",
      response_metadata: { model: "m" },
    });
    expect(changed.tool_calls?.[0]?.id).toMatch(/^call_/u);
    expect(changed.toDict().data).toMatchObject({ tool_calls: changed.tool_calls });
  });

  test("of a version without `type` are told by their method", () => {
    class Base {
      readonly lc_kwargs: object;
      constructor(fields: object) {
        this.lc_kwargs = fields;
        Object.assign(this, fields);
      }
      static lc_name(): string {
        return "BaseMessage";
      }
    }
    class Old extends Base {
      _getType(): string {
        return "ai";
      }
      static override lc_name(): string {
        return "AIMessage";
      }
    }
    const input = [
      new Old({
        content: "",
        additional_kwargs: { tool_calls: [{ id: "c", type: "function", function: { name: "look", arguments: "{}" } }] },
      }),
    ];
    const { output } = repair<readonly Base[]>(input);
    expect(output[1]).toBeInstanceOf(Base);
    expect(output[1]).toMatchObject({ tool_call_id: "c", type: "tool", status: "error" });
    expect((output[1] as Old)._getType()).toBe("tool");
  });

  test("that are chunks say the same in their chunks, so that loading them changes nothing", async () => {
    const chunk = new AIMessageChunk({
      content: "",
      tool_call_chunks: [
        { id: "c", name: "look", args: '{"a":', index: 0, type: "tool_call_chunk" },
        { id: "c", name: "look", args: "nonsense", index: 0, type: "tool_call_chunk" },
      ],
    });
    expect(chunk.invalid_tool_calls).toHaveLength(1);
    const [changed] = repair([chunk, new HumanMessage("and?")]).output;
    expect(changed).toBeInstanceOf(AIMessageChunk);
    const loaded = await load<AIMessageChunk>(JSON.stringify(changed));
    expect(loaded.tool_calls).toEqual((changed as AIMessageChunk).tool_calls);
    expect(loaded.invalid_tool_calls).toEqual([]);
  });

  test("that remove others pass through", () => {
    const removal = new RemoveMessage({ id: "m1" });
    expect(repair([removal, ...open()]).output[0]).toBe(removal);
  });

  test("keep one id in every place of a message where it stands", () => {
    const blocks = [
      { type: "text", text: "Looking." },
      { type: "tool_use", id: "x y", name: "look", input: { n: 1 } },
    ];
    const given = new AIMessage({
      content: blocks,
      tool_calls: [{ ...call, id: "x y" }],
      additional_kwargs: {
        tool_calls: [{ id: "x y", type: "function", function: { name: "look", arguments: "{}" } }],
        __openai_function_call_ids__: { "x y": "fc_1" },
      },
      response_metadata: {
        output: [{ type: "function_call", id: "fc_1", call_id: "x y", name: "look", arguments: "{}" }],
      },
    });
    const { output } = repair([given, new ToolMessage("3", "x y")], { model: "claude-sonnet-4-5" });
    const [message, result] = output as [AIMessage, ToolMessage];
    const id = result.tool_call_id;
    expect(id).toMatch(/^call_[0-9a-f]{24}$/u);
    expect(message.tool_calls?.[0]?.id).toBe(id);
    expect(message.content).toEqual([blocks[0], { ...blocks[1], id }]);
    expect(message.additional_kwargs).toMatchObject({
      tool_calls: [{ id }],
      __openai_function_call_ids__: { [id]: "fc_1" },
    });
    expect(message.response_metadata["output"]).toMatchObject([{ id: "fc_1", call_id: id }]);
  });
});

describe("items of the Responses API, which are sent in place of all else", () => {
  const item = (id: string) => ({
    type: "function_call",
    id: `fc_${id}`,
    call_id: id,
    name: "look",
    arguments: '{"n":1}',
  });
  const given = (calls: readonly string[], items: readonly string[]): AIMessage =>
    new AIMessage({
      content: "",
      tool_calls: calls.map((id) => ({ ...call, id })),
      response_metadata: { output: items.map(item) },
    });

  test.each([
    ["a call that somebody took out of tool_calls is answered", ["a"], ["a", "b"]],
    ["a call that somebody added is added to them too", ["a", "b"], ["a"]],
  ])("%s", (_, calls, items) => {
    const { output, problems } = repair([given(calls, items), new ToolMessage("1", "a"), new HumanMessage("and?")]);
    expect(problems).toEqual([]);
    const [message] = output as [AIMessage];
    expect(message.tool_calls?.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(message.response_metadata["output"]).toMatchObject([{ call_id: "a" }, { call_id: "b" }]);
    expect(output.map((one) => (ToolMessage.isInstance(one) ? one.tool_call_id : one.type))).toEqual([
      "ai",
      "a",
      "b",
      "human",
    ]);
  });
});

describe("serialised messages", () => {
  test("that are stored come back in the same form, and load", () => {
    const stored = mapChatMessagesToStoredMessages(open());
    const { output, edits, format } = repair({ messages: stored });
    expect(format).toBe("langchain");
    expect(edits).toMatchObject([{ from: "messages[1].data.tool_calls[0]", to: "messages[2].data" }]);
    expect(output.messages[2]).toMatchObject({ type: "tool", data: { tool_call_id: "c1", status: "error" } });
    expect(mapStoredMessagesToChatMessages(output.messages)[2]).toBeInstanceOf(ToolMessage);
  });

  test("of Python keep their namespace and their `type`", () => {
    const python = (name: string, kwargs: object) => ({
      lc: 1,
      type: "constructor",
      id: ["langchain", "schema", "messages", name],
      kwargs,
    });
    const input = [
      python("AIMessage", { type: "ai", content: "", tool_calls: [call], invalid_tool_calls: [] }),
      python("HumanMessage", { type: "human", content: "and?" }),
    ];
    expect(repair(input).output[1]).toMatchObject({
      lc: 1,
      id: ["langchain", "schema", "messages", "ToolMessage"],
      kwargs: { type: "tool", tool_call_id: "c1" },
    });
  });

  test("are given the same id for the same notice, so that a repair can be repeated", () => {
    const ids = [1, 2].map(() => repair(mapChatMessagesToStoredMessages(open())).output[2]?.data.id);
    expect(ids[0]).toBe(ids[1]);
    expect(ids[0]).toMatch(/^undangle-[0-9a-f]{24}$/u);
  });

  test("hold results as blocks of human messages too, as Anthropic's API has them", () => {
    const blocks = [
      { type: "tool_result", tool_use_id: "c1", content: "3" },
      { type: "text", text: "and?" },
    ];
    const input = [
      { type: "ai", content: "", tool_calls: [call] },
      { type: "human", content: blocks },
    ];
    expect(check(input)).toEqual([]);
    const { output } = repair([input[0], { type: "human", content: "wait" }, input[1]]);
    expect(output.map((message) => (message as { type: string }).type)).toEqual(["ai", "tool", "human", "human"]);
    expect(output[1]).toMatchObject({ tool_call_id: "c1", content: "3" });
    expect(output[3]).toMatchObject({ content: [blocks[1]] });
  });
});

describe("what LangChain sends of a repaired history", () => {
  // It speaks up about calls that stand where older versions had them.
  beforeAll(() => void vi.spyOn(console, "warn").mockImplementation(() => undefined));
  afterAll(() => void vi.restoreAllMocks());

  /** A damaged history as instances; undefined where LangChain itself refuses to build them. */
  const instances = (seed: number, damage: readonly number[]): BaseMessage[] | undefined => {
    const body = damage.reduce((each: unknown, one) => mutate(each, "langchain", one), generate("langchain", seed, 3));
    const plain = messagesOf(body, "langchain").map((message) => {
      const { kwargs, data, type, role, id, ...rest } = message as Record<string, object | undefined>;
      const name = String(Array.isArray(id) ? id.at(-1) : (type ?? role));
      const kind =
        { HumanMessage: "human", AIMessage: "ai", ToolMessage: "tool", user: "human", assistant: "ai" }[name] ?? name;
      return { type: kind, data: { content: "", ...(kwargs ?? data ?? { ...rest, id }) } };
    });
    const known = plain.filter(({ type }) => ["human", "ai", "tool", "system"].includes(type));
    try {
      return mapStoredMessagesToChatMessages(known as unknown as StoredMessage[]);
    } catch {
      return undefined;
    }
  };
  const damaged = fc.record({ seed: fc.nat(), damage: fc.array(fc.nat(), { maxLength: 3 }) });

  test("to Chat Completions has every call answered, and none in the content", () => {
    fc.assert(
      fc.property(damaged, ({ seed, damage }) => {
        const messages = instances(seed, damage);
        if (messages === undefined || messages.length === 0) return;
        const { output } = repair(messages, { format: "langchain", model: "gpt-4o" });
        const sent = JSON.parse(
          JSON.stringify(convertMessagesToCompletionsMessageParams({ messages: output })),
        ) as readonly { readonly role: string }[]; // what the client writes
        const isAnswer = (path: string): boolean => sent[Number(/\d+/u.exec(path)?.[0])]?.role === "assistant";
        const refused = judge(sent, { format: "openai-chat", provider: "openai" })
          // What was put into the content of others stays there: no rule of pairing speaks of it.
          .filter(({ id, path }) => !/IMAGE|TOOLCALLS-EMPTY/u.test(id) && (isAnswer(path) || !id.includes("CONTENT")))
          .map(({ id }) => id);
        expect(refused).toEqual([]);
      }),
    );
  });

  test("to Responses has every call answered", () => {
    fc.assert(
      fc.property(damaged, ({ seed, damage }) => {
        const messages = instances(seed, damage);
        if (messages === undefined || messages.length === 0) return;
        const { output } = repair(messages, { format: "langchain", model: "gpt-4o" });
        const items = convertMessagesToResponsesInput({ messages: output, zdrEnabled: false, model: "gpt-4o" });
        const ids = (type: string) =>
          items.flatMap((item) => (item.type === type && "call_id" in item ? [item.call_id] : []));
        expect(new Set(ids("function_call"))).toEqual(new Set(ids("function_call_output")));
      }),
    );
  });
});
