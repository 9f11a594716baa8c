import { convert } from "undangle";
import { describe, expect, test } from "vitest";

const call = (id: string, name: string) => ({ id, type: "function", function: { name, arguments: "{}" } });

describe("the notice for a call without a result", () => {
  const messages = [
    { role: "user", content: "Go." },
    { role: "assistant", content: null, tool_calls: [call("call_1", "run")] },
    { role: "user", content: "Stop." },
  ];
  const notice = expect.stringContaining("call_1") as string;

  test.each([
    ["anthropic", { content: [{ is_error: true, content: notice }, {}] }],
    ["bedrock", { content: [{ toolResult: { status: "error" } }, {}] }],
    ["gemini", { parts: [{ functionResponse: { response: { error: notice } } }] }],
    ["ai-sdk", { content: [{ output: { type: "error-text", value: notice } }] }],
    ["langchain", { status: "error", content: notice }],
  ] as const)("is marked as an error in %s", (to, expected) => {
    const { output, losses } = convert(messages, { from: "openai-chat", to });
    expect((output as readonly unknown[])[2]).toMatchObject(expected);
    expect(losses).toEqual([]);
  });

  test("says itself where there is no mark that it is an error", () => {
    const there = convert(messages, { from: "openai-chat", to: "anthropic" }).output;
    for (const to of ["openai-chat", "openai-responses", "ollama"] as const) {
      expect(convert(there, { from: "anthropic", to }).losses).toEqual([]);
    }
  });
});

describe("the error flag of a result", () => {
  const messages = [
    { role: "user", content: "Go." },
    { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "run", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "42", is_error: true }] },
  ];

  test.each(["openai-chat", "openai-responses", "ollama"] as const)("is a loss in %s, which has none", (to) => {
    const { output, losses } = convert(messages, { from: "anthropic", to });
    expect(losses.map(({ path, what }) => [path, what])).toEqual([
      ["messages[2].content[0]", "the error flag of a result"],
    ]);
    expect(JSON.stringify(output)).toContain('"42"');
  });
});

describe("results in another order than their calls", () => {
  const messages = [
    { role: "user", content: "Go." },
    { role: "assistant", content: null, tool_calls: [call("call_1", "run"), call("call_2", "run")] },
    { role: "tool", tool_call_id: "call_2", content: "second" },
    { role: "tool", tool_call_id: "call_1", content: "first" },
  ];

  test("keep it where ids tell whose they are", () => {
    for (const to of ["gemini", "bedrock", "anthropic", "ollama", "openai-responses", "ai-sdk", "langchain"] as const) {
      const there = convert(messages, { from: "openai-chat", to });
      expect(there.losses).toEqual([]);
      expect(convert(there.output, { from: to, to: "openai-chat" }).output).toEqual(messages);
    }
  });

  test("stand in the order of the calls where they are paired by their place", () => {
    expect(convert(messages, { from: "openai-chat", to: "gemini", provider: "vertex" }).output).toMatchObject([
      {},
      {},
      {
        parts: [
          { functionResponse: { response: { result: "first" } } },
          { functionResponse: { response: { result: "second" } } },
        ],
      },
    ]);
  });
});

describe("what a tool of the AI SDK gave back", () => {
  test("is told as it is where its provider ran it", () => {
    const messages = [
      { role: "user", content: "Look it up." },
      {
        role: "assistant",
        content: [
          { type: "tool-call", toolCallId: "c1", toolName: "web_search", input: { q: "a" }, providerExecuted: true },
          {
            type: "tool-result",
            toolCallId: "c1",
            toolName: "web_search",
            output: { type: "json", value: { hits: 1 } },
          },
          { type: "text", text: "Found." },
        ],
      },
    ];
    const { output } = convert(messages, { from: "ai-sdk", to: "anthropic" });
    expect(output).toMatchObject([{}, { content: [{}, { text: '[web_search: {"hits":1}]' }, { text: "Found." }] }]);
  });

  test("is the tool's own value in a UIMessage, whatever it looks like", () => {
    const value = { type: "text", value: "V", id: 5 };
    const part = { type: "tool-run", toolCallId: "c1", state: "output-available", input: {}, output: value };
    const messages = [
      { id: "1", role: "user", parts: [{ type: "text", text: "Go." }] },
      { id: "2", role: "assistant", parts: [{ type: "step-start" }, part] },
    ];
    const { output } = convert(messages, { from: "ai-sdk", to: "openai-chat" });
    expect(output).toMatchObject([{}, {}, { role: "tool", content: JSON.stringify(value) }]);
  });
});

describe("a screenshot of a computer", () => {
  test("is an image in the result", () => {
    const input = [
      { role: "user", content: "Look." },
      { type: "computer_call", id: "cu_1", call_id: "call_1", status: "completed", action: { type: "screenshot" } },
      {
        type: "computer_call_output",
        call_id: "call_1",
        output: { type: "computer_screenshot", image_url: "data:image/png;base64,iVBORw0KGgo=" },
      },
    ];
    const { output } = convert(input, { from: "openai-responses", to: "anthropic" });
    expect(output).toMatchObject([
      {},
      {},
      { content: [{ type: "tool_result", content: [{ type: "image", source: { data: "iVBORw0KGgo=" } }] }] },
    ]);
  });
});
