import { describe, expect, test } from "vitest";

import { blocksOf, longestBlock } from "./markdown-blocks.ts";

const textsOf = (text: string): readonly string[] => blocksOf(text).map((block) => `${block.type}: ${block.text}`);

describe("blocks of Markdown", () => {
  test.each([
    ["paragraphs", "one\n\ntwo", ["markdown: one\n", "markdown: two"]],
    ["a list with blank lines", "- a\n\n- b\n\n  c\n\nd", ["markdown: - a\n\n- b\n\n  c\n", "markdown: d"]],
    [
      "code after a paragraph",
      "Run:\n```js\na\n\nb\n```\nDone.",
      ["markdown: Run:", "code: a\n\nb", "markdown: Done."],
    ],
    ["code that is not finished", "```\na", ["code: a"]],
    ["code with other fences in it", "````\n```\n````\nb", ["code: ```", "markdown: b"]],
    ["a fence in a list", "- a\n  ```\n  b\n  ```", ["markdown: - a\n  ```\n  b\n  ```"]],
    ["inline code in three quotes", "```a``` b", ["markdown: ```a``` b"]],
    ["nothing", "", []],
  ])("%s", (_name, text, blocks) => {
    expect(textsOf(text)).toEqual(blocks);
  });

  test("definitions of links are added to the blocks that may use them, and footnotes stay visible", () => {
    expect(textsOf("See [the page][1].\n\nPlain.\n\n[1]: https://a.example")).toEqual([
      "markdown: See [the page][1].\n\n\n[1]: https://a.example",
      "markdown: Plain.\n",
      "markdown: [1]: https://a.example",
    ]);
    expect(textsOf("A claim.[^1]\n\n[^1]: Its source")).toEqual([
      "markdown: A claim.[^1]\n",
      "markdown: \\[^1]: Its source",
    ]);
  });

  test("a long table is cut between rows, and each piece has its head", () => {
    const row = `| ${"cell ".repeat(20)} | b |`;
    const blocks = blocksOf(`| a | b |\n|---|---|\n${`${row}\n`.repeat(200)}`);
    expect(blocks.length).toBeGreaterThan(3);
    for (const { text } of blocks) {
      expect(text.startsWith("| a | b |\n|---|---|\n| cell")).toBe(true);
      expect(text.length).toBeLessThanOrEqual(longestBlock + row.length);
    }
  });

  test("no block is much longer than the limit, and no word is lost", () => {
    const text = "word ".repeat(5_000) + "x".repeat(10_000);
    const blocks = blocksOf(text);
    for (const block of blocks) expect(block.text.length).toBeLessThanOrEqual(longestBlock + 1);
    expect(blocks.map((block) => block.text.replaceAll(/\s/gu, "")).join("")).toBe(text.replaceAll(" ", ""));
  });
});
