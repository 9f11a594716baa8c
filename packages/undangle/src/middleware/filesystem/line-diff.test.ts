import { expect, test } from "vitest";

import { lineDiff } from "./line-diff.ts";

const lines = (...texts: readonly string[]): string => texts.map((text) => `${text}\n`).join("");
const numbers = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => String(i + 1));

test.each([
  ["nothing", lines("a"), lines("a"), ""],
  ["a new file", "", lines("a", "b"), "@@ -0,0 +1,2 @@\n+a\n+b"],
  ["a file that becomes empty", lines("a"), "", "@@ -1,1 +0,0 @@\n-a"],
  ["a change", lines("a", "b", "c"), lines("a", "x", "c"), "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c"],
  ["an insertion", lines("a", "c"), lines("a", "b", "c"), "@@ -1,2 +1,3 @@\n a\n+b\n c"],
  ["lines that stay between changes", lines("a", "b", "c"), lines("b", "c", "d"), "@@ -1,3 +1,3 @@\n-a\n b\n c\n+d"],
  ["CRLF, which is not a change", "a\r\nb\r\n", "a\nb\n", ""],
])("%s", (_, before, after, expected) => {
  expect(lineDiff(before, after)).toBe(expected);
});

test("changes that are far apart have hunks of their own", () => {
  const before = numbers(30);
  const after = before.map((line) => (line === "5" || line === "25" ? `${line}!` : line));
  expect(
    lineDiff(lines(...before), lines(...after))
      .split("\n")
      .filter((line) => line.startsWith("@@")),
  ).toEqual(["@@ -2,7 +2,7 @@", "@@ -22,7 +22,7 @@"]);
});

test("large texts without a common line are cut", () => {
  const diff = lineDiff(lines(...numbers(50_000)), lines(...numbers(50_000).map((line) => `x${line}`)));
  expect(diff.split("\n")).toHaveLength(401);
  expect(diff.endsWith("… 99601 more lines")).toBe(true);
});
