import { repair } from "undangle";
import { expect, test } from "vitest";

const H = { role: "user", content: "b" };
const A = (...calls: (readonly [id: string, name: string])[]) => ({
  role: "assistant",
  content: null,
  tool_calls: calls.map(([id, name]) => ({ id, type: "function", function: { name, arguments: "{}" } })),
});
const T = (id: string, content: string) => ({ role: "tool", tool_call_id: id, content });

test("a stale copy of an earlier result never becomes the result of another call", () => {
  const history = [H, A(["c0", "read_file"]), T("c0", "file text"), A(["a", "delete_file"]), T("c0", "file text"), H];
  const { output } = repair(history, { format: "openai-chat" });
  expect(output.filter((message) => "content" in message && message.content === "file text")).toEqual([
    T("c0", "file text"),
  ]);
  expect(JSON.stringify(output)).toContain("Tool call delete_file with id a was cancelled");
});

test("a result with an id that names no call is not given to the call it stands behind", () => {
  const { output, edits } = repair([A(["new", "delete_file"]), T("from_a_trimmed_turn", "rows"), H], {
    format: "openai-chat",
  });
  expect(edits.map(({ type }) => type)).toEqual(["insert", "restore"]);
  expect(JSON.stringify(output)).toContain("delete_file with id new was cancelled");
});

test.each([
  ["call_AbC|fc_12", "call_AbC"],
  ["mcp.server/call-1", "mcp_server_call_1"],
  ["call_0123456789abcdef0123456789", "call_0123456789abcdef0123"],
])("an id that was changed on the way (%s, %s) is known again", (id, changed) => {
  const { output, edits } = repair([A([id, "f"]), T(changed, "kept"), H], { format: "openai-chat" });
  expect(output).toEqual([A([id, "f"]), T(id, "kept"), H]);
  expect(edits).toMatchObject([{ type: "rename", before: changed, after: id, reconstructed: true }]);
});

test("a result without an id behind another turn is not taken for an earlier call that is open", () => {
  const history = [A(["a", "f"]), H, A(["b", "g"]), T("b", "of b"), H, { role: "tool", content: "loose" }];
  const { output } = repair(history, { format: "openai-chat" });
  const first = output[1] as { tool_call_id?: string; content?: string };
  expect(first.tool_call_id).toBe("a");
  expect(first.content).toContain("was cancelled");
});
