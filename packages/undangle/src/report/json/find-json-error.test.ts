import fc from "fast-check";
import { expect, test } from "vitest";
import { findJsonError } from "./find-json-error.ts";

test.each([
  ["", "empty", 0],
  ["  \n", "empty", 0],
  ["[1,\n", "cut-off", 3],
  ['{"a": 1', "cut-off", 7],
  ['{"a": "x', "cut-off", 8],
  ['{"a": "x\\', "cut-off", 9],
  ['{"a": tru', "cut-off", 9],
  ['{"a": 1.', "cut-off", 8],
  ["[", "cut-off", 1],
  ['{"a"', "cut-off", 4],
  ["{} {}", "extra", 3],
  ["[1,]", "trailing-comma", 3],
  ['{"a":1,}', "trailing-comma", 7],
  ["{'a': 1}", "single-quotes", 1],
  ["[ // hm\n1]", "comment", 2],
  ["[1 /* hm */]", "comment", 3],
  ['{"a": None}', "python-word", 6],
  ['{"a": NaN}', "no-number", 6],
  ['{"a": undefined}', "no-number", 6],
  ['{"a": [Array]}', "shortened", 7],
  ['{"a": [ ... 3 more items ]}', "shortened", 8],
  ['[{"a": 1}, …]', "shortened", 11],
  ["[<Message object at 0x7f>]", "shortened", 1],
  ['{"a": "x\ny"}', "control-character", 8],
  ['{"a": "\\x"}', "bad-escape", 7],
  ['{"a": 01}', "bad-number", 6],
  ['{"a": +1}', "bad-number", 6],
  ['{"a": }', "value", 6],
  ["{a: 1}", "key", 1],
  ['{"a" 1}', "colon", 5],
  ['{"a": 1 "b": 2}', "comma", 8],
  ["[1}", "comma", 2],
  ["hello", "value", 0],
])("%j is %s at %i", (text, fault, offset) => {
  expect(findJsonError(text)).toEqual({ fault, offset });
});

test("finds a fault exactly where JSON.parse does", () => {
  const mutated = fc
    .tuple(fc.json(), fc.nat(), fc.constantFrom("", ",", '"', "}", "]", "1", "\\", "x", "\n"))
    .map(([json, at, by]) => {
      const index = at % (json.length + 1);
      return json.slice(0, index) + by + json.slice(index + 1);
    });
  fc.assert(
    fc.property(mutated, (text) => {
      expect(findJsonError(text) === undefined).toBe(isJson(text));
    }),
    { numRuns: 2000 },
  );
});

test("nesting without end does not exhaust the stack", () => {
  expect(findJsonError("[".repeat(1_000_000))).toEqual({ fault: "cut-off", offset: 1_000_000 });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
