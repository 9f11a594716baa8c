import { describe, expect, test } from "vitest";
import { judge, type Court } from "./judge.ts";

const user = { role: "user", content: "hi" };
const call = { id: "call_1", type: "function", function: { name: "look_up", arguments: "{}" } };
const calling = { role: "assistant", content: null, tool_calls: [call] };
const result = { role: "tool", tool_call_id: "call_1", content: "x" };

describe("a judge of chat histories", () => {
  test("names the rule, the place and the provider's words", () => {
    expect(judge({ messages: [user, calling] }, { format: "openai-chat" })).toEqual([
      {
        id: "OAC-UNANSWERED",
        path: "messages[1].tool_calls[0]",
        text: "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_1",
      },
    ]);
  });

  test("reads a bare array like a body, except for what only a body can say", () => {
    expect(judge([user, calling, result], { format: "openai-chat" })).toEqual([]);
    expect(judge([user, calling], { format: "openai-chat" })).toHaveLength(1);
    const blocks = [
      user,
      { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "n", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "x" }] },
    ];
    expect(judge(blocks, { format: "anthropic" })).toEqual([]);
    expect(judge({ messages: blocks }, { format: "anthropic" }).map(({ id }) => id)).toEqual(["ANT-TOOLS-MISSING"]);
  });

  test("takes an unknown provider for some compatible server", () => {
    const long = { ...call, id: "x".repeat(60) };
    const body = [user, { ...calling, tool_calls: [long] }, { ...result, tool_call_id: long.id }];
    expect(judge(body, { format: "openai-chat", provider: "somebody-new" })).toEqual([]);
    expect(judge(body, { format: "openai-chat" }).map(({ id }) => id)).toEqual(["OAC-ID-LONG", "OAC-ID-LONG"]);
  });

  test.each([
    [undefined, []],
    ["azure", []],
    ["mistral", []],
    ["vllm", ["VLM-ARGS-JSON"]],
    ["groq", ["CMP-ARGS-JSON"]],
    ["minimax", ["CMP-ARGS-JSON", "MMX-ARGS-JSON"]],
  ] as const)("for provider %s finds %j wrong with arguments that were cut off", (provider, rules) => {
    const cut = { id: "aaaaaaaa1", type: "function", function: { name: "look_up", arguments: '{"a":' } };
    const body = { messages: [user, { ...calling, tool_calls: [cut] }, { ...result, tool_call_id: cut.id }] };
    const court: Court = provider === undefined ? { format: "openai-chat" } : { format: "openai-chat", provider };
    expect(judge(body, court).map(({ id }) => id)).toEqual(rules);
  });

  test.each([
    ["claude-opus-4-5-20251101", []],
    ["claude-opus-4-6", ["ANT-PREFILL"]],
    ["claude-opus-4.7", ["ANT-PREFILL"]],
    ["us.anthropic.claude-sonnet-4-6-v1:0", ["ANT-PREFILL"]],
    ["claude-sonnet-4-20250514", []],
    ["claude-haiku-4-5-20251001", []],
    ["claude-haiku-5", ["ANT-PREFILL"]],
    ["claude-fable-1", ["ANT-PREFILL"]],
    ["claude-3-7-sonnet-latest", []],
    ["something-else", []],
  ])("for model %s finds %j wrong with a final assistant message", (model, rules) => {
    const messages = [user, { role: "assistant", content: "I" }];
    expect(judge({ model, messages }, { format: "anthropic" }).map(({ id }) => id)).toEqual(rules);
  });

  test("never throws, whatever it is given", () => {
    const odd = [null, 5, "x", {}, { messages: 3 }, [null], [[]], [{ role: "user" }], [{ role: {}, content: 5 }]];
    const deep = [{ role: "assistant", content: [null, 1, [], { type: "tool_use" }], tool_calls: [null, 1, []] }];
    for (const input of [...odd, deep]) {
      for (const court of courts) expect(judge(input, court).length).toBeGreaterThan(0);
    }
  });
});

const courts: readonly Court[] = [
  { format: "anthropic" },
  { format: "openai-chat" },
  { format: "openai-chat", provider: "mistral" },
  { format: "openai-chat", provider: "minimax" },
  { format: "openai-chat", provider: "openrouter" },
  { format: "openai-chat", provider: "vllm" },
];
