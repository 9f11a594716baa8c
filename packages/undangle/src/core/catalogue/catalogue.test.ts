import { describe, expect, test } from "vitest";
import type { RuleId } from "./catalogue.ts";
import { confidenceIn, confidenceOf, families, rules } from "./catalogue.ts";
import { coveredIds } from "./covered-ids.fixture.ts";

const slugs = Object.keys(rules) as RuleId[];
const cases = slugs.flatMap((rule) => rules[rule].cases.map((one) => ({ rule, ...one })));

describe("what the catalogue covers", () => {
  test.each(slugs)("%s covers the ids that it is there for", (rule) => {
    expect(rules[rule].cases.map(({ id }) => id)).toEqual(coveredIds[rule]);
  });

  test("every known rule of a provider is covered", () => {
    expect(new Set(cases.map(({ id }) => id))).toEqual(new Set(Object.values(coveredIds).flat()));
    expect(new Set(slugs)).toEqual(new Set(Object.keys(coveredIds)));
  });

  test("a family holds no slug of another", () => {
    const all = Object.values(families).flatMap((family) => Object.keys(family));
    expect(new Set(all).size).toBe(all.length);
    expect(all.toSorted()).toEqual(slugs.toSorted());
  });
});

describe("every rule", () => {
  test.each(slugs)("%s has a kebab-case slug and whole sentences", (rule) => {
    const { title, statement, why, fix, cases: own } = rules[rule];
    expect(rule).toMatch(/^[a-z]+(?:-[a-z]+)*$/u);
    expect(title).toMatch(/^[A-Z`t].*[^.]$/u);
    for (const sentence of [statement, why, fix]) expect(sentence).toMatch(/^[A-Za-z`].*\.$/u);
    expect(own.length).toBeGreaterThan(0);
    expect(new Set(own.map(({ id }) => id)).size).toBe(own.length);
  });

  test("no two rules have the same title", () => {
    expect(new Set(slugs.map((rule) => rules[rule].title)).size).toBe(slugs.length);
  });
});

describe("every case", () => {
  const formats = ["openai-chat", "openai-responses", "anthropic", "gemini", "bedrock", "ollama"];

  test.each(cases)("$id in $rule says what holds and how it is known", (one) => {
    expect(one.statement).toMatch(/\.$/u);
    expect(one.provider === undefined ? formats : ["openai-chat", "anthropic"]).toContain(one.format);
    expect(one.source).toMatch(one.evidence === "derived" ? /^$|^https:\/\//u : /^https:\/\//u);
    for (const text of one.errors) {
      expect(text.trim()).toBe(text);
      expect(text).not.toMatch(/^$|not verified|^as [A-Z]|^same text/u);
    }
  });
});

describe("confidence", () => {
  const derived = rules["misplaced-block"].cases.find(({ evidence }) => evidence === "derived");
  const [recorded] = rules["text-after-call"].cases;

  test("what follows from another rule is likely, the rest is known", () => {
    expect(derived && confidenceOf(derived)).toBe("likely");
    expect(recorded && confidenceOf(recorded)).toBe("known");
  });

  test.each<readonly [RuleId, string, string | undefined, "known" | "likely"]>([
    ["unanswered-call", "openai-chat", undefined, "known"],
    ["unanswered-call", "openai-chat", "groq", "known"],
    ["early-result", "openai-responses", undefined, "likely"],
    ["result-not-first", "bedrock", undefined, "likely"],
    ["result-not-first", "anthropic", undefined, "known"],
    ["misplaced-block", "gemini", undefined, "known"],
    ["misplaced-block", "bedrock", undefined, "likely"],
    ["unanswered-call", "a format without cases", undefined, "likely"],
  ])("%s in %s for %s is %s", (rule, format, provider, expected) => {
    expect(confidenceIn(rule, format, provider)).toBe(expected);
  });
});
