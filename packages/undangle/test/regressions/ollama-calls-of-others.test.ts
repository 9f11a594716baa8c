import { check, repair } from "undangle";
import { expect, test } from "vitest";

const format = "ollama" as const;
const call = (id: unknown) => ({ id, function: { name: "read", arguments: { a: "argument" } } });
const result = { role: "tool", content: "result", tool_name: "read", tool_call_id: "call_1" };

test.each(["user", "system", "tool"])("calls on a message of role %s: one repair is enough", (role) => {
  const messages = [
    { role: "user", content: "ask" },
    { role, content: "text", tool_calls: [call("call_1")] },
    result,
    { role: "user", content: "more" },
  ];
  const { output, problems } = repair(messages, { format });
  expect(problems).toEqual([]);
  expect(check(output, { format })).toEqual([]);
  expect(repair(output, { format }).output).toBe(output);
  for (const text of ["ask", "text", "argument", "result", "more"]) expect(JSON.stringify(output)).toContain(text);
});

test("a message without a role that makes calls is the assistant's", () => {
  const messages = [{ role: "user", content: "ask" }, { content: "", tool_calls: [call("call_1")] }, result];
  const { output } = repair(messages, { format });
  expect(output).toEqual([messages[0], { role: "assistant", ...messages[1] }, result]);
});

test.each([
  [["call_1"], "call_1"],
  [7, "7"],
  [{ a: 1 }, undefined],
  [true, undefined],
])("an id that is %j is one that the server decodes", (given, id) => {
  const messages = [
    { role: "user", content: "ask" },
    { role: "assistant", content: "", tool_calls: [call(given)] },
  ];
  expect(check(messages, { format }).map(({ rule }) => rule)).toContain("missing-call-id");
  const { output, problems } = repair(messages, { format });
  expect(problems).toEqual([]);
  expect(output[1]).toEqual({ role: "assistant", content: "", tool_calls: [call(id)] });
  expect(repair(output, { format }).output).toBe(output);
});
