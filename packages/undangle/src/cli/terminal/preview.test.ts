import { expect, test } from "vitest";
import { preview, quoted } from "./preview.ts";
import { textWidth } from "./text-width.ts";

test.each([
  [{ role: "user", content: "hello" }, 40, '{role: "user", content: "hello"}'],
  [{ role: "user", content: "hello" }, 24, '{role: "user", content:…'],
  [[1, null, true, "x"], 40, '[1, null, true, "x"]'],
  ["a\nb\u001B[31m", 40, String.raw`"a\nb\u001b[31m"`],
  [7, 40, "7"],
])("%j in %i columns", (value, columns, line) => {
  expect(preview(value, columns)).toBe(line);
});

test("neither depth nor length matters", () => {
  let deep: unknown = "x".repeat(10_000_000);
  for (let level = 0; level < 100_000; level++) deep = level % 2 === 0 ? [deep] : { deep };
  expect(textWidth(preview(deep, 60))).toBeLessThanOrEqual(60);
  expect(
    textWidth(
      preview(
        Array.from({ length: 1_000_000 }, () => deep),
        60,
      ),
    ),
  ).toBeLessThanOrEqual(60);
});

test("of a long text the beginning is quoted, and its length said", () => {
  expect(quoted("abc", 10)).toBe('"abc"');
  expect(quoted("x".repeat(2000), 3)).toBe('"xxx…" (2,000 characters)');
});
