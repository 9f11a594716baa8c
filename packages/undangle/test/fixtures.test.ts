import { check, repair } from "undangle";
import { describe, expect, test } from "vitest";
import { broken } from "./fixtures/broken.ts";
import { healthy } from "./fixtures/healthy.ts";
import { lostTexts } from "./judge/generate.ts";
import { judge } from "./judge/judge.ts";
import type { Format } from "./judge/judge.ts";

/** What no repair can mend: nobody can tell what was meant. */
const beyondRepair: ReadonlySet<string> = new Set(["no-messages", "unknown-role", "unknown-block", "system-position"]);

const target = ({ format, provider }: { format: Format; provider?: string }) => ({
  format,
  ...(provider === undefined ? {} : { provider }),
});

describe("broken histories", () => {
  test.each(broken)("$id is flagged, mended, and nothing of it is lost", (fixture) => {
    const options = target(fixture);
    expect(check(fixture.body, options)).not.toEqual([]);
    const { output, problems } = repair(fixture.body, options);
    expect(problems.filter(({ rule, repairable }) => repairable || !beyondRepair.has(rule))).toEqual([]);
    expect(problems.length > 0 ? [] : judge(output, options)).toEqual([]);
    expect(lostTexts(fixture.keep, output)).toEqual([]);
    expect(repair(output, options).output).toBe(output);
  });

  test.each(broken.filter(({ twin }) => twin !== undefined))("the legal twin of $id is left alone", (fixture) => {
    expect(check(fixture.twin, target(fixture))).toEqual([]);
    expect(repair(fixture.twin, target(fixture)).output).toBe(fixture.twin);
  });
});

describe("healthy histories, some of them surprising", () => {
  test.each(healthy)("$id is left alone", (fixture) => {
    expect(check(fixture.body, target(fixture))).toEqual([]);
    expect(repair(fixture.body, target(fixture)).output).toBe(fixture.body);
  });
});
