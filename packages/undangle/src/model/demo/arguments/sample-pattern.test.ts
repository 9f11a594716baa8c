import { expect, test } from "vitest";

import { samplePattern } from "./sample-pattern.ts";

test.each([
  "^[A-Z]{3}-\\d{4}$",
  "^(?:GET|POST)$",
  "^(a|b)c?$",
  "^[^a1A]+$",
  "^\\d{3}-\\d{4}(?:-\\d+)?$",
  "^\\p{Lu}\\p{Ll}*$",
  "^\\$\\{\\w+\\}$",
  "^[\\]\\-x]{2}$",
  "[0-9a-f]{8}-[0-9a-f]{4}",
  "",
])("it makes a text for %s", (pattern) => {
  expect(samplePattern(pattern)).toMatch(new RegExp(pattern, "u"));
});

test("the text is as long as it has to be", () => {
  expect(samplePattern("^[a-z]+$", 9)).toMatch(/^[a-z]{9,}$/u);
});

test.each(["^(?=a)b", "(a)\\1", "^(?!x)", "\\u{61}+", "^a{3}$b"])("it does not pretend to know %s", (pattern) => {
  expect(samplePattern(pattern)).toBeUndefined();
});
