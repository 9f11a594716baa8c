import { expect, test } from "vitest";

import { claudeModel } from "./claude-model.ts";

test.each([
  ["claude-3-haiku-20240307", 4096, false, false],
  ["claude-3-5-sonnet-20241022", 8192, false, false],
  ["claude-3-7-sonnet-latest", 32_000, false, false],
  ["claude-sonnet-4-20250514", 32_000, false, false],
  ["claude-opus-4-1-20250805", 32_000, false, true],
  ["claude-haiku-4-5-20251001", 32_000, false, true],
  ["us.anthropic.claude-opus-4-6-v1:0", 32_000, true, true],
  ["claude-sonnet-5", 32_000, true, true],
  ["claude-fable-5", 32_000, true, true],
  ["kimi-k2", 8192, false, false],
])(
  "%s may say %i tokens; it decides itself how long it thinks: %s; it keeps to schemas: %s",
  (id, maxTokens, ...can) => {
    const [isAdaptive, keepsSchemas] = can;
    expect(claudeModel(id)).toEqual({ maxTokens, isAdaptive, keepsSchemas });
  },
);
