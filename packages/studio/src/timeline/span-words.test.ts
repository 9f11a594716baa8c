import { expect, test } from "vitest";

import { barClasses } from "./chart/bar-looks.ts";
import { isNotable, toneOf } from "./span-words.ts";
import { span } from "./trace.fixture.ts";

test.each([
  ["succeeded", "good", false, false],
  ["done", "good", false, false],
  ["approve", "good", false, false],
  ["failed", "bad", true, true],
  ["crashed", "bad", true, true],
  ["lost", "bad", true, true],
  ["rejected", "neutral", true, false], // a decision is no failure
  ["reject", "neutral", true, false],
  ["expired", "warn", true, false],
  ["awaiting", "warn", false, false],
  ["waiting", "neutral", false, false], // a run that has ended
  ["delegated", "neutral", false, false],
  ["something new", "neutral", false, false],
] as const)("%s is %s", (status, tone, isNamed, isRed) => {
  const one = span("a", { start: 0, status });
  expect([toneOf(one), isNotable(one), barClasses(one).includes("bg-bad-strong")]).toEqual([tone, isNamed, isRed]);
});
