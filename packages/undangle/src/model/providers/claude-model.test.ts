import { expect, test } from "vitest";

import { claudeModel } from "./claude-model.ts";

test.each([
  ["claude-3-haiku-20240307", 4096, 4096, false, false, "both"],
  ["claude-3-5-sonnet-20241022", 8192, 8192, false, false, "both"],
  ["claude-3-7-sonnet-latest", 32_000, 64_000, false, false, "both"],
  ["claude-sonnet-4-20250514", 32_000, 64_000, false, false, "both"],
  ["claude-opus-4-20250514", 32_000, 32_000, false, false, "both"],
  ["claude-opus-4-1-20250805", 32_000, 32_000, false, true, "one"],
  ["claude-haiku-4-5-20251001", 32_000, 64_000, false, true, "one"],
  ["us.anthropic.claude-opus-4-6-v1:0", 32_000, Infinity, true, true, "one"],
  ["claude-opus-4-7", 32_000, Infinity, true, true, "none"],
  ["claude-sonnet-5", 32_000, Infinity, true, true, "none"],
  ["claude-fable-5", 32_000, Infinity, true, true, "none"],
  ["kimi-k2", 8192, Infinity, false, false, "both"],
] as const)(
  "%s may say %i tokens, at most %i; it decides itself how long it thinks: %s; it keeps to schemas: %s; it takes of temperature and topP: %s",
  (id, maxTokens, mostTokens, ...can) => {
    const [isAdaptive, keepsSchemas, sampling] = can;
    expect(claudeModel(id)).toEqual({ maxTokens, mostTokens, isAdaptive, keepsSchemas, sampling });
  },
);
