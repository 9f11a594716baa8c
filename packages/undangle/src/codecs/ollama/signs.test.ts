import { expect, test } from "vitest";

import { detect } from "../detect.ts";

const call = { function: { name: "f", arguments: {} } };
const user = { role: "user", content: "x" };
const tools = [{ type: "function", function: { name: "f" } }];

test.each<[name: string, input: unknown, expected: string]>([
  ["parameters of Ollama", { model: "llama3.2", messages: [user], keep_alive: "5m" }, "ollama"],
  ["options", { model: "llama3.2", messages: [user], options: { num_ctx: 1 }, tools }, "ollama"],
  ["a result with tool_name", [user, { role: "tool", tool_name: "f", content: "x" }], "ollama"],
  ["images beside the text", { model: "llava", messages: [{ ...user, images: ["AAAA"] }] }, "ollama"],
  ["calls without ids and with objects", { tools, messages: [{ role: "assistant", tool_calls: [call] }] }, "ollama"],
  [
    "objects for a local model",
    { model: "qwen3:8b", tools, messages: [{ role: "assistant", tool_calls: [{ id: "a", ...call }] }] },
    "ollama",
  ],
  [
    "objects that slipped into a chat request",
    { model: "gpt-4o", tools, messages: [{ role: "assistant", tool_calls: [{ id: "a", ...call }] }] },
    "openai-chat",
  ],
  [
    "a local model behind the chat format",
    {
      model: "llama3.2",
      messages: [{ role: "assistant", tool_calls: [{ id: "a", function: { name: "f", arguments: "{}" } }] }],
    },
    "openai-chat",
  ],
])("%s", (_, input, expected) => {
  expect(detect(input)).toEqual({ format: expected, confidence: "known" });
});
