import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { formatFacts } from "undangle/report";
import { describe, expect, test } from "vitest";

import { preventionInCode, preventionInSdk, preventionOverHttp, trimming } from "../../src/doctor/prevention.ts";

const all = [
  ...formatFacts.map(({ format }) => preventionInSdk(format)),
  preventionInCode(),
  preventionOverHttp(),
  trimming,
];

describe("the code that prevents a problem", () => {
  test.each(all)("is explained in $page", ({ page }) => {
    expect(existsSync(fileURLToPath(new URL(`../../../../${page}`, import.meta.url)))).toBe(true);
  });

  test("names the provider and the format that the library does not detect", () => {
    expect(preventionInSdk("openai-chat").code).toContain("new OpenAI({ fetch: wrapFetch() })");
    expect(preventionInSdk("openai-chat", { provider: "vllm" }).code).toContain('wrapFetch({ provider: "vllm" })');
    expect(preventionInCode({ provider: "mistral" }).code).toContain('repair(history, { provider: "mistral" })');
    const sent = { format: "ollama", provider: "ollama" } as const;
    expect(preventionInCode(sent).code).toContain('repair(history, { format: "ollama", provider: "ollama" })');
    expect(preventionOverHttp(sent).code).toContain("/repair?format=ollama&provider=ollama'");
  });
});
