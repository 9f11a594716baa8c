import { check, repair } from "undangle";
import { describe, expect, test } from "vitest";

import { readInput } from "./input/input-readers.ts";
import { sampleNames, samples } from "./samples.ts";
import type { Sample, SampleName } from "./samples.ts";

/** What the titles promise: the format, the broken rules, and the notice about a call without a result. */
const promises = {
  cancelled: ["openai-chat", ["unanswered-call"], "another message came in"],
  interrupted: ["anthropic", ["unanswered-call"], "the conversation was interrupted"],
  trimmed: ["openai-chat", ["orphan-result", "displaced-result"]],
  responses: ["openai-responses", ["unanswered-call"], "another message came in"],
  gemini: ["gemini", ["unanswered-call"], "the conversation was interrupted"],
  bedrock: ["bedrock", ["unanswered-call", "missing-tools"], "another message came in"],
  mistral: ["openai-chat", ["invalid-call-id"]],
  deepseek: ["openai-chat", ["missing-reasoning", "unknown-role", "orphan-result"]],
  aiSdk: ["ai-sdk", ["unanswered-call"], "another message came in"],
  langchain: ["langchain", ["unanswered-call"], "another message came in"],
  log: ["openai-chat", ["unanswered-call"], "another message came in"],
  valid: ["anthropic", []],
} as const satisfies Partial<Record<SampleName, readonly [format: string, rules: readonly string[], notice?: string]>>;

describe("the samples contain what their titles promise", () => {
  test.each(Object.entries(promises))("%s", (name, [format, rules, notice]) => {
    const { text, provider }: Sample = samples[name as SampleName]; // a key of the table
    const history = readInput(text).found.findLast(({ type }) => type === "history");
    if (history?.type !== "history") throw new Error("The sample has no history.");
    const repaired = repair(history.value, { provider });
    expect([repaired.format, check(history.value, { provider }).map(({ rule }) => rule)]).toEqual([format, rules]);
    const inserted = JSON.stringify(repaired.edits.filter(({ type }) => type === "insert"));
    expect(/another message came in|the conversation was interrupted/u.exec(inserted)?.[0]).toBe(notice);
  });

  test("the others are no histories", () => {
    const others = sampleNames.filter((name) => !(name in promises));
    expect(others.map((name) => readInput(samples[name].text).found.map(({ type }) => type))).toEqual([
      ["stream"],
      ["error-text"],
    ]);
  });
});
