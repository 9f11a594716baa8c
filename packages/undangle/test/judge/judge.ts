import { judgeAnthropic } from "./anthropic.ts";
import { isRecord, modelOf, readInput } from "./loose.ts";
import { judgeMistral, oacRulesThatMistralLacks } from "./mistral.ts";
import { judgeOpenAiChat } from "./openai-chat.ts";
import { judgeProvider } from "./providers.ts";
import type { Verdict } from "./verdict.ts";

export type { Verdict } from "./verdict.ts";

/** What the request is meant for. */
export interface Court {
  readonly format: "openai-chat" | "anthropic";
  readonly provider?: string;
}

/**
 * Every reason for which the provider would refuse the body; an empty list means that it is legal.
 *
 * This is a second opinion: it was written from the rule list and shares no code with the product. Contested rules
 * and rules that cannot be seen offline are no verdicts; neither are rules of a model that the body does not name.
 */
export function judge(body: unknown, { format, provider }: Court): readonly Verdict[] {
  if (format === "anthropic") return judgeAnthropic(body);
  if (provider === "openrouter") return judgeOpenRouter(body);
  return judgeChat(body, provider);
}

/** Hosts that serve OpenAI's own models, and so have OpenAI's limits. */
const openAiHosts: ReadonlySet<string> = new Set(["openai", "azure"]);

function judgeChat(body: unknown, provider: string | undefined): readonly Verdict[] {
  const openAiModels = provider === undefined || openAiHosts.has(provider);
  const common = judgeOpenAiChat(body, { openAiModels });
  if (provider === "mistral") {
    return [...common.filter((verdict) => !oacRulesThatMistralLacks.has(verdict.id)), ...judgeMistral(body)];
  }
  return [...common, ...judgeProvider(body, provider ?? "openai", common)];
}

/** OpenRouter has no rules of its own: the first part of the model's name says whose rules come back. */
const upstreamProviders: ReadonlyMap<string, string> = new Map([
  ["openai", "openai"],
  ["mistralai", "mistral"],
  ["deepseek", "deepseek"],
  ["moonshotai", "moonshot"],
  ["minimax", "minimax"],
  ["qwen", "dashscope"],
  ["z-ai", "zhipu"],
  ["x-ai", "xai"],
]);

/** OpenRouter carries reasoning in fields of its own, so the upstreams' reasoning_content is not asked for there. */
const reasoningRules: ReadonlySet<string> = new Set(["DSK-REASONING", "KIMI-REASONING"]);

function judgeOpenRouter(body: unknown): readonly Verdict[] {
  const [prefix = "", ...rest] = modelOf(readInput(body).body).split("/");
  const upstreamBody = isRecord(body) ? { ...body, model: rest.join("/") } : body;
  const upstream = upstreamProviders.get(prefix) ?? "some other compatible server";
  const verdicts = judgeChat(upstreamBody, upstream).filter((verdict) => !reasoningRules.has(verdict.id));
  const [first] = verdicts;
  if (first === undefined) return [];
  return [...verdicts, { id: "ORT-UPSTREAM", path: first.path, text: `Provider returned error: ${first.text}` }];
}
