import { describe, expect, test } from "vitest";

import { textSegments } from "./text-segments.ts";

/** The text with marks in angle brackets. */
const shown = (text: string): string =>
  textSegments(text)
    .map((segment) => (segment.isMarked ? `⟨${segment.text}⟩` : segment.text))
    .join("");

describe("characters that deceive a reader", () => {
  test.each([
    ["a\u202Eb", "a⟨U+202E⟩b"],
    [`a${"\u200B".repeat(1900)}b`, "a⟨U+200B ×1900⟩b"],
    ["\u200B\u200C", "⟨U+200B U+200C⟩"],
    ["a\u200B\u200C\u200B", "a⟨U+200B U+200C ×3⟩"],
    ["rm\uFE01 -rf", "rm⟨U+FE01⟩ -rf"],
    ["a\u034Fb \u2800 \u180B", "a⟨U+034F⟩b ⟨U+2800⟩ ⟨U+180B⟩"],
    ["p\u0430ypal", "p⟨а U+0430⟩ypal"],
    ["\u0430\u0440\u0440\u04CF\u0435.com", "⟨аррӏе U+0430 U+0440 U+04CF U+0435 ×5⟩.com"],
    ["admin@\u0430\u0435.\u0440\u0443", "admin@⟨ае U+0430 U+0435⟩.⟨ру U+0440 U+0443⟩"],
    ["\uFF41pple.com", "⟨ａ U+FF41⟩pple.com"],
    ["\u{1D41A}b", "⟨𝐚 U+1D41A⟩b"],
    ["a.com\u2215b", "a.com⟨∕ U+2215⟩b"],
    ["ab\u0261", "ab⟨ɡ U+0261⟩"],
    ["a.com\u2044b\u29F8c\u2571d", "a.com⟨⁄ U+2044⟩b⟨⧸ U+29F8⟩c⟨╱ U+2571⟩d"],
    ["a\uFF0Ecom\uFF0Fb", "a⟨． U+FF0E⟩com⟨／ U+FF0F⟩b"],
    ["/etc\uFF0F\uFF0E\uFF0E", "/etc⟨／．． U+FF0F U+FF0E ×3⟩"],
    ["a\u2024com", "a⟨․ U+2024⟩com"],
    ["p\u0561ypal", "p⟨ա U+0561⟩ypal"],
    ["\u13AApple", "⟨Ꭺ U+13AA⟩pple"],
    ["g\u2C9F\u2C9Fgle", "g⟨ⲟⲟ U+2C9F ×2⟩gle"],
    ["\u00E9\u0430", "é⟨а U+0430⟩"],
    ["report1\uFE0F.txt", "report1⟨U+FE0F⟩.txt"],
    ["#\uFE0F*\uFE0F", "#⟨U+FE0F⟩*⟨U+FE0F⟩"],
    [`ls${"\n".repeat(80)}rm -rf`, "ls\n⟨U+000A ×80⟩\nrm -rf"],
    [`ls${"\r\n".repeat(80)}rm -rf`, "ls\r\n⟨U+000A ×80⟩\nrm -rf"],
    ["echo ok\rrm -rf\r", "echo ok⟨U+000D⟩rm -rf⟨U+000D⟩"],
    [`ls${" ".repeat(400)}; rm`, "ls⟨U+0020 ×400⟩; rm"],
  ])("%j", (text, expected) => expect(shown(text)).toBe(expected));
});

describe("ordinary text", () => {
  test.each([
    "Привет, мир. Файл отчёт.txt и папка/файл",
    "Он пошёл в лес. А она осталась.",
    "Λόγος και μύθος",
    "Ха-ха, со-автор",
    "👩‍👩‍👧 ❤️ 👍🏽 1️⃣ #️⃣ 🏳️‍🌈 👩🏽‍🚀 ©️",
    "是／否 一．项目 ╱╲",
    "API를 Vue的 TのX ㄅa 5 µm Hawaiʻi fiancé",
    "转账 100 元：请确认（ABC）。",
    "İstanbul'da kapı",
    "a\n\nb\n\tc",
    "Name\r\n----\r\n\r\nfile.txt\r\n",
    "x".repeat(10_000),
  ])("%j", (text) => expect(shown(text)).toBe(text));
});

test("a text full of marks has a bounded number of segments, and loses none of its text", () => {
  const segments = textSegments("a\u200B".repeat(50_000));
  expect(segments.length).toBeLessThan(2_100);
  expect(
    segments
      .map(({ text }) => text)
      .join("")
      .match(/U\+200B/gu),
  ).toHaveLength(50_000);
});
