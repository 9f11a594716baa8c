import { isRecord, wordOf } from "#core";

import type { Signs } from "../codec.ts";

/** Features that only a Messages request has. */
export const anthropicSigns: Signs = {
  body(body) {
    const tools = Array.isArray(body["tools"]) ? body["tools"] : [];
    if (tools.some((tool) => isRecord(tool) && "input_schema" in tool)) return true;
    const { thinking } = body;
    return keys.some((key) => key in body) || (isRecord(thinking) && "budget_tokens" in thinking);
  },
  message({ content }) {
    return Array.isArray(content) && content.some((part) => isRecord(part) && blocks.has(wordOf(part["type"])));
  },
  model: (name) => /^claude-|anthropic\.claude/.test(name),
  slight: () => false,
};

const keys = ["anthropic_version", "anthropic_beta", "system", "stop_sequences", "mcp_servers"];

const blocks = new Set([
  "tool_use",
  "tool_result",
  "thinking",
  "redacted_thinking",
  "server_tool_use",
  "image",
  "document",
  "search_result",
]);
