import { codecs } from "#codecs";
import type { StreamFormat } from "#codecs";
import { isRecord } from "#core";

import type { Endpoint } from "./endpoint.ts";
import type { ReadRequest, UnreadRequest } from "./request-body.ts";
import { isSaidBy, showsFormat } from "./shows-format.ts";

type Body = Readonly<Record<string, unknown>>;

/** True for a request that is what its address says: others may have a path that ends in the same way. */
export function fitsEndpoint(request: Pick<ReadRequest, "body" | "agent" | "version">, endpoint: Endpoint): boolean {
  const { body, agent } = request;
  const { format, isGuess } = endpoint;
  if (body[listKeys[format]] === undefined) return false;
  return !isGuess || ((looks[format]?.(body, agent, endpoint) ?? true) && showsFormat(request, endpoint));
}

/** The same for one whose body was not read: something else has to tell its format, the address or who sends it. */
export function fitsUnread({ agent, version }: UnreadRequest, { format, provider, isGuess }: Endpoint): boolean {
  if (!isGuess || provider !== undefined) return true;
  return format === "ollama" ? isOllamasClient.test(agent) : isSaidBy({ body: {}, agent, version }, format);
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
const looks: Readonly<Partial<Record<StreamFormat, (body: Body, agent: string, endpoint: Endpoint) => boolean>>> = {
  anthropic: (body, _, { model }) => (model === undefined && hasModel(body)) || "anthropic_version" in body, // others name it in the path too
  "openai-responses": (body) => hasModel(body) || "prompt" in body,
  ollama: isForOllama,
};

/**
 * `/api/chat` is where many programs have their own chat, in formats of their own. It is Ollama's for its own clients, for
 * messages as it has them, and for messages as OpenAI has them where something else is as only Ollama has it.
 */
function isForOllama(body: Body, agent: string): boolean {
  const { messages, model } = body;
  if (typeof model !== "string" || !Array.isArray(messages)) return false;
  if (isOllamasClient.test(agent) || messages.every(isOfOllama)) return true;
  const offers = Array.isArray(body["tools"]) && body["tools"].length > 0 && !isOfOthers.test(model);
  const isLikely =
    offers || (model.length < 200 && isTag.test(model)) || isOllamasOptions(body) || messages.some(isNative);
  return isLikely && Object.keys(body).every((key) => bodyKeys.has(key)) && messages.every(isOfChat);
}

const isOllamasClient = /^ollama\b/iu;

const isNative = (message: unknown): boolean => isRecord(message) && codecs.ollama.signs.message(message);

/** A size, a quantisation or a version as Ollama puts it behind the name of a model. */
const isTag = /^[\w./-]+:(?:latest|cloud|(?:[\w.]+-)*(?:[ae]?\d+(?:\.\d+)?[bm]|q\d\w*)(?:-[\w.]+)*)$/iu;

/** A model that is nobody's to run at home: a chat of somebody's own may offer it tools. */
const isOfOthers =
  /^(?:openai|anthropic|google|azure|mistralai|x-ai)[/:]|^(?:gpt-(?!oss)|o\d|chatgpt|claude|gemini|grok)/iu;

/** True for a body with what no other protocol has. */
const isOllamasOptions = (body: Body): boolean =>
  "keep_alive" in body ||
  "think" in body ||
  (isRecord(body["options"]) && Object.keys(body["options"]).some((key) => /^num_|^mirostat|^repeat_/u.test(key)));

const bodyKeys: ReadonlySet<string> = new Set([
  "model",
  "messages",
  "tools",
  "stream",
  "format",
  "options",
  "keep_alive",
  "think",
  "logprobs",
  "top_logprobs",
  "truncate",
  "shift",
]);

/** True for a message that Ollama takes. */
function isOfOllama(message: unknown): boolean {
  if (!hasOnly(message, keys)) return false;
  const { content, tool_calls: calls } = message;
  const isText = content === undefined || content === null || typeof content === "string";
  return isText && (!Array.isArray(calls) || !calls.some(isCallOfChat));
}

/** True for a message of the chat format, or Ollama's. */
const isOfChat = (message: unknown): boolean => hasOnly(message, chatKeys) && typeof message["role"] === "string";

const hasOnly = (message: unknown, known: ReadonlySet<string>): message is Body =>
  isRecord(message) && Object.keys(message).every((key) => known.has(key));

const keys: ReadonlySet<string> = new Set([
  "role",
  "content",
  "thinking",
  "images",
  "tool_calls",
  "tool_name",
  "tool_call_id",
]);

const chatKeys: ReadonlySet<string> = new Set([
  ...keys,
  "name",
  "refusal",
  "annotations",
  "audio",
  "function_call",
  "reasoning",
  "reasoning_content",
  "reasoning_details",
]);

/** True for a call as OpenAI sends it, with a type and the text of its arguments. */
const isCallOfChat = (call: unknown): boolean =>
  isRecord(call) && "type" in call && isRecord(call["function"]) && typeof call["function"]["arguments"] === "string";
