import fc from "fast-check";
import { expect, test } from "vitest";
import { pad, printable, textWidth, truncate, wrap } from "./text-width.ts";

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

test("nothing in a text can steer the terminal or end the line", () => {
  expect(printable("a\u001B[31mb\nc\td\u202Ee\u009Bf\uD800")).toBe("a\\x1b[31mb\\nc\\td\\u202ee\\x9bf\\ud800");
  expect(printable("né 汉 😀")).toBe("né 汉 😀");
});

test("what nobody sees is made visible too, but not what joins emoji or makes a flag", () => {
  expect(printable("pay\u200B\u{E0041}\u{E0042}\u061C\uFEFF")).toBe("pay\\u200b\\u{e0041}\\u{e0042}\\u061c\\ufeff");
  const whole = "👨\u200D👩\u200D👧 ❤\uFE0F \u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}";
  expect(printable(whole)).toBe(whole);
});

test("padding counts columns, not letters", () => {
  expect(`${pad("汉", 4)}|`).toBe("汉  |");
});
