import fc from "fast-check";
import { expect, test } from "vitest";

import { isExact, readJson } from "./read-json.ts";

test.each([
  ["", 1, 1],
  ["abc", 1, 1],
  ['{"a": 1,}', 1, 9],
  ['{"a": 1', 1, 8],
  ['{"a" 1}', 1, 6],
  ["{a: 1}", 1, 2],
  ['{\n  "a": 1\n  "b": 2\n}', 3, 3],
  ["[1, 2", 1, 6],
  ["[1 2]", 1, 4],
  ["[1}", 1, 3],
  ["1 2", 1, 3],
  ['{"a": tru}', 1, 7],
  ['"a\nb"', 1, 1],
  ["[,]", 1, 2],
])("finds the error of %j at line %i, column %i", (text, line, column) => {
  expect(readJson(text)).toEqual({ line, column });
});

test("valid JSON has a value, and a damaged text has a place inside it", () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (text, at) => {
      const value: unknown = JSON.parse(text);
      expect(readJson(text)).toEqual({ value, inexact: [] });
      const cut = text.slice(0, at % text.length);
      const read = readJson(cut);
      expect("line" in read ? read.column : 0).toBeLessThanOrEqual(cut.length + 1);
    }),
  );
});

test("numbers that JavaScript would change are listed as written", () => {
  expect(readJson('{"a": 12345678901234567890, "b": 0.1, "c": [9007199254740993]}')).toMatchObject({
    inexact: ["12345678901234567890", "9007199254740993"],
  });
});

test.each([
  ["1", true],
  ["-0.10", true],
  ["1e3", true],
  ["100000000000000000000", true],
  ["0.1", true],
  ["000", true],
  ["12345678901234567890", false],
  ["0.12345678901234567890123", false],
  ["1e999", false],
])("%s is exact: %s", (written, exact) => {
  expect(isExact(written)).toBe(exact);
});
