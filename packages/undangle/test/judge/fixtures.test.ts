import { describe, expect, test } from "vitest";
import { broken } from "../fixtures/broken.ts";
import { healthy } from "../fixtures/healthy.ts";
import { judge, type Court } from "./judge.ts";
import { checkableRules, laterRules } from "./rule-ids.ts";
import { lostTexts } from "./texts.ts";

function courtOf({ format, provider }: Court): Court {
  return provider === undefined ? { format } : { format, provider };
}

function rulesBroken(body: unknown, court: Court): string[] {
  return [...new Set(judge(body, courtOf(court)).map((verdict) => verdict.id))].sort();
}

describe("broken fixtures", () => {
  test.each(broken)("$id breaks the rules that it names and no other", ({ body, rules, ...court }) => {
    expect(rulesBroken(body, court)).toEqual([...rules].sort());
  });

  test.each(broken.filter((fixture) => fixture.twin !== undefined))("$id has a legal twin", ({ twin, ...court }) => {
    expect(rulesBroken(twin, court)).toEqual([]);
  });

  test.each(broken)("$id holds the texts that a repair has to keep", ({ body, keep }) => {
    expect(lostTexts(keep, body)).toEqual([]);
  });

  test("exist at least twice for every rule that can be seen offline and is not contested", () => {
    const count = (id: string): number => broken.filter((fixture) => fixture.rules.includes(id)).length;
    const rules = [...checkableRules, ...laterRules];
    expect(rules.filter((id) => count(id) < 2)).toEqual([]);
    expect(broken.flatMap((fixture) => fixture.rules).filter((id) => !rules.includes(id))).toEqual([]);
  });
});

describe("healthy fixtures", () => {
  test.each(healthy)("$id is legal", ({ body, ...court }) => {
    expect(judge(body, courtOf(court))).toEqual([]);
  });
});

test("fixtures have names of their own", () => {
  const names = [...broken, ...healthy].map((fixture) => fixture.id);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
