import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { refuseUnknownTools } from "../../src/engine/approvals/rules.ts";

/** A pattern with a wildcard that no tool fits is reported, and not refused. */
const fits = (pattern: string, name: string): boolean =>
  refuseUnknownTools({ option: "approvals", from: "agent", rules: [{ tools: pattern }] }, [name]).length === 0;

describe("wildcards in the tools of a rule", () => {
  test.each([
    ["*a".repeat(40), "a".repeat(40), true],
    ["*a".repeat(40), "a".repeat(39), false],
    [`${"*a".repeat(40)}*`, "ab".repeat(40), true],
    [`${"a*".repeat(30)}b`, "a".repeat(5000), false], // a regular expression would not come to an end here
    ["a*a", "a", false],
    ["a**b", "ab", true],
    ["ab*ba", "aba", false],
    ["*aa*a", "aaa", true],
    ["*aa*a", "aa", false],
    ["*.b", "a.b", true],
    ["*.b", "axb", false],
    ["*", "", true],
    ["*\n*", "a\nb", true],
  ])("%j, %j: %s", (pattern, name, expected) => {
    expect(fits(pattern, name)).toBe(expected);
  });

  test("match as a regular expression does", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: 7 }),
        fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 9 }),
        (text, name) => {
          const pattern = `${text}*`;
          expect(fits(pattern, name)).toBe(new RegExp(`^${pattern.replaceAll("*", ".*")}$`, "u").test(name));
          expect(fits(`*${text}`, name)).toBe(new RegExp(`^${`*${text}`.replaceAll("*", ".*")}$`, "u").test(name));
        },
      ),
    );
  });
});
