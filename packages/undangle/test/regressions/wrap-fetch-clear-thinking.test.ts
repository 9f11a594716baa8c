import { expect, test } from "vitest";

import { sentThrough } from "../clients/sent-through.ts";

/** Thinking was turned off, and an edit of the context that needs it stayed. */
const look = { type: "tool_use", id: "toolu_1", name: "look", input: {} };
const clear = { type: "clear_thinking_20251015", keep: "all" };
const uses = { type: "clear_tool_uses_20250919" };
const body = (context_management?: object) => ({
  model: "claude-sonnet-4-5",
  max_tokens: 9000,
  tools: [{ name: "look", input_schema: { type: "object" } }],
  thinking: { type: "enabled", budget_tokens: 2000 },
  ...(context_management && { context_management }),
  messages: [
    { role: "user", content: "Look." },
    { role: "assistant", content: [look] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "SEEN" }] },
  ],
});
const url = "https://api.anthropic.com/v1/messages";

test("where thinking is turned off nothing is left that clears it", async () => {
  const { text, edits } = await sentThrough(url, body({ edits: [clear, uses] }));
  expect(JSON.parse(text)).toMatchObject({ thinking: { type: "disabled" }, context_management: { edits: [uses] } });
  expect(edits).toMatchObject([
    { rule: "thinking-first", to: "thinking" },
    { rule: "thinking-first", from: "context_management", to: "context_management", lossless: false },
  ]);
});

test("what clears something else stays", async () => {
  const { text, edits } = await sentThrough(url, body({ edits: [uses] }));
  expect(JSON.parse(text)).toHaveProperty("context_management", { edits: [uses] });
  expect(edits).toHaveLength(1);
});
