import { expect, test } from "vitest";

import { changeLine } from "./change-line.ts";

const line = (before: Record<string, unknown>, after: Record<string, unknown>): string =>
  changeLine(before, after, "not given");

test.each([
  ["one value", { a: 1, amount: 300 }, { a: 1, amount: 250 }, "amount: 300 → 250"],
  ["another type", { id: 5 }, { id: "5" }, 'id: 5 → "5"'],
  ["a space at the end", { to: "Ann" }, { to: "Ann " }, 'to: "Ann" → "Ann "'],
  ["a new and a removed key", { a: 1 }, { b: null }, "a: 1 → not given · b: not given → null"],
  ["a key of every object", {}, { constructor: 1 }, "constructor: not given → 1"],
  ["inside an object", { who: { name: "Ann", age: 3 } }, { who: { name: "Bob", age: 3 } }, 'who.name: "Ann" → "Bob"'],
  [
    "inside a list",
    { legs: [{ to: "A" }, { to: "B" }] },
    { legs: [{ to: "A" }, { to: "C" }] },
    'legs[1].to: "B" → "C"',
  ],
  ["a longer list", { ids: [1] }, { ids: [1, 2] }, "ids: [1] → [1,2]"],
])("%s", (_name, before, after, expected) => {
  expect(line(before, after)).toBe(expected);
});

test("long values are cut to where they differ", () => {
  const text = "Pay at once. ".repeat(2_000);
  const shown = line({ note: `${text}300 EUR` }, { note: `${text}250 EUR` });
  expect(shown).toBe('note: …t once. 300 EUR" → …t once. 250 EUR"');
  expect(line({ note: "a" }, { note: "b".repeat(1_000_000) }).length).toBeLessThan(80);
});

test("many changes end with an ellipsis", () => {
  const many = (value: number) => Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`key ${i}`, value]));
  const shown = line(many(1), many(2));
  expect(shown.length).toBeLessThan(400);
  expect(shown.startsWith("key 0: 1 → 2 · key 1: 1 → 2 · ")).toBe(true);
  expect(shown.endsWith(" · …")).toBe(true);
});
