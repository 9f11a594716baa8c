import { repair } from "undangle";
import { expect, test } from "vitest";

const H = { role: "user", content: "go" };
const call = (id: string) => ({ id, type: "function", function: { name: "read", arguments: '{"p":1}' } });

test("a result in a user message becomes the result of its call, and its text gains no user's authority", () => {
  const result = { type: "tool_result", tool_use_id: "a", content: "42 rows" };
  const history = [
    H,
    { role: "assistant", content: null, tool_calls: [call("a")] },
    { role: "user", content: [result, { type: "text", text: "and?" }] },
  ];
  const { output, problems } = repair(history, { format: "openai-chat" });
  expect(problems).toEqual([]);
  expect(output.slice(1)).toEqual([
    history[1],
    { role: "tool", tool_call_id: "a", content: "42 rows" },
    { role: "user", content: [{ type: "text", text: "and?" }] },
  ]);
  expect(repair(output, { format: "openai-chat" }).output).toBe(output);
});

test("a call in the content of an assistant message becomes one of its calls", () => {
  const use = { type: "tool_use", id: "a", name: "read", input: { p: 1 } };
  const text = { type: "text", text: "I look." };
  const result = { type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "r" }] };
  const { output, problems } = repair(
    [H, { role: "assistant", content: [text, use] }, { role: "user", content: [result] }],
    { format: "openai-chat" },
  );
  expect(problems).toEqual([]);
  expect(output.slice(1)).toEqual([
    { role: "assistant", content: [text], tool_calls: [call("a")] },
    { role: "tool", tool_call_id: "a", content: [{ type: "text", text: "r" }] },
  ]);
});
