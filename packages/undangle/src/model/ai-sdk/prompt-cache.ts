import type { AiSdkTool } from "#codecs";
import { isRecord } from "#core";
import type { JsonObject } from "#core";

import type { ModelRequest, PromptCache } from "../model.ts";
import { packageOf } from "./language-model.ts";
import type { LanguageModel, ProviderOptions } from "./language-model.ts";

/** How a provider package gets the cache of a request: markers of Anthropic or Bedrock, or OpenAI's key. */
type CacheForm = "anthropic" | "bedrock" | "key";

/** Undefined for a model whose package has no setting. Bedrock caches the prompts of Claude and Nova only. */
export function cacheFormOf({ provider, modelId }: LanguageModel): CacheForm | undefined {
  if (/anthropic/u.test(provider)) return "anthropic"; // also the packages of Vertex and Bedrock for Claude's own API
  if (/bedrock/u.test(provider)) return /claude|nova/iu.test(modelId) ? "bedrock" : undefined;
  return /^(?:openai|azure)$/u.test(packageOf({ provider })) ? "key" : undefined;
}

/** The provider options of OpenAI's key. */
export function cacheKeyOptions({ cache }: ModelRequest, model: LanguageModel): ProviderOptions | undefined {
  if (cache?.key === undefined || cacheFormOf(model) !== "key") return undefined;
  const options = { promptCacheKey: cache.key };
  return { openai: options, ...(packageOf(model) === "azure" && { azure: options }) }; // Azure's package has read both names
}

/** The system texts by message. Those that may change have their own, if the prompt has markers. */
export function systemMessages({ cache, system }: ModelRequest): readonly ModelRequest["system"][] {
  if (system.length === 0) return [];
  const first = cache === undefined ? -1 : system.findIndex(({ isVolatile }) => isVolatile === true);
  return first <= 0 ? [system] : [system.slice(0, first), system.slice(first)];
}

/** The parts of a call that can have markers. */
interface Markable {
  readonly prompt: readonly JsonObject[];
  readonly tools?: readonly AiSdkTool[];
}

/** The limit of both providers, and the number of blocks in which a marker finds an earlier one. */
const mostMarkers = 4;
const lookback = 20;

/**
 * Adds markers at the same places as in a request over HTTP. A marker of the whole request, from the options of the
 * program, counts and takes the place of the last message.
 */
export function withCacheMarkers<Call extends Markable>(
  call: Call,
  request: ModelRequest,
  { model, given }: { readonly model: LanguageModel; readonly given: ProviderOptions | undefined },
): Call {
  const form = cacheFormOf(model);
  if (request.cache === undefined || form === undefined || form === "key") return call;
  const { prompt, tools = [] } = call;
  const isAutomatic = given?.["anthropic"]?.["cacheControl"] !== undefined;
  const instructions = prompt.filter(({ role }) => role === "system").length;
  const places: readonly (number | "tools")[] = [
    ...(isAutomatic ? [] : conversationEnds(prompt)),
    ...(systemMessages(request).length > 1 ? [0] : []),
    ...(instructions === 0 ? [] : [instructions - 1]),
    ...(tools.length > 0 && form === "anthropic" ? (["tools"] as const) : []), // the package of Bedrock has none for tools
  ];
  const chosen = new Set(places.slice(0, isAutomatic ? mostMarkers - 1 : mostMarkers));
  const marker = form === "anthropic" ? anthropicMarker(request.cache) : bedrockMarker(request.cache, model);
  const marked = <Item extends object>(item: Item): Item => ({ ...item, providerOptions: merged(item, marker) });
  return {
    ...call,
    prompt: prompt.map((message, i) => (chosen.has(i) ? marked(message) : message)),
    ...(chosen.has("tools") && { tools: tools.map((tool, i) => (i === tools.length - 1 ? marked(tool) : tool)) }),
  };
}

/** The last message, and that of the previous request if it is too far away. */
function conversationEnds(prompt: readonly JsonObject[]): readonly number[] {
  const last = prompt.length - 1;
  if (prompt[last] === undefined || prompt[last]["role"] === "system") return [];
  const turn = prompt.findLastIndex(({ role }) => role === "assistant");
  const previous = turn - 1;
  if (turn === -1 || prompt[previous] === undefined || prompt[previous]["role"] === "system") return [last];
  const parts = prompt
    .slice(turn)
    .reduce((count, { content }) => count + (Array.isArray(content) ? content.length : 1), 0);
  return parts >= lookback ? [last, previous] : [last];
}

const anthropicMarker = ({ ttl }: PromptCache): ProviderOptions => ({
  anthropic: { cacheControl: { type: "ephemeral", ...(ttl === "1h" && { ttl }) } },
});

/** Nova has no choice of the time. */
const bedrockMarker = ({ ttl }: PromptCache, { modelId }: LanguageModel): ProviderOptions => ({
  bedrock: { cachePoint: { type: "default", ...(ttl === "1h" && !/nova/iu.test(modelId) && { ttl }) } },
});

function merged(item: object, marker: ProviderOptions): ProviderOptions {
  const own = "providerOptions" in item && isRecord(item.providerOptions) ? item.providerOptions : {};
  const known = Object.entries(marker).map(([name, fields]) => {
    const before = own[name];
    return [name, { ...fields, ...(isRecord(before) ? before : {}) }] as const;
  });
  return { ...(own as ProviderOptions), ...Object.fromEntries(known) }; // written by the codec
}
