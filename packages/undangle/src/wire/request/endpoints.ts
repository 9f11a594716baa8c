import { codecs, providerOfHost, providerOfModel } from "#codecs";
import type { StreamFormat } from "#codecs";
import { isRecord, wordOf } from "#core";
import type { JsonObject } from "#core";

import type { ReadRequest, UnreadRequest } from "./read-request.ts";

/** What the address of a request shows about its destination. */
export interface Endpoint {
  readonly format: StreamFormat;
  /** Undefined for unknown hosts, where the rules of the format's own provider apply. */
  readonly provider: string | undefined;
  /** The model, if the path names it. */
  readonly model: string | undefined;
  /** Only the end of the path matches. Servers of other formats may have such a path too. */
  readonly isGuess: boolean;
}

/** The ends of paths by format. */
const paths: readonly (readonly [path: RegExp, format: StreamFormat, provider?: string])[] = [
  [/\/chat\/completions\/?$/u, "openai-chat"],
  [/\/responses(?:\/(?:compact|input_tokens))?\/?$/u, "openai-responses"], // compaction and token counting validate the input too
  [/\/messages(?:\/count_tokens)?\/?$/u, "anthropic"],
  // Publishers on Vertex use their own formats.
  [/\/publishers\/mistralai\/models\/(?<model>[^/:]+):(?:raw|streamRaw)Predict$/u, "openai-chat", "mistral"],
  [/\/publishers\/ai21\/models\/(?<model>[^/:]+):(?:raw|streamRaw)Predict$/u, "openai-chat"],
  [/\/(?:models|endpoints)\/(?<model>[^/:]+):(?:raw|streamRaw)Predict$/u, "anthropic"],
  [/\/(?:models|tunedModels)\/(?<model>[^/:]+):(?:g|streamG)enerateContent$/u, "gemini"],
  [/\/endpoints\/[^/:]+:(?:g|streamG)enerateContent$/u, "gemini"], // a tuned model on Vertex
  [/\/api\/chat\/?$/u, "ollama"],
];

/** The provider whose rules apply. At an unknown host that is the maker of the model. */
export const rulesProvider = ({ format, provider }: Endpoint, { model }: JsonObject): string | undefined =>
  provider ?? providerOfModel(format, model);

/** Recognises an endpoint by the end of its path, at any host. */
export function endpointOf(address: string): Endpoint | undefined {
  const url = parse(address);
  if (url === undefined) return undefined;
  for (const [path, format, maker] of paths) {
    const match = path.exec(url.pathname);
    if (match === null) continue;
    const provider = maker ?? providerOfHost(format, url.hostname);
    const isGuess = provider === undefined && !isNamed(url, format);
    return { format, provider, model: decoded(match.groups?.["model"]), isGuess };
  }
  return undefined;
}

/** True if another part of the address names the format. */
const isNamed = (url: URL, format: StreamFormat): boolean =>
  (format === "ollama" && isOllama(url)) || (format === "anthropic" && /\/anthropic\//u.test(url.pathname));

/** True for Ollama's port, a host with its name, or a gateway's path below `/ollama/`. */
const isOllama = ({ port, hostname, pathname }: URL): boolean =>
  port === "11434" || /(?:^|[.-])ollama(?:[.-]|$)/u.test(hostname) || isBelowOllama(pathname);

function isBelowOllama(pathname: string): boolean {
  const at = pathname.indexOf("/ollama/");
  return at >= 0 && pathname.includes("/api/chat", at + "/ollama".length);
}

function parse(address: string): URL | undefined {
  try {
    return new URL(address, "http://localhost"); // a browser may be given a path
  } catch {
    return undefined;
  }
}

function decoded(part: string | undefined): string | undefined {
  try {
    return part === undefined ? undefined : decodeURIComponent(part);
  } catch {
    return part; // not percent-encoded
  }
}

type Body = JsonObject;
type Sent = Pick<ReadRequest, "body" | "agent" | "version">;

/** True for a request of the endpoint's format. Servers of other formats have paths with the same ending. */
export function fitsEndpoint(sent: Sent, endpoint: Endpoint): boolean {
  const { format, isGuess } = endpoint;
  if (sent.body[codecs[format].listKey] === undefined) return false;
  if (!isGuess) return true;
  return (evidence[format]?.requires?.(sent, endpoint) ?? true) && hasMessagesOf(sent, endpoint);
}

/** The same for a request whose body was not read, so that its address or its client has to name the format. */
export function fitsUnread({ agent, version }: UnreadRequest, { format, provider, isGuess }: Endpoint): boolean {
  if (!isGuess || provider !== undefined) return true;
  if (format === "ollama") return isOllamaClient.test(agent);
  return evidence[format]?.isNamed?.({ body: {}, agent, version }) ?? true;
}

/**
 * False if the messages are of another format: the rules of the endpoint's format would remove fields that they do not know.
 */
function hasMessagesOf(sent: Sent, { format, provider }: Endpoint): boolean {
  const { isNamed, isOwn, isPossible } = evidence[format] ?? {};
  if (isNamed === undefined || provider !== undefined) return true; // no other format has such a path, or the host names it
  const list = sent.body[codecs[format].listKey];
  if (!Array.isArray(list) || list.length === 0 || isNamed(sent)) return true;
  return (
    list.some((message) => isRecord(message) && isOwn?.(message) === true) ||
    list.every((message) => isRecord(message) && isPossible?.(message) === true)
  );
}

/** What shows that a request is of a format whose paths other services have too. */
interface Evidence {
  /** What every request of the format has. */
  readonly requires?: (sent: Sent, endpoint: Endpoint) => boolean;
  /** The client or the fields beside the messages name the format. */
  readonly isNamed?: (sent: Sent) => boolean;
  /** A message that only this format has. */
  readonly isOwn?: (message: Body) => boolean;
  /** A message that the format may have. */
  readonly isPossible?: (message: Body) => boolean;
}

const hasModel = ({ model }: Body): boolean => typeof model === "string";
const isOpenAiClient = ({ agent }: Sent): boolean => /openai/iu.test(agent);

const evidence: Readonly<Partial<Record<StreamFormat, Evidence>>> = {
  anthropic: {
    // Other services name the model in the path too.
    requires: ({ body }, { model }) => (model === undefined && hasModel(body)) || "anthropic_version" in body,
    isNamed: ({ body, agent, version }) =>
      version !== undefined || /anthropic/iu.test(agent) || codecs.anthropic.signs.body(body),
    isOwn: (message) => codecs.anthropic.signs.message(message),
    isPossible: hasOnlyKeys(["user", "assistant"], ["role", "content"]),
  },
  "openai-responses": {
    requires: ({ body }) => hasModel(body) || "prompt" in body,
    isNamed: (sent) => isOpenAiClient(sent) || responsesKeys.some((key) => key in sent.body),
    isOwn: (message) => codecs["openai-responses"].signs.message(message),
    isPossible: hasOnlyKeys(
      ["user", "assistant", "system", "developer"],
      ["role", "content", "type", "id", "status", "phase"],
    ),
  },
  "openai-chat": {
    isNamed: (sent) => isOpenAiClient(sent) || codecs["openai-chat"].signs.body(sent.body),
    isOwn: (message) => typeof message["role"] === "string" && chatContentKeys.some((key) => key in message),
  },
  ollama: { requires: ({ body, agent }) => isForOllama(body, agent) },
};

const responsesKeys = [
  "instructions",
  "previous_response_id",
  "conversation",
  "max_output_tokens",
  "reasoning",
  "include",
];

const chatContentKeys = ["content", "tool_calls", "function_call", "refusal", "audio"];

/** Matches messages with one of these roles, with content, and with no other keys than these. */
function hasOnlyKeys(roles: readonly string[], keys: readonly string[]): (message: Body) => boolean {
  return (message) =>
    roles.includes(wordOf(message["role"])) &&
    "content" in message &&
    Object.keys(message).every((key) => keys.includes(key));
}

/**
 * Many programs serve a chat of their own at `/api/chat`. A request there is Ollama's if its client is Ollama's, if all its messages
 * are, or if its messages are of the chat format and something else shows Ollama.
 */
function isForOllama(body: Body, agent: string): boolean {
  const { messages, model } = body;
  if (typeof model !== "string" || !Array.isArray(messages)) return false;
  if (isOllamaClient.test(agent) || messages.every(isOllamaMessage)) return true;
  const offersTools = Array.isArray(body["tools"]) && body["tools"].length > 0 && !isHostedModel.test(model);
  const isTagged = model.length < 200 && isModelTag.test(model);
  const isLikely = offersTools || isTagged || hasOllamaOptions(body) || messages.some(isNativeMessage);
  return isLikely && Object.keys(body).every((key) => bodyKeys.has(key)) && messages.every(isChatMessage);
}

const isOllamaClient = /^ollama\b/iu;

const isNativeMessage = (message: unknown): boolean => isRecord(message) && codecs.ollama.signs.message(message);

/** A size, a quantisation or a version that Ollama appends to the name of a model. */
const isModelTag = /^[\w./-]+:(?:latest|cloud|(?:[\w.]+-)*(?:[ae]?\d+(?:\.\d+)?[bm]|q\d\w*)(?:-[\w.]+)*)$/iu;

/** A model that Ollama does not run. Another program's chat may offer it tools. */
const isHostedModel =
  /^(?:openai|anthropic|google|azure|mistralai|x-ai)[/:]|^(?:gpt-(?!oss)|o\d|chatgpt|claude|gemini|grok)/iu;

/** True for a body with options that no other protocol has. */
const hasOllamaOptions = (body: Body): boolean =>
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

/** True for a message that Ollama accepts. */
function isOllamaMessage(message: unknown): boolean {
  if (!hasKeysOf(message, ollamaKeys)) return false;
  const { content, tool_calls: calls } = message;
  const isText = content === undefined || content === null || typeof content === "string";
  return isText && (!Array.isArray(calls) || !calls.some(isChatCall));
}

/** True for a message of the chat format, or Ollama's. */
const isChatMessage = (message: unknown): boolean =>
  hasKeysOf(message, chatKeys) && typeof message["role"] === "string";

const hasKeysOf = (message: unknown, known: ReadonlySet<string>): message is Body =>
  isRecord(message) && Object.keys(message).every((key) => known.has(key));

const ollamaKeys: ReadonlySet<string> = new Set([
  "role",
  "content",
  "thinking",
  "images",
  "tool_calls",
  "tool_name",
  "tool_call_id",
]);

const chatKeys: ReadonlySet<string> = new Set([
  ...ollamaKeys,
  "name",
  "refusal",
  "annotations",
  "audio",
  "function_call",
  "reasoning",
  "reasoning_content",
  "reasoning_details",
]);

/** True for a call of the chat format, with a type and its arguments as text. */
const isChatCall = (call: unknown): boolean =>
  isRecord(call) && "type" in call && isRecord(call["function"]) && typeof call["function"]["arguments"] === "string";
