import { expect, test } from "vitest";
import { harmless, harmlessJson, printable } from "./printable.ts";

test("nothing in a text can steer the terminal or end the line", () => {
  expect(printable("a\u001B[31mb\nc\td\u202Ee\u009Bf\uD800")).toBe("a\\x1b[31mb\\nc\\td\\u202ee\\x9bf\\ud800");
  expect(printable("né 汉 😀")).toBe("né 汉 😀");
});

test("what nobody sees is made visible too, but not what joins emoji or makes a flag", () => {
  expect(printable("pay\u200B\u{E0041}\u{E0042}\u061C\uFEFF")).toBe("pay\\u200b\\u{e0041}\\u{e0042}\\u061c\\ufeff");
  const whole = "👨\u200D👩\u200D👧 ❤\uFE0F \u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}";
  expect(printable(whole)).toBe(whole);
});

test("text of this program keeps its lines, tabs and colours, and nothing else", () => {
  const own = "a\tb\r\nc\n\u001B[31mred\u001B[39m \u001B[1mbold\u001B[22m";
  expect(harmless(own)).toBe(own);
  expect(harmless("\u001B[31mred", { colors: false })).toBe(String.raw`\u001b[31mred`);
  expect(harmless("a\rb\u001B[2Jc\u001B[8md\u001B]0;t\u0007\u009B2J\u202E")).toBe(
    String.raw`a\u000db\u001b[2Jc\u001b[8md\u001b]0;t\u0007\u009b2J\u202e`,
  );
});

test("a JSON document keeps its value", () => {
  const value = { "k\u009By": ["\u202Eb\uFEFF\u{E0041}", "né 汉 😀", "\u001B\n"] };
  const written = JSON.stringify(value);
  expect(JSON.parse(harmless(written))).toEqual(value);
  expect(JSON.parse(harmlessJson(`\r${written}\r`))).toEqual(value);
  expect(harmlessJson(written)).toBe(String.raw`{"k\u009by":["\u202eb\ufeff\udb40\udc41","né 汉 😀","\u001b\n"]}`);
});
