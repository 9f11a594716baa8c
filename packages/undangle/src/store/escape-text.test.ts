import fc from "fast-check";
import { expect, test } from "vitest";

import { escapeText, foldCase, unescapeText } from "./escape-text.ts";

/** Texts of any code units, also halves of pairs, and many of those that are escaped. */
const anyText = fc
  .array(fc.oneof(fc.nat(0xffff), fc.constantFrom(0, 0x1a, 0x30, 0xd800, 0xdc00, 0xffff)))
  .map((units) => String.fromCharCode(...units));

test("a text that was escaped is well-formed, has no NUL, and is the same again afterwards", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const escaped = escapeText(text);
      expect(escaped.isWellFormed()).toBe(true);
      expect(escaped).not.toContain("\0");
      expect(unescapeText(escaped)).toBe(text);
    }),
  );
});

test("ordinary texts are not changed", () => {
  for (const text of ["", "t1", "user:42/chat", "C:\\temp", "100 %", "é 日本 👩‍👧", "a\nb"])
    expect(escapeText(text)).toBe(text);
});

test("case is folded for the letters A to Z only", () => {
  expect(foldCase("AbZ ÄÉ İ Σ \u212a")).toBe("abz ÄÉ İ Σ \u212a");
});
