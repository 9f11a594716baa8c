import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { check, repair } from "undangle";
import { describe, expect, test } from "vitest";
import { lostTexts } from "./judge/generate.ts";
import { judge } from "./judge/judge.ts";
import type { Format } from "./judge/judge.ts";
import { formats } from "./judge/subjects.ts";

const folder = process.env["UNDANGLE_CORPUS"] ?? "";
const isThere = existsSync(join(folder, "broken.jsonl"));

/** Cases that rest on contested rules only: they need not be flagged. */
const contestedOnly: ReadonlySet<string> = new Set(["c053", "c094", "c125"]);

/** A chat request, sent to the native endpoint of a server that takes both: nothing in it tells. */
const looksOtherwise: ReadonlySet<string> = new Set(["c052"]);

interface Case {
  readonly id: string;
  readonly format: Format;
  readonly provider?: string;
  readonly expect: readonly string[];
  readonly must_keep: readonly string[];
  readonly request: unknown;
}

describe.runIf(isThere)("the corpus in the folder that UNDANGLE_CORPUS names (skipped where it names none)", () => {
  const cases = ["broken", "healthy", "recorded"].flatMap(casesIn);

  test.each(cases.filter((one) => one.expect.length > 0))("$id is flagged, mended, and keeps its texts", (one) => {
    const options = targetOf(one);
    expect(contestedOnly.has(one.id) || check(one.request, options).length > 0).toBe(true);
    const { output, problems } = repair(one.request, options);
    expect(problems).toEqual([]);
    expect(judge(output, options)).toEqual([]);
    expect(lostTexts(one.must_keep, output)).toEqual([]);
    expect(repair(output, options).output).toBe(output);
  });

  test.each(cases.filter((one) => one.expect.length === 0))("$id is left alone", (one) => {
    expect(check(one.request, targetOf(one))).toEqual([]);
    expect(repair(one.request, targetOf(one)).output).toBe(one.request);
  });

  test.each(cases.filter((one) => !looksOtherwise.has(one.id)))("$id is told by its looks", (one) => {
    const { format: _, ...rest } = targetOf(one);
    expect(repair(one.request, rest).format).toBe(one.format);
  });
});

function targetOf({ format, provider }: Case): { format: Case["format"]; provider?: string } {
  return { format, ...(provider === undefined ? {} : { provider }) };
}

function casesIn(name: string): Case[] {
  if (!isThere) return [];
  const lines = readFileSync(join(folder, `${name}.jsonl`), "utf8").split("\n");
  const all = lines.filter((line) => line.trim() !== "").map((line) => JSON.parse(line) as Case); // our own file format
  return all.filter(({ format }) => formats.includes(format));
}
