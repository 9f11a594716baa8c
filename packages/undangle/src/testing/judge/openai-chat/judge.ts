import { isRecord, listOf, modelOf, readInput, recordOf, type Loose } from "../loose.ts";
import { judgeChatMedia } from "./media.ts";
import { judgeMistral, oacRulesThatMistralLacks } from "./mistral.ts";
import { judgeOpenAiChat } from "./messages.ts";
import { judgeProvider } from "./providers.ts";
import type { Verdict } from "../verdict.ts";

/** The chat rules of a provider. OpenAI's own rules by default. */
export function judgeChat(body: unknown, provider: string | undefined): readonly Verdict[] {
  return provider === "openrouter" ? judgeOpenRouter(body) : judgeChatOf(body, provider);
}

/** Hosts that serve OpenAI's own models, and so have OpenAI's limits. */
const openAiHosts: ReadonlySet<string> = new Set(["openai", "azure"]);

function judgeChatOf(body: unknown, provider: string | undefined): readonly Verdict[] {
  const openAiModels = provider === undefined || openAiHosts.has(provider);
  const common = judgeOpenAiChat(body, { openAiModels });
  const media = judgeChatMedia(body, provider);
  if (provider === "mistral") {
    return [...common.filter((verdict) => !oacRulesThatMistralLacks.has(verdict.id)), ...judgeMistral(body), ...media];
  }
  return [...common, ...judgeProvider(body, provider ?? "openai", common), ...media];
}

/** OpenRouter applies the rules of its upstream provider, which the model name starts with. */
const upstreamProviders: ReadonlyMap<string, string> = new Map([
  ["openai", "openai"],
  ["mistralai", "mistral"],
  ["deepseek", "deepseek"],
  ["moonshotai", "moonshot"],
  ["minimax", "minimax"],
  ["qwen", "dashscope"],
  ["z-ai", "zhipu"],
  ["x-ai", "xai"],
  ["anthropic", "anthropic"],
  ["google", "google"],
  ["xiaomi", "mimo"],
]);

/** OpenRouter itself reports that no host of a model accepts images, and reads files for every model. */
function atOpenRouter(verdict: Verdict): readonly Verdict[] {
  if (verdict.id.endsWith("-FILE")) return [];
  if (!verdict.id.endsWith("-TEXT-ONLY")) return [verdict];
  return [{ ...verdict, id: "ORT-TEXT-ONLY", text: "No endpoints found that support image input" }];
}

/** OpenRouter also reads reasoning from its own fields, and forwards it in the upstream form. */
function withReasoning(body: Loose): Loose {
  const messages = listOf(body["messages"]).map((message) => {
    const { reasoning, reasoning_details: details } = recordOf(message);
    const isKept = typeof reasoning === "string" || listOf(details).length > 0;
    return isKept && isRecord(message) ? { reasoning_content: "", ...message } : message;
  });
  return { ...body, messages };
}

function judgeOpenRouter(body: unknown): readonly Verdict[] {
  const [prefix = "", ...rest] = modelOf(readInput(body).body).split("/");
  const upstreamBody = isRecord(body) ? withReasoning({ ...body, model: rest.join("/") }) : body;
  const upstream = upstreamProviders.get(prefix) ?? "some other compatible server";
  const verdicts = judgeChatOf(upstreamBody, upstream).flatMap(atOpenRouter);
  const [first] = verdicts;
  if (first === undefined) return [];
  return [...verdicts, { id: "ORT-UPSTREAM", path: first.path, text: `Provider returned error: ${first.text}` }];
}
