import type { JsonObject } from "#core";
import { codecs } from "#codecs";
import type { StreamFormat } from "#codecs";

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

/** Providers by the end of their host, with the formats for which they have their own rules. */
const hosts: readonly (readonly [host: string, provider: string, formats: readonly StreamFormat[]])[] = [
  ["api.openai.com", "openai", ["openai-chat", "openai-responses"]],
  [".openai.azure.com", "azure", ["openai-chat", "openai-responses"]],
  [".services.ai.azure.com", "azure", ["openai-chat", "openai-responses"]],
  [".cognitiveservices.azure.com", "azure", ["openai-chat", "openai-responses"]],
  ["mistral.ai", "mistral", ["openai-chat"]],
  ["deepseek.com", "deepseek", ["openai-chat", "openai-responses", "anthropic"]],
  ["moonshot.ai", "moonshot", ["openai-chat", "anthropic"]],
  ["moonshot.cn", "moonshot", ["openai-chat", "anthropic"]],
  ["kimi.com", "moonshot", ["openai-chat", "anthropic"]],
  ["minimax.io", "minimax", ["openai-chat", "anthropic"]],
  ["minimaxi.com", "minimax", ["openai-chat", "anthropic"]],
  ["minimax.chat", "minimax", ["openai-chat", "anthropic"]],
  ["bigmodel.cn", "zhipu", ["openai-chat", "anthropic"]],
  ["z.ai", "zhipu", ["openai-chat", "anthropic"]],
  ["xiaomimimo.com", "mimo", ["openai-chat", "anthropic"]],
  ["aliyuncs.com", "dashscope", ["openai-chat", "openai-responses", "anthropic"]],
  ["x.ai", "xai", ["openai-chat", "openai-responses"]],
  ["groq.com", "groq", ["openai-chat", "openai-responses"]],
  ["openrouter.ai", "openrouter", ["openai-chat", "openai-responses", "anthropic"]],
  ["cohere.ai", "cohere", ["openai-chat"]],
  ["cohere.com", "cohere", ["openai-chat"]],
  ["aiplatform.googleapis.com", "vertex", ["gemini"]],
  ["api.anthropic.com", "anthropic", ["anthropic"]],
];

/** Model names of providers, with or without the prefix that gateways add. */
const models: readonly (readonly [model: RegExp, provider: string])[] = [
  [
    /^(?:mistral\/)?(?:mistral-(?:tiny|small|medium|large|saba|nemo)|open-mi[sx]tral|(?:code|mini|magi|dev|pix)stral-)/iu,
    "mistral",
  ],
  [/^(?:deepseek\/)?deepseek-(?:chat|reasoner|v\d)/iu, "deepseek"],
  [/^(?:moonshot(?:ai)?\/)?(?:kimi|moonshot)-/iu, "moonshot"],
  [/^(?:minimax\/)?minimax-/iu, "minimax"],
  [/^(?:(?:zai|z-ai|zhipu)\/)?glm-\d/iu, "zhipu"],
  [/^(?:x-?ai\/)?grok-\d/iu, "xai"],
  [/^(?:xiaomi\/)?mimo-v\d/iu, "mimo"],
];

/** The provider whose rules apply. At an unknown host that is the maker of the model. */
export function rulesProvider({ format, provider }: Endpoint, { model }: JsonObject): string | undefined {
  const isShared = format === "openai-chat" || format === "anthropic";
  if (provider !== undefined || !isShared || typeof model !== "string") return provider;
  return models.find(([name, maker]) => codecs[format].providers.includes(maker) && name.test(model))?.[1];
}

/** Recognises an endpoint by the end of its path, at any host. */
export function endpointOf(address: string): Endpoint | undefined {
  const url = parse(address);
  if (url === undefined) return undefined;
  for (const [path, format, maker] of paths) {
    const match = path.exec(url.pathname);
    if (match === null) continue;
    const provider =
      maker ?? hosts.find(([host, , formats]) => formats.includes(format) && isHost(url.hostname, host))?.[1];
    const isGuess = provider === undefined && !isNamed(url, format);
    return { format, provider, model: decoded(match.groups?.["model"]), isGuess };
  }
  return undefined;
}

/** The host itself or a subdomain. */
const isHost = (hostname: string, host: string): boolean =>
  hostname === host || hostname.endsWith(host.startsWith(".") ? host : `.${host}`);

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
