import { detect } from "undangle";
import { expect, test } from "vitest";

const blocks = [{ role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input: {} }] }];

test.each<[name: string, input: unknown, expected: string | undefined]>([
  ["blocks outrank the name of a model", { model: "kimi-k2", messages: blocks }, "anthropic"],
  [
    "a Claude on Bedrock without tools",
    { model: "anthropic.claude-3-haiku", messages: [{ role: "user", content: "x" }] },
    "anthropic",
  ],
  [
    "a Claude behind a chat gateway",
    { model: "anthropic/claude-opus-4.7", messages: [{ role: "user", content: "x" }] },
    "openai-chat",
  ],
  [
    "tools outrank the messages",
    { tools: [{ type: "function", function: { name: "f" } }], messages: blocks },
    "openai-chat",
  ],
  [
    "AI SDK messages",
    [{ role: "assistant", content: [{ type: "tool-call", toolCallId: "a", toolName: "f", input: {} }] }],
    undefined,
  ],
  [
    "Converse messages",
    [{ role: "assistant", content: [{ toolUse: { toolUseId: "a", name: "f", input: {} } }] }],
    undefined,
  ],
  ["nothing that tells", [{ role: "user", content: "x" }], "openai-chat"],
])("%s", (_, input, expected) => {
  expect(detect(input)?.format).toBe(expected);
});
