import fc from "fast-check";
import { expect, test } from "vitest";

import { shortenStrings } from "./shorten-strings.ts";

const cut = (text: string): string => `${text.slice(0, 2)}…`;

test.each([
  ['{"a":"short"}', '{"a":"short"}'],
  ['{"a":"0123456789x"}', '{"a":"01…"}'],
  ['{"a" : "0123456789x" , "b":[1, "0123456789x"]}', '{"a" : "01…" , "b":[1, "01…"]}'],
  ['{"0123456789x":"y"}', '{"0123456789x":"y"}'],
  ['{"0123456789x"\n :"y"}', '{"0123456789x"\n :"y"}'],
  [String.raw`{"a":"\"\\\"\\\"\\"}`, String.raw`{"a":"\"\\\"\\\"\\"}`],
  [String.raw`{"a":"\"\"\"\"\"\"\"\"\"\"\"\\"}`, String.raw`{"a":"\"\"…"}`],
  ['{"n":12345678901234567890.10}', '{"n":12345678901234567890.10}'],
])("%s", (json, expected) => {
  expect(shortenStrings(json, 10, cut)).toBe(expected);
});

test("the result is the JSON of the same value with its long strings replaced", () => {
  const shortened = (value: unknown): unknown => {
    if (typeof value === "string") return value.length > 10 ? cut(value).toWellFormed() : value;
    if (Array.isArray(value)) return value.map(shortened);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shortened(each)]));
  };
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const json = JSON.stringify(value, undefined, 1);
      expect(JSON.parse(shortenStrings(json, 10, (text) => cut(text).toWellFormed()))).toEqual(
        shortened(JSON.parse(json)),
      );
    }),
  );
});
