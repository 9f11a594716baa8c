import { check, convert } from "undangle";
import { describe, expect, test } from "vitest";
import type { WireFormat } from "./transcript.ts";

const behind = "the position of text after a call";
const between = "the position of a message before a result";

const placesOf = (input: unknown, from: WireFormat, to: WireFormat, model?: string): readonly (readonly string[])[] =>
  convert(input, { from, to, ...(model === undefined ? {} : { model }) }).losses.map(({ path, what }) => [path, what]);

const gemini = [
  { role: "user", parts: [{ text: "Go." }] },
  {
    role: "model",
    parts: [
      { text: "pre" },
      { functionCall: { id: "t1", name: "run", args: {} } },
      { text: "mid" },
      { functionCall: { id: "t2", name: "run", args: {} } },
      { text: "post" },
    ],
  },
  {
    role: "user",
    parts: [
      { functionResponse: { id: "t2", name: "run", response: { result: "second" } } },
      { functionResponse: { id: "t1", name: "run", response: { result: "first" } } },
    ],
  },
];

const modelMessages = [
  { role: "user", content: "Go." },
  {
    role: "assistant",
    content: [
      { type: "text", text: "pre" },
      { type: "tool-call", toolCallId: "t1", toolName: "run", input: {} },
      { type: "text", text: "mid" },
      { type: "tool-call", toolCallId: "t2", toolName: "run", input: {} },
    ],
  },
  {
    role: "tool",
    content: [
      { type: "tool-result", toolCallId: "t1", toolName: "run", output: { type: "text", value: "first" } },
      { type: "tool-result", toolCallId: "t2", toolName: "run", output: { type: "text", value: "second" } },
    ],
  },
];

const done = { type: "tool-run", state: "output-available", input: {}, output: "done" };
const uiMessages = [
  { id: "1", role: "user", parts: [{ type: "text", text: "Go." }] },
  {
    id: "2",
    role: "assistant",
    parts: [
      { type: "text", text: "pre" },
      { ...done, toolCallId: "t1" },
      { type: "text", text: "mid" },
      { ...done, toolCallId: "t2" },
    ],
  },
];

describe("a text behind a call", () => {
  const inGemini = [
    ["contents[1].parts[2]", behind],
    ["contents[1].parts[4]", behind],
  ];

  test.each(["anthropic", "openai-chat", "ollama", "langchain"] as const)("is a loss in %s, which has none", (to) => {
    expect(placesOf(gemini, "gemini", to)).toEqual(inGemini);
    expect(placesOf(modelMessages, "ai-sdk", to)).toEqual([["messages[1].content[2]", behind]]);
    expect(placesOf(uiMessages, "ai-sdk", to)).toEqual([["messages[1].parts[2]", behind]]);
  });

  test("is one in bedrock where the model is Claude", () => {
    expect(placesOf(gemini, "gemini", "bedrock", "us.anthropic.claude-sonnet-4-5-v1:0")).toEqual(inGemini);
    expect(placesOf(gemini, "gemini", "bedrock", "us.amazon.nova-pro-v1:0")).toEqual([]);
  });

  test.each(["openai-responses", "bedrock", "ai-sdk"] as const)("keeps its place in %s, and on the way back", (to) => {
    const there = convert(gemini, { from: "gemini", to });
    expect(there.losses).toEqual([]);
    expect(check(there.output, { format: to })).toEqual([]);
    expect(convert(there.output, { from: to, to: "gemini" })).toMatchObject({ output: gemini, losses: [] });
  });

  test("keeps its place from the blocks of langchain, which hold the call too", () => {
    const content = [
      { type: "tool_use", id: "t1", name: "run", input: {} },
      { type: "text", text: "post" },
    ];
    const messages = [
      { type: "human", content: "Go." },
      { type: "ai", content, tool_calls: [{ id: "t1", name: "run", args: {} }] },
      { type: "tool", tool_call_id: "t1", content: "done" },
    ];
    const { output } = convert(messages, { from: "langchain", to: "gemini" });
    expect(output).toMatchObject([{}, { parts: [{ functionCall: { id: "t1" } }, { text: "post" }] }, {}]);
  });
});

describe("calls that stand in the blocks of langchain too", () => {
  test("keep the order of the calls, whatever the blocks say of them", () => {
    const block = (name: string) => ({ type: "functionCall", functionCall: { name, args: {} } });
    const names = ["run", "run", "stop"];
    const tool_calls = names.map((name, i) => ({ id: `t${i}`, name, args: {} }));
    const results = tool_calls.map(({ id }) => ({ type: "tool", tool_call_id: id, content: id }));
    for (const content of [
      names.map(block),
      [block("stop")],
      [{ type: "tool_use", id: "t1", name: "run", input: {} }],
    ]) {
      const messages = [{ type: "human", content: "Go." }, { type: "ai", content, tool_calls }, ...results];
      const { output } = convert(messages, { from: "langchain", to: "openai-chat" });
      expect(output).toMatchObject([{}, { tool_calls: tool_calls.map(({ id }) => ({ id })) }, {}, {}, {}]);
    }
  });
});

describe("a message between a call and its result", () => {
  const call = { type: "function_call", call_id: "t1", name: "run", arguments: "{}" };
  const output = { type: "function_call_output", call_id: "t1", output: "done" };
  const input = [
    { role: "user", content: "Go." },
    call,
    { role: "assistant", content: "One moment." },
    { role: "user", content: "Hurry." },
    { role: "system", content: "Be brief." },
    output,
  ];

  test.each(["openai-chat", "langchain", "ollama"] as const)("is a loss in %s, as is a text behind the call", (to) => {
    expect(check(input, { format: "openai-responses" })).toEqual([]);
    expect(placesOf(input, "openai-responses", to)).toEqual([
      ["input[2].content", behind],
      ["input[3]", between],
      ["input[4]", between],
    ]);
  });

  test("is noted once where system messages have a place of their own", () => {
    expect(placesOf(input, "openai-responses", "gemini")).toEqual([
      ["input[3]", between],
      ["input[4]", "a system message"],
    ]);
  });
});
