import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { judge, type Court, type Format } from "./judge.ts";
import { isRecord, listOf, recordOf } from "../../src/testing/judge/loose.ts";
import { checkableRules, rulesWithoutVerdict } from "./rule-ids.ts";
import { formats } from "./subjects.ts";

const folder = process.env["UNDANGLE_CORPUS"] ?? "";
const isThere = existsSync(join(folder, "broken.jsonl"));

/** Cases that rest on contested rules only. */
const contestedOnly: ReadonlySet<string> = new Set(["c053", "c094", "c125"]);

describe.runIf(isThere)("the corpus in the folder that UNDANGLE_CORPUS names (skipped where it names none)", () => {
  const recorded = casesIn("recorded");
  const refused = [...casesIn("broken"), ...recorded].filter((one) => one.rules.length > 0);
  const accepted = [...casesIn("healthy"), ...recorded].filter((one) => one.rules.length === 0);

  test("is there in both kinds", () => {
    expect(refused.length).toBeGreaterThan(40);
    expect(accepted.length).toBeGreaterThan(60);
  });

  test.each(refused.filter((one) => !contestedOnly.has(one.id)))("$id is refused: $title", (one) => {
    const found = judge(one.request, one.court).map((verdict) => verdict.id);
    expect(found).not.toEqual([]);
    expect(found).toEqual(expect.arrayContaining(one.rules.filter((id) => checkableRules.includes(id))));
  });

  test.each(refused.filter((one) => contestedOnly.has(one.id)))("$id is contested: $title", (one) => {
    expect(judge(one.request, one.court)).toEqual([]);
  });

  test.each(accepted)("$id is accepted: $title", (one) => {
    expect(judge(one.request, one.court)).toEqual([]);
  });
});

const ruleFile = join(folder, "../rules/rules.json");

test.runIf(isThere && existsSync(ruleFile))("every rule of the list is judged, or known as one that cannot be", () => {
  const others = new Set(["openai-responses", "gemini", "bedrock", "ollama"].filter((name) => !isFormat(name)));
  const rules = listOf(JSON.parse(readFileSync(ruleFile, "utf8"))).map(recordOf);
  const ids = rules.filter((rule) => !others.has(String(rule["format"]))).map((rule) => rule["id"]);
  expect(new Set(ids)).toEqual(new Set([...checkableRules, ...rulesWithoutVerdict]));
});

interface Case {
  readonly id: string;
  readonly title: string;
  readonly court: Court;
  readonly rules: readonly string[];
  readonly request: unknown;
}

const isFormat = (name: unknown): name is Format => formats.some((format) => format === name);

function casesIn(name: string): Case[] {
  if (!isThere) return [];
  const lines = readFileSync(join(folder, `${name}.jsonl`), "utf8").split("\n");
  return lines
    .filter((line) => line.trim() !== "")
    .map((line): unknown => JSON.parse(line))
    .filter(isRecord)
    .flatMap((line): Case[] => {
      const { id, title, format, provider, expect: rules, request } = line;
      if (!isFormat(format)) return [];
      const court: Court = typeof provider === "string" ? { format, provider } : { format };
      const known = listOf(rules).filter((rule) => typeof rule === "string");
      return [{ id: String(id), title: String(title), court, rules: known, request }];
    });
}
