import { check, repair } from "undangle";
import { describe, expect, test } from "vitest";

describe("two kinds of call with one id", () => {
  test("Responses: the output of a function stays that of the function", () => {
    const output = { type: "function_call_output", call_id: "call_1", output: "result" };
    const input = [
      { role: "user", content: "ask" },
      { type: "function_call", call_id: "call_1", name: "read", arguments: "{}" },
      output,
      { type: "computer_call", id: "cu_1", call_id: "call_1", action: { type: "screenshot" } },
      { role: "user", content: "more" },
    ];
    const { output: list, problems } = repair(input, { format: "openai-responses" });
    expect(problems).toEqual([]);
    expect(list.slice(0, 3)).toEqual(input.slice(0, 3));
    expect(repair(list, { format: "openai-responses" }).output).toBe(list);
  });

  test("AI SDK: the result of a call that the provider abandoned is paired like any other", () => {
    const result = {
      type: "tool-result",
      toolCallId: "c1",
      toolName: "search",
      output: { type: "text", value: "result" },
    };
    const call = { type: "tool-call", toolCallId: "c1", toolName: "search", input: {}, providerExecuted: true };
    const messages = [
      { role: "user", content: "ask" },
      { role: "assistant", content: [result, call] },
      { role: "user", content: "more" },
    ];
    const { output, problems } = repair(messages, { format: "ai-sdk" });
    expect(problems).toEqual([]);
    expect(JSON.stringify(output)).toContain('"value":"result"');
    expect(repair(output, { format: "ai-sdk" }).output).toBe(output);
  });
});

describe("what a chat message says beside its content", () => {
  test.each([
    ["text", "text\n\nno"],
    [
      [{ type: "text", text: "text" }],
      [
        { type: "text", text: "text" },
        { type: "text", text: "no" },
      ],
    ],
  ])("Mistral: a refusal beside %j becomes part of it", (content, whole) => {
    const messages = [
      { role: "user", content: "ask" },
      { role: "assistant", content, refusal: "no" },
      { role: "user", content: "more" },
    ];
    const { output, edits } = repair(messages, { provider: "mistral" });
    expect(output[1]).toEqual({ role: "assistant", content: whole });
    expect(edits).toMatchObject([
      { rule: "unknown-property", type: "move", to: "messages[1].content", lossless: true },
    ]);
  });

  test.each([null, "", []])("a part that is %j goes", (part) => {
    const messages = [{ role: "user", content: [part, { type: "text", text: "ask" }] }];
    const { output, edits } = repair(messages, { format: "openai-chat" });
    expect(output).toEqual([{ role: "user", content: [{ type: "text", text: "ask" }] }]);
    expect(edits).toMatchObject([{ type: "remove", from: "messages[0].content[0]", lossless: true }]);
  });

  test.each([null, "free text"])("a custom call whose body is %j becomes a call of a function", (custom) => {
    const messages = [
      { role: "user", content: "ask" },
      { role: "assistant", content: null, tool_calls: [{ id: "c1", type: "custom", name: "run", custom }] },
      { role: "tool", tool_call_id: "c1", content: "result" },
    ];
    const { output, problems } = repair(messages, { format: "openai-chat" });
    expect(problems).toEqual([]);
    expect(output[1]).toMatchObject({ tool_calls: [{ id: "c1", type: "function", function: { name: "run" } }] });
    expect(JSON.stringify(output)).toContain(custom ?? "result");
  });
});

test("Gemini: media of a response in a list of its own are moved like others", () => {
  const media = { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } };
  const contents = [
    { role: "user", parts: [{ text: "ask" }] },
    { role: "model", parts: [{ functionCall: { name: "read", args: {} } }] },
    { role: "user", parts: [{ functionResponse: { name: "read", response: { a: 1 }, parts: [[media]] } }] },
  ];
  const options = { format: "gemini", model: "gemini-2.5-pro" } as const;
  const { output, problems } = repair(contents, options);
  expect(problems).toEqual([]);
  expect(JSON.stringify(output)).toContain("iVBORw0KGgo=");
  expect(check(output, options)).toEqual([]);
});
