import type { StreamFormat } from "#codecs";
import { isRecord } from "#core";

import type { Endpoint } from "./endpoint.ts";

type Body = Readonly<Record<string, unknown>>;

/** True for a request that is what its address says: others may have a path that ends in the same way. */
export function fitsEndpoint(body: Body, { format, isGuess }: Endpoint): boolean {
  if (body[listKeys[format]] === undefined) return false;
  return !isGuess || (looks[format]?.(body) ?? true);
}

/** Where the messages of a body stand. */
const listKeys: Readonly<Record<StreamFormat, string>> = {
  "openai-chat": "messages",
  "openai-responses": "input",
  anthropic: "messages",
  gemini: "contents",
  bedrock: "messages",
  ollama: "messages",
};

const hasModel = ({ model }: Body): boolean => typeof model === "string";

/** What else a request has, of formats whose paths are also those of forums, forms and chats. */
const looks: Readonly<Partial<Record<StreamFormat, (body: Body) => boolean>>> = {
  anthropic: (body) => hasModel(body) || "anthropic_version" in body,
  "openai-responses": (body) => hasModel(body) || "prompt" in body,
  ollama: (body) => hasModel(body) && Array.isArray(body["messages"]) && body["messages"].every(isOfOllama),
};

/** True for a message that Ollama takes; `/api/chat` is where many programs have their own chat, in formats of their own. */
function isOfOllama(message: unknown): boolean {
  if (!isRecord(message) || Object.keys(message).some((key) => !keys.has(key))) return false;
  const { content, tool_calls: calls } = message;
  const isText = content === undefined || content === null || typeof content === "string";
  return isText && (!Array.isArray(calls) || !calls.some(isOfChat));
}

const keys: ReadonlySet<string> = new Set([
  "role",
  "content",
  "thinking",
  "images",
  "tool_calls",
  "tool_name",
  "tool_call_id",
]);

/** True for a call as OpenAI sends it, with a type and the text of its arguments: it is not Ollama that such a history is for. */
const isOfChat = (call: unknown): boolean =>
  isRecord(call) && "type" in call && isRecord(call["function"]) && typeof call["function"]["arguments"] === "string";
