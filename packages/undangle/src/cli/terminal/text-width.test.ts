import fc from "fast-check";
import { expect, test } from "vitest";
import { pad, textWidth, truncate, wrap } from "./text-width.ts";

test.each([
  ["", 0],
  ["abc", 3],
  ["né", 2],
  ["ne\u0301", 2],
  ["汉字", 4],
  ["，。", 4],
  ["😀", 2],
  ["→", 1],
])("%j takes %i columns", (text, width) => {
  expect(textWidth(text)).toBe(width);
});

test.each([
  ["abcdef", 6, "abcdef"],
  ["abcdef", 5, "abcd…"],
  ["汉字汉字", 8, "汉字汉字"],
  ["汉字汉字", 7, "汉字汉…"],
  ["汉字汉字", 6, "汉字…"],
])("%j cut to %i columns is %j", (text, columns, cut) => {
  expect(truncate(text, columns)).toBe(cut);
});

test.each([
  ["one two three", 8, ["one two", "three"]],
  ["abcdefghijkl", 8, ["abcdefgh", "ijkl"]],
  ["工具调用没有结果。", 10, ["工具调用没", "有结果。"]],
  ["工具调用没，有结果", 10, ["工具调用", "没，有结果"]],
  ["", 8, [""]],
])("%j in lines of %i", (text, columns, lines) => {
  expect(wrap(text, columns)).toEqual(lines);
});

test("lines after the first hang", () => {
  expect(wrap("key: one two three four", 12, { hanging: 3 })).toEqual(["key: one two", "   three", "   four"]);
});

test("wrapping keeps every letter and the width", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("a", " ", "汉", "。", "😀", "bcd") }),
      fc.integer({ min: 8, max: 30 }),
      (text, columns) => {
        const lines = wrap(text, columns);
        expect(lines.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
        for (const line of lines) expect(textWidth(line.trimEnd())).toBeLessThanOrEqual(columns);
      },
    ),
  );
});

test("a word of a million letters is wrapped in one pass", () => {
  const lines = wrap("a".repeat(1_000_000), 80, { hanging: 2 });
  expect(lines).toHaveLength(1 + Math.ceil((1_000_000 - 80) / 78));
  expect([lines[0], lines[1]]).toEqual(["a".repeat(80), `  ${"a".repeat(78)}`]);
});

test("padding counts columns, not letters", () => {
  expect(`${pad("汉", 4)}|`).toBe("汉  |");
});
