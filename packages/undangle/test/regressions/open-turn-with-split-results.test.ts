import { repair } from "undangle";
import { expect, test } from "vitest";

test("a turn whose results stand in several messages keeps each of them when one is missing", () => {
  const use = (id: string) => ({ type: "tool_use", id, name: "read", input: {} });
  const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: `output of ${id}` });
  const history = [
    { role: "user", content: "go" },
    { role: "assistant", content: [use("a"), use("b"), use("c")] },
    { role: "user", content: [result("a")] },
    { role: "user", content: [result("c")] },
    { role: "assistant", content: "done" },
    { role: "user", content: "and?" },
  ];
  const { output, problems } = repair(history, { format: "anthropic" });
  expect(problems).toEqual([]);
  expect(output[2]).toMatchObject({ content: [result("a"), { tool_use_id: "b", is_error: true }, result("c")] });
  expect(output).toHaveLength(5);
});
