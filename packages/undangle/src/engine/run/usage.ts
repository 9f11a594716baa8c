import { isRecord } from "#core";
import type { JsonObject } from "#core";

import { noUsage } from "../ledger/ledger.ts";
import type { Usage } from "../ledger/ledger.ts";

/**
 * Reads token counts by the names that providers use. Anthropic reports cache reads and writes separately from input,
 * and Gemini reports thinking separately from output. Both are included here.
 */
export function usageOf(usage: JsonObject | undefined): Usage {
  if (usage === undefined) return noUsage;
  const beside = first(usage, ["cache_read_input_tokens", "cacheReadInputTokens"]);
  const written = first(usage, ["cache_creation_input_tokens", "cacheWriteInputTokens"]);
  const inputTokens = first(usage, inputNames) + beside + written;
  const outputTokens = first(usage, outputNames) + first(usage, ["thoughtsTokenCount"]);
  const counted = inputTokens + outputTokens;
  const totalTokens = Math.max(first(usage, ["total_tokens", "totalTokenCount", "totalTokens"]), counted);
  return { inputTokens, outputTokens, totalTokens, cachedTokens: beside || cachedIn(usage) };
}

const inputNames = ["input_tokens", "prompt_tokens", "promptTokenCount", "inputTokens", "prompt_eval_count"];
const outputNames = ["output_tokens", "completion_tokens", "candidatesTokenCount", "outputTokens", "eval_count"];

/** The input tokens that came from a cache. */
function cachedIn(usage: JsonObject): number {
  for (const name of ["prompt_tokens_details", "input_tokens_details"]) {
    const details = usage[name];
    if (isRecord(details)) return first(details, ["cached_tokens"]);
  }
  return first(usage, ["cachedContentTokenCount", "prompt_cache_hit_tokens", "cachedInputTokens", "cached_tokens"]);
}

function first(usage: JsonObject, names: readonly string[]): number {
  for (const name of names) {
    const value = usage[name];
    if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value;
  }
  return 0;
}
