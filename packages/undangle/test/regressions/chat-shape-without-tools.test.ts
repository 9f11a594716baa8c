import { check, repair } from "undangle";
import { expect, test } from "vitest";

/** Calls as the chat format has them became tool blocks in a request without tools, which was refused for that. */
const call = { id: "c1", type: "function", function: { name: "f", arguments: "{}" } };
const user = (content: string): object => ({ role: "user", content });

test.each([
  ["a call", [user("a"), { role: "assistant", content: null, tool_calls: [call] }, user("b")]],
  [
    "a call and its result",
    [user("a"), { role: "assistant", tool_calls: [call] }, { role: "tool", tool_call_id: "c1", content: "1" }],
  ],
  ["a block without an id", [user("a"), { role: "assistant", content: [{ type: "tool_use", name: "f", input: {} }] }]],
])("%s", (_, messages) => {
  const body = { model: "claude-sonnet-4-5", max_tokens: 9, messages };
  const { output, problems } = repair<object>(body, { format: "anthropic" });
  expect(problems).toEqual([]);
  expect(check(output, { format: "anthropic" })).toEqual([]);
  expect(output).toMatchObject({ tools: [{ name: "f" }], tool_choice: { type: "none" } });
});
