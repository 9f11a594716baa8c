import type { Journal, JsonObject, Source } from "#core";

import { isFilled } from "./says-elsewhere.ts";

/** Keys beside the content of chat and Ollama messages that SDKs return with a response. */
const besideContent: ReadonlySet<string> = new Set([
  "tool_calls",
  "function_call",
  "tool_call_id",
  "tool_name",
  "name",
  "refusal",
  "annotations",
  "audio",
  "images",
  "parsed",
  "reasoning",
  "reasoning_content",
  "reasoning_details",
  "thinking",
]);

/** The item keys of a Responses message. */
export const itemKeys: ReadonlySet<string> = new Set(["type", "id", "status", "phase"]);

/** The other keys of a complete Anthropic response, which has the same type. */
const answerKeys: ReadonlySet<string> = new Set([
  "model",
  "stop_reason",
  "stop_sequence",
  "stop_details",
  "usage",
  "container",
  "context_management",
]);

/** Gemini's messages have parts instead of content. */
export const partsKey: ReadonlySet<string> = new Set(["parts"]);

const none: ReadonlySet<string> = new Set();

/** True for a message key of other formats. `own` contains the keys that this format has too. */
function isOfOthers(key: string, { type, parts }: JsonObject, own: ReadonlySet<string>): boolean {
  if (besideContent.has(key)) return true;
  if (key === "parts") return !own.has(key) && Array.isArray(parts) && parts.length === 0; // others are read
  return type === "message" && !own.has(key) && (itemKeys.has(key) || answerKeys.has(key));
}

/** True if a message has keys of other formats. */
export function hasKeysOfOthers(message: JsonObject, own: ReadonlySet<string> = none): boolean {
  for (const key in message) {
    if (key !== "role" && key !== "content" && isOfOthers(key, message, own)) return true;
  }
  return false;
}

/** The keys of other formats in a message. */
export const keysOfOthers = (message: JsonObject, own: ReadonlySet<string> = none): readonly string[] =>
  Object.keys(message).filter((key) => message[key] !== undefined && isOfOthers(key, message, own));

/** Removes keys of other formats. Their content was already moved, or has no equivalent. */
export function dropKeysOfOthers(message: JsonObject, source: Source, journal: Journal, own = none): JsonObject {
  if (!hasKeysOfOthers(message, own)) return message;
  const gone = keysOfOthers(message, own);
  for (const key of gone) {
    const finding = { rule: "unknown-property" as const, message: `A message has no ${key}.` };
    journal.note({ source, suffix: `.${key}` }, finding, { type: "remove", lossless: saysNothing(key, message[key]) });
  }
  return gone.length === 0
    ? message
    : Object.fromEntries(Object.entries(message).filter(([key]) => !gone.includes(key)));
}

/** True if a key can be removed without loss. */
export const saysNothing = (key: string, value: unknown): boolean =>
  itemKeys.has(key) || answerKeys.has(key) || !isFilled(value);
