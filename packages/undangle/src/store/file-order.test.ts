import fc from "fast-check";
import { expect, test } from "vitest";

import { compareCodePoints, endOfPrefix } from "./file-order.ts";

const character = fc.oneof(
  fc.constantFrom("a", "b", "\u0001", "\u{10ffff}", "\ud7ff", "\ue000", "\uffff", "\u{10000}"),
  fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
);
const text = fc.array(character, { maxLength: 4 }).map((characters) => characters.join(""));

test("texts are compared as their UTF-8", () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(compareCodePoints(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
});

test("the texts from a prefix to its end are those that start with it", () => {
  fc.assert(
    fc.property(text, text, fc.boolean(), (prefix, other, isLonger) => {
      const given = isLonger ? prefix + other : other;
      const end = endOfPrefix(prefix);
      const isBetween =
        compareCodePoints(given, prefix) >= 0 && (end === undefined || compareCodePoints(given, end) < 0);
      expect(isBetween).toBe(given.startsWith(prefix));
      expect(end === undefined || end.isWellFormed()).toBe(true);
    }),
  );
});

test.each([
  ["/a/", "/a0"],
  ["/%", "/&"],
  ["\ud7ff", "\ue000"],
  ["😀", "😁"],
  ["a\u{10ffff}\u{10ffff}", "b"],
  ["\u{10ffff}", undefined],
  ["", undefined],
])("the end of %j is %j", (prefix, end) => {
  expect(endOfPrefix(prefix)).toBe(end);
});
