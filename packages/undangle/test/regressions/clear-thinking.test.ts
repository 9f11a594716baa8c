import { repair } from "undangle";
import { expect, test } from "vitest";

const clearing = { type: "clear_thinking_20251015", keep: "all" };
const others = { type: "clear_tool_uses_20250919" };
const thinking = { type: "enabled", budget_tokens: 2000 };

const anthropic = (edits: readonly object[], first: readonly object[] = []) => ({
  model: "claude-sonnet-4-5",
  max_tokens: 9000,
  tools: [{ name: "f", input_schema: { type: "object" } }],
  thinking,
  context_management: { edits },
  messages: [
    { role: "user", content: "Go on." },
    { role: "assistant", content: [...first, { type: "tool_use", id: "toolu_1", name: "f", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "7" }] },
  ],
});

test("where thinking is turned off, the server is not told to clear it from the context", () => {
  const { output, edits, problems } = repair(anthropic([clearing, others]), { format: "anthropic" });
  expect(output).toMatchObject({ thinking: { type: "disabled" }, context_management: { edits: [others] } });
  const path = "context_management.edits";
  expect(edits).toMatchObject([
    { rule: "thinking-first", to: "thinking", before: thinking },
    { rule: "thinking-first", from: path, to: path, before: [clearing, others], after: [others], lossless: false },
  ]);
  expect(problems).toEqual([]);
});

test("what else is cleared stays as it was asked for, and so does everything where thinking stays on", () => {
  const given = anthropic([others]);
  expect(repair(given, { format: "anthropic" }).output.context_management).toBe(given.context_management);
  const thought = { type: "thinking", thinking: "Hm.", signature: "c2lnbmF0dXJl" };
  const healthy = anthropic([clearing], [thought]);
  expect(repair(healthy, { format: "anthropic" }).output).toBe(healthy);
});

test("on Bedrock it stands among the fields of the model", () => {
  const body = {
    modelId: "anthropic.claude-sonnet-4-5",
    additionalModelRequestFields: { thinking, context_management: { edits: [clearing] }, other: 1 },
    toolConfig: { tools: [{ toolSpec: { name: "f", inputSchema: { json: { type: "object" } } } }] },
    messages: [
      { role: "user", content: [{ text: "Go on." }] },
      { role: "assistant", content: [{ toolUse: { toolUseId: "t1", name: "f", input: {} } }] },
      { role: "user", content: [{ toolResult: { toolUseId: "t1", content: [{ text: "7" }] } }] },
    ],
  };
  expect(repair(body, { format: "bedrock" }).output.additionalModelRequestFields).toEqual({
    thinking: { type: "disabled" },
    context_management: { edits: [] },
    other: 1,
  });
});
