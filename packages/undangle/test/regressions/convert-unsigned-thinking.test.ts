import { convert } from "undangle";
import { expect, test } from "vitest";

/** Anthropic refuses thinking that it did not sign; servers with its format read it unsigned. */
const history = {
  model: "qwen3",
  messages: [
    { role: "user", content: "u" },
    { role: "assistant", content: "", thinking: "thought", tool_calls: [{ function: { name: "f", arguments: {} } }] },
    { role: "tool", tool_name: "f", content: "r" },
  ],
};

test.each([
  ["without a target", {}],
  ["for Claude", { model: "claude-sonnet-4-5" }],
  ["for Anthropic", { provider: "anthropic" }],
])("%s, unsigned thinking is left out and listed as a loss", (_, target) => {
  const { output, losses } = convert(history, { from: "ollama", to: "anthropic", ...target });
  expect(JSON.stringify(output)).not.toContain("thought");
  expect(losses).toMatchObject([{ path: "messages[1].thinking", what: "reasoning" }]);
});

test.each([
  ["of DeepSeek", { provider: "deepseek" }],
  ["of a model that Anthropic does not serve", { model: "kimi-k2.5" }],
])("for a server %s, it stays", (_, target) => {
  const { output, losses } = convert(history, { from: "ollama", to: "anthropic", ...target });
  expect(JSON.stringify(output)).toContain('{"type":"thinking","thinking":"thought","signature":""}');
  expect(losses).toEqual([]);
});
