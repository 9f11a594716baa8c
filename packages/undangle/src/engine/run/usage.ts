import type { Usage } from "../ledger/ledger.ts";

/** Tokens as the providers name them. */
export function usageOf(usage: Readonly<Record<string, unknown>> | undefined): Usage {
  if (usage === undefined) return none;
  const inputTokens = first(usage, inputNames);
  const outputTokens = first(usage, outputNames);
  const totalTokens = first(usage, totalNames) || inputTokens + outputTokens;
  return { inputTokens, outputTokens, totalTokens };
}

const inputNames = ["input_tokens", "prompt_tokens", "promptTokenCount", "inputTokens", "prompt_eval_count"];
const outputNames = ["output_tokens", "completion_tokens", "candidatesTokenCount", "outputTokens", "eval_count"];
const totalNames = ["total_tokens", "totalTokenCount", "totalTokens"];

function first(usage: Readonly<Record<string, unknown>>, names: readonly string[]): number {
  for (const name of names) {
    const value = usage[name];
    if (typeof value === "number" && Number.isFinite(value)) return value;
  }
  return 0;
}

const none: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
