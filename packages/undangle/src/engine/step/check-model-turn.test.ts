import { describe, expect, test } from "vitest";

import { usageOf } from "./check-model-turn.ts";

describe("tokens are told alike of every provider", () => {
  test.each([
    ["nothing", undefined, [0, 0, 0, 0]],
    [
      "OpenAI chat",
      { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12, prompt_tokens_details: { cached_tokens: 8 } },
      [9, 3, 12, 8],
    ],
    [
      "OpenAI Responses",
      { input_tokens: 9, output_tokens: 3, total_tokens: 12, input_tokens_details: { cached_tokens: 8 } },
      [9, 3, 12, 8],
    ],
    [
      "Anthropic",
      { input_tokens: 5, output_tokens: 1, cache_read_input_tokens: 100, cache_creation_input_tokens: 20 },
      [125, 1, 126, 100],
    ],
    [
      "Gemini",
      {
        promptTokenCount: 9,
        candidatesTokenCount: 3,
        thoughtsTokenCount: 4,
        totalTokenCount: 16,
        cachedContentTokenCount: 8,
      },
      [9, 7, 16, 8],
    ],
    ["DeepSeek", { prompt_tokens: 9, completion_tokens: 3, prompt_cache_hit_tokens: 8 }, [9, 3, 12, 8]],
    ["Ollama", { prompt_eval_count: 9, eval_count: 3 }, [9, 3, 12, 0]],
    ["Bedrock", { inputTokens: 9, outputTokens: 3, totalTokens: 12 }, [9, 3, 12, 0]],
    [
      "Bedrock with a cache",
      { inputTokens: 5, outputTokens: 1, cacheReadInputTokens: 100, cacheWriteInputTokens: 20, totalTokens: 126 },
      [125, 1, 126, 100],
    ],
    ["nonsense", { prompt_tokens: "9", completion_tokens: Number.NaN, total_tokens: -5 }, [0, 0, 0, 0]],
    ["less than nothing", { prompt_tokens: 9, completion_tokens: -3 }, [9, 0, 9, 0]],
  ])("%s", (_, usage, [inputTokens, outputTokens, totalTokens, cachedTokens]) => {
    expect(usageOf(usage)).toEqual({ inputTokens, outputTokens, totalTokens, cachedTokens });
  });
});
