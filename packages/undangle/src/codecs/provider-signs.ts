import type { Format } from "./codec.ts";
import { codecs } from "./formats.ts";

/** Providers by the end of their host, with the formats for which they have their own rules. */
const hosts: readonly (readonly [host: string, provider: string, formats: readonly Format[]])[] = [
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

/** The provider of a host that has rules of its own for the format. */
export const providerOfHost = (format: Format, hostname: string): string | undefined =>
  hosts.find(([host, , formats]) => formats.includes(format) && isHost(hostname, host))?.[1];

/** The maker of a model, in formats that several makers serve. */
export function providerOfModel(format: Format, model: unknown): string | undefined {
  const isShared = format === "openai-chat" || format === "anthropic";
  if (!isShared || typeof model !== "string") return undefined;
  return models.find(([name, maker]) => codecs[format].providers.includes(maker) && name.test(model))?.[1];
}

/** The host itself or a subdomain. */
const isHost = (hostname: string, host: string): boolean =>
  hostname === host || hostname.endsWith(host.startsWith(".") ? host : `.${host}`);
