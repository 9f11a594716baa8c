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
    "ai-sdk",
  ],
  ["UI messages", [{ id: "m", role: "assistant", parts: [{ type: "text", text: "x" }] }], "ai-sdk"],
  ["stored messages of LangChain", [{ type: "human", data: { content: "x" } }], "langchain"],
  ["Gemini contents", [{ role: "user", parts: [{ text: "x" }] }], "gemini"],
  ["Responses items", [{ type: "function_call", call_id: "c", name: "f", arguments: "{}" }], "openai-responses"],
  ["a Responses body with a text", { model: "gpt-5", input: "x" }, "openai-responses"],
  ["results by name", [{ role: "tool", tool_name: "f", content: "x" }], "ollama"],
  ["a Converse body", { modelId: "m", messages: [{ role: "user", content: [{ text: "x" }] }] }, "bedrock"],
  ["none that is known", [{ speaker: "me", says: "x" }], undefined],
  [
    "Converse messages",
    [{ role: "assistant", content: [{ toolUse: { toolUseId: "a", name: "f", input: {} } }] }],
    "bedrock",
  ],
  ["nothing that tells", [{ role: "user", content: "x" }], "openai-chat"],
])("%s", (_, input, expected) => {
  expect(detect(input)?.format).toBe(expected);
});
