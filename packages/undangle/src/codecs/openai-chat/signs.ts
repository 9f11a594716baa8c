import { isRecord, wordOf } from "#core";

import type { Signs } from "../codec.ts";

/** Features that only a chat request has. */
export const chatSigns: Signs = {
  body(body) {
    const tools = Array.isArray(body["tools"]) ? body["tools"] : [];
    if (tools.some((tool) => isRecord(tool) && (isRecord(tool["function"]) || tool["type"] === "function")))
      return true;
    return keys.some((key) => key in body);
  },
  message(message) {
    if ("tool_calls" in message || "tool_call_id" in message || "function_call" in message) return true;
    if (message["role"] === "tool" || message["role"] === "function" || message["role"] === "developer") return true;
    const { content } = message;
    return Array.isArray(content) && content.some((part) => isRecord(part) && parts.has(wordOf(part["type"])));
  },
  model: (name) => name !== "" && !/^claude-|anthropic\.claude/.test(name),
  slight: ({ role }) => role === "system",
};

const keys = ["max_completion_tokens", "stream_options", "response_format", "parallel_tool_calls", "functions", "n"];

const parts = new Set(["image_url", "input_audio", "file", "refusal"]);
