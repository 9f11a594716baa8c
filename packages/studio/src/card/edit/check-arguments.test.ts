import { expect, test } from "vitest";

import { checkArguments, isEqual, isRefused } from "./check-arguments.ts";

const schema = {
  type: "object",
  properties: {
    to: { type: "string", minLength: 2 },
    amount: { type: "number", exclusiveMinimum: 0, maximum: 1000, multipleOf: 0.01 },
    total: { type: "number", multipleOf: 0.01 },
    currency: { enum: ["EUR", "USD"] },
    items: { type: "array", maxItems: 2, items: { $ref: "#/$defs/item" } },
    note: { anyOf: [{ type: "string" }, { type: "null" }] },
    id: { anyOf: [{ type: "string" }, { type: "integer" }] },
    day: { type: "string", format: "date" },
    at: { type: "string", format: "date-time" },
  },
  required: ["to", "amount"],
  additionalProperties: false,
  $defs: { item: { type: "object", properties: { sku: { type: "integer" } }, required: ["sku"] } },
};

test.each<[string, unknown, readonly unknown[]]>([
  ["valid arguments", { to: "Ann", amount: 0.07, currency: "EUR", items: [{ sku: 1 }], note: null }, []],
  ["a missing argument", { to: "Ann" }, [["amount", { type: "missing" }]]],
  ["a text as a number", { to: "Ann", amount: "12" }, [["amount", { type: "wrong-type", expected: ["number"] }]]],
  ["a number as a text", { to: 5, amount: 1 }, [["to", { type: "wrong-type", expected: ["string"] }]]],
  ["an unknown key", { to: "Ann", amount: 1, cc: 1 }, [["cc", { type: "unknown-key", isRefused: true }]]],
  [
    "a value outside the list",
    { to: "Ann", amount: 1, currency: "GBP" },
    [["currency", { type: "not-listed", allowed: ["EUR", "USD"] }]],
  ],
  ["a limit", { to: "Ann", amount: 1001 }, [["amount", { type: "limit", limit: "maximum", bound: 1000 }]]],
  ["a large multiple of cents", { to: "Ann", amount: 999.99, total: 150_000.02 }, []],
  [
    "no multiple of cents",
    { to: "Ann", amount: 1, total: 150_000.025 },
    [["total", { type: "limit", limit: "multipleOf", bound: 0.01 }]],
  ],
  ["a length", { to: "A", amount: 1 }, [["to", { type: "limit", limit: "minLength", bound: 2 }]]],
  [
    "a fault in a list, through a reference",
    { to: "Ann", amount: 1, items: [{ sku: 1 }, { sku: 1.5 }] },
    [["items[1].sku", { type: "wrong-type", expected: ["integer"] }]],
  ],
  ["a key with a dot", { to: "Ann", amount: 1, "a.b": 1 }, [['["a.b"]', { type: "unknown-key", isRefused: true }]]],
  ["no alternative", { to: "Ann", amount: 1, id: 5.5 }, [["id", { type: "no-alternative" }]]],
  [
    "another type than null or text",
    { to: "Ann", amount: 1, note: 5 },
    [["note", { type: "wrong-type", expected: ["string"] }]],
  ],
  [
    "a day that does not exist",
    { to: "Ann", amount: 1, day: "2026-02-30" },
    [["day", { type: "format", format: "date" }]],
  ],
  [
    "a time without a zone",
    { to: "Ann", amount: 1, at: "2026-02-03T10:00:00" },
    [["at", { type: "format", format: "date-time" }]],
  ],
  ["a time", { to: "Ann", amount: 1, day: "2026-02-03", at: "2026-02-03T10:00:00.5+02:00" }, []],
  ["another value than an object", [], [["", { type: "wrong-type", expected: ["object"] }]]],
])("finds %s", (_name, value, problems) => {
  expect(checkArguments(schema, value).map(({ path, fault }) => [path, fault])).toEqual(problems);
});

test("an unknown key that the schema does not exclude is only a warning", () => {
  const [problem, ...others] = checkArguments({ type: "object", properties: { a: {} } }, { a: 1, b: 2 });
  expect(others).toEqual([]);
  expect(problem).toEqual({ path: "b", fault: { type: "unknown-key", isRefused: false } });
  expect(problem && isRefused(problem)).toBe(false);
});

test("parts of allOf do not report the keys of other parts", () => {
  const parts = { allOf: [{ properties: { a: { type: "string" } } }, { properties: { b: { type: "string" } } }] };
  expect(checkArguments(parts, { a: "x", b: "y" })).toEqual([]);
  expect(checkArguments(parts, { a: "x", b: 1 })).toHaveLength(1);
});

test("a schema that refers to itself, patterns that never end and 10,000 keys are checked", () => {
  const tree = { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/a" } } };
  expect(checkArguments(tree, { a: 1 })).toEqual([]);
  const list = { type: "object", properties: { next: { $ref: "#" } } };
  let deep: object = {};
  for (let i = 0; i < 5000; i++) deep = { next: deep };
  const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, i]));
  const slow = { type: "object", properties: { text: { type: "string", pattern: "^(a+)+$" } } };
  expect(checkArguments(list, deep)).toEqual([]);
  expect(checkArguments(list, many).length).toBeLessThanOrEqual(20);
  expect(checkArguments(slow, { text: `${"a".repeat(60)}!` })).toEqual([]);
});

test("JSON values are equal regardless of the order of keys", () => {
  expect(isEqual({ a: 1, b: [{ c: 1, d: 2 }] }, { b: [{ d: 2, c: 1 }], a: 1 })).toBe(true);
  expect(isEqual({ a: 1 }, { a: 2 })).toBe(false);
  expect(isEqual(null, {})).toBe(false);
});
