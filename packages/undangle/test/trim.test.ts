import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { check, cutPoints, repair, trim } from "undangle";
import type { Format, TrimOptions } from "undangle";
import { describe, expect, it } from "vitest";

const user = (content: string) => ({ role: "user", content });
const said = (content: string) => ({ role: "assistant", content });
const result = (id: string, content = `result of ${id}`) => ({ role: "tool", tool_call_id: id, content });
const calls = (...ids: string[]) => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "read", arguments: "{}" } })),
});

const chat = { format: "openai-chat" } as const;

describe("Cut points of a chat history", () => {
  it.each<[string, readonly unknown[], readonly number[], readonly number[]]>([
    ["are before users and turns", [user("a"), said("b"), user("c"), said("d")], [2], [1, 2, 3]],
    [
      "are after system messages",
      [{ role: "system", content: "s" }, { role: "developer", content: "d" }, user("a"), said("b"), user("c")],
      [4],
      [3, 4],
    ],
    [
      // https://github.com/langchain-ai/langchain/issues/38352
      "are not between interleaved calls and results",
      [user("a"), calls("a", "b"), calls("c"), result("a"), result("c"), result("b"), said("x"), user("b")],
      [7],
      [1, 6, 7],
    ],
    ["are not before a late result", [user("a"), calls("a"), user("b"), result("a"), user("c")], [4], [1, 4]],
    [
      "pair ids that restart with the nearest call",
      [user("a"), calls("f:0"), result("f:0"), user("b"), calls("f:0"), result("f:0")],
      [3],
      [1, 3, 4],
    ],
    [
      "are not after open calls at the end",
      [user("a"), said("b"), user("c"), calls("a", "b"), result("a")],
      [2],
      [1, 2, 3],
    ],
    ["are after calls that were given up", [user("a"), calls("a"), user("b"), said("c")], [2], [1, 2, 3]],
    ["are not in one turn", [user("a"), calls("a"), result("a")], [], [1]],
    ["are not in an empty history", [], [], []],
  ])("%s", (_, messages, byUsers, byTurns) => {
    expect(cutPoints(messages, chat)).toEqual(byUsers);
    expect(cutPoints(messages, { ...chat, start: "any" })).toEqual(byTurns);
  });
});

describe("Trim", () => {
  const messages = [
    { role: "system", content: "s" },
    user("1"),
    calls("a"),
    result("a"),
    said("2"),
    user("3"),
    said("4"),
  ];

  it("keeps the type, unknown fields and references", () => {
    const body = { model: "gpt-4.1", messages, tools: [], custom: { a: 1 } };
    const { output, removed } = trim(body, { ...chat, keep: { messages: 2 } });
    expect(output).toEqual({ ...body, messages: [messages[0], messages[5], messages[6]] });
    expect(output.custom).toBe(body.custom);
    expect(output.messages[1]).toBe(messages[5]);
    expect(removed).toEqual(messages.slice(1, 5));
    expect(body.messages).toBe(messages);
  });

  it("returns the same reference if everything fits, or if nothing can be removed", () => {
    const body = { model: "gpt-4.1", messages };
    expect(trim(body, { ...chat, keep: { messages: 6 } }).output).toBe(body);
    expect(trim(body, { ...chat, keep: { tokens: 10_000 } })).toEqual({ output: body, removed: [] });
    const single = [user("a"), calls("a"), result("a")];
    expect(trim(single, { ...chat, keep: { messages: 0 } }).output).toBe(single);
  });

  it("keeps the last user message and the last steps of a long loop", () => {
    const steps = Array.from({ length: 50 }, (_, i) => [calls(`c${i}`), result(`c${i}`)]).flat();
    const list = [user("old"), said("old"), user("Do it."), ...steps];
    const { output, removed } = trim(list, { ...chat, keep: { messages: 7 } });
    expect(output).toEqual([user("Do it."), ...steps.slice(-6)]);
    expect(removed).toHaveLength(list.length - 7);
    expect(check(output, chat)).toEqual([]);
  });

  it("keeps a loop whole that only began with signed thinking", () => {
    const thinking = { type: "thinking", thinking: "hm", signature: "c2VhbA==" };
    const call = (id: string) => ({ type: "tool_use", id, name: "read", input: {} });
    const loop = (isSigned: boolean) => [
      { role: "user", content: "Do it." },
      { role: "assistant", content: [thinking, call("toolu_1")] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "1" }] },
      { role: "assistant", content: [...(isSigned ? [thinking] : []), call("toolu_2")] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_2", content: "2" }] },
    ];
    const kept = (isSigned: boolean): number => {
      const tools = [{ name: "read", input_schema: { type: "object" } }];
      const body = {
        model: "claude-sonnet-4-5",
        max_tokens: 4096,
        thinking: { type: "enabled", budget_tokens: 1024 },
        tools,
        messages: loop(isSigned),
      };
      const { output } = trim(body, { format: "anthropic", keep: { messages: 3 } });
      expect(check(output, { format: "anthropic" })).toEqual([]);
      return output.messages.length;
    };
    expect(kept(false)).toBe(5);
    expect(kept(true)).toBe(3);
  });

  it("keeps instances of LangChain, and does not count their copies of themselves", () => {
    const content = "word ".repeat(400);
    const list = [
      new SystemMessage("s"),
      new HumanMessage(content),
      new AIMessage({ content: "", tool_calls: [{ id: "a", name: "read", args: { path: content } }] }),
      new ToolMessage({ content, tool_call_id: "a" }),
      new HumanMessage("last"),
    ];
    expect(trim(list, { keep: { tokens: 1700 } }).output).toBe(list);
    const { output } = trim(list, { keep: { tokens: 400 } });
    expect(output).toEqual([list[0], list[4]]);
    expect(output[1]).toBe(list[4]);
  });

  it("keeps an approval with its request, in messages of the AI SDK", () => {
    const list = [
      { role: "user", content: "a" },
      {
        role: "assistant",
        content: [
          { type: "tool-call", toolCallId: "c", toolName: "pay", input: {} },
          { type: "tool-approval-request", approvalId: "p", toolCallId: "c" },
        ],
      },
      { role: "tool", content: [{ type: "tool-approval-response", approvalId: "p", approved: true }] },
    ];
    expect(cutPoints(list, { format: "ai-sdk", start: "any" })).toEqual([1]);
  });

  it("keeps a server tool with its result, which comes after the result of another tool", () => {
    const list = [
      { role: "user", content: "a" },
      {
        role: "assistant",
        content: [
          { type: "server_tool_use", id: "srvtoolu_1", name: "code_execution", input: {} },
          { type: "tool_use", id: "toolu_1", name: "read", input: {} },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "1" }] },
      {
        role: "assistant",
        content: [
          { type: "code_execution_tool_result", tool_use_id: "srvtoolu_1", content: [] },
          { type: "text", text: "b" },
        ],
      },
      { role: "user", content: "c" },
    ];
    expect(cutPoints(list, { format: "anthropic", start: "any" })).toEqual([1, 4]);
  });

  it("keeps an MCP approval with its request, in items of Responses", () => {
    const list = [
      { role: "user", content: "a" },
      { type: "mcp_approval_request", id: "mcpr_1", name: "pay", server_label: "s", arguments: "{}" },
      { role: "user", content: "b" },
      { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true },
      { role: "user", content: "c" },
    ];
    expect(cutPoints(list, { format: "openai-responses" })).toEqual([4]);
  });

  it("repairs nothing, and makes nothing worse", () => {
    const broken = [
      user("a"),
      calls("a", "b"),
      result("b"),
      said("x"),
      result("zzz"),
      user("b"),
      calls("c"),
      user("d"),
    ];
    const { output, removed } = trim(broken, { ...chat, keep: { messages: 3 } });
    expect(output).toEqual(broken.slice(5));
    expect(removed).toEqual(broken.slice(0, 5));
    expect(check(output, chat).map(({ rule }) => rule)).toEqual(["unanswered-call"]);
    expect(repair(output, chat).problems).toEqual([]);
  });

  it.each<[Format, unknown]>([
    ["openai-responses", { model: "gpt-5.1", input: "Hello." }],
    ["gemini", { contents: "Hello." }],
  ])("accepts a text in place of the list: %s", (format, body) => {
    expect(trim(body, { format, keep: { messages: 0 } })).toEqual({ output: body, removed: [] });
    expect(cutPoints(body, { format })).toEqual([]);
  });

  it.each<[string, object]>([
    ["no size", {}],
    ["an unknown size", { keep: { words: 3 } }],
    ["two sizes", { keep: { messages: 3, tokens: 4 } }],
    ["a negative size", { keep: { messages: -1 } }],
    ["a size that is not a number", { keep: { messages: Number.NaN } }],
    ["a counter that is not a function", { keep: { tokens: 1 }, countTokens: 4 }],
    ["a counter that does not count", { keep: { tokens: 1 }, countTokens: () => "many" }],
    ["an unknown option", { keep: { tokens: 1 }, keepAll: true }],
  ])("refuses %s", (_, options) => {
    expect(() => trim([user("a"), said("b"), user("c")], { ...chat, ...options } as TrimOptions)).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^options\//u) as string }) as Error,
    );
  });

  it("refuses an unknown start", () => {
    expect(() => cutPoints([user("a")], { ...chat, start: "tool" as "any" })).toThrow(/start/u);
  });

  it("reports a message that refers to itself", () => {
    const message: Record<string, unknown> = { role: "user", content: "a" };
    message["extra"] = message;
    expect(() => trim([message, said("b"), user("c")], { ...chat, keep: { tokens: 1 } })).toThrow(
      expect.objectContaining({ code: "input/too-deep" }) as Error,
    );
  });
});
