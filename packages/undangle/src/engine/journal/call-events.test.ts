import { expect, test } from "vitest";

import { weightOf } from "./call-events.ts";

test("a value weighs about what its texts do, twice as much where those are beyond Latin", () => {
  expect(weightOf({ text: "x".repeat(1_000_000) })).toBeLessThan(1_001_000);
  expect(weightOf({ text: "名".repeat(1_000_000) })).toBeGreaterThan(2_000_000);
});

test("many small values weigh more than their texts", () => {
  const small = Array.from({ length: 1000 }, (_, i) => ({ type: "text", text: String(i) }));
  expect(weightOf(small)).toBeGreaterThan(5 * JSON.stringify(small).length);
});

test("a value that is nested deeper than calls can be has a weight", () => {
  let deep: unknown = "end";
  for (let i = 0; i < 100_000; i++) deep = [deep];
  expect(weightOf(deep)).toBeGreaterThan(100_000);
});

test.each([undefined, null, 7, true])("%s weighs nothing of its own", (value) => {
  expect(weightOf(value)).toBe(0);
});
