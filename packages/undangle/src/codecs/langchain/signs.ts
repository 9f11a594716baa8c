import { isRecord } from "#core";
import type { JsonObject } from "#core";

import type { Signs } from "../codec.ts";
import { isInstance } from "./envelope.ts";

/** Features that only LangChain's messages have, as instances or in serialized form. */
export const langchainSigns: Signs = {
  body: () => false,
  message: isLangchain,
  model: () => false,
  slight: () => false,
  fits: isLangchain, // plain objects with a role usually belong to another format
};

function isLangchain(message: JsonObject): boolean {
  const { type, role, content, data, kwargs } = message;
  if (isInstance(message) || (message["lc"] === 1 && isRecord(kwargs))) return true;
  if ("invalid_tool_calls" in message || "tool_call_chunks" in message) return true;
  if (typeof type === "string" && types.has(type))
    return isRecord(data) || (role === undefined && content !== undefined);
  const calls = message["tool_calls"];
  return Array.isArray(calls) && calls.some((call) => isRecord(call) && "args" in call && !("function" in call));
}

const types: ReadonlySet<string> = new Set([
  "human",
  "ai",
  "tool",
  "system",
  "function",
  "generic",
  "chat",
  "remove",
  "AIMessageChunk",
  "HumanMessageChunk",
  "ToolMessageChunk",
  "SystemMessageChunk",
]);
