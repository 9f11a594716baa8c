/** Text of a model must not freeze the tab of the person who decides about it. */
import { expect, test } from "vitest";

import { growthOf } from "../../undangle/test/growth/cpu-time.ts";
import { checkArguments } from "../src/card/edit/check-arguments.ts";
import { summaryOf } from "../src/card/edit/schema-fields.ts";
import { textSegments } from "../src/parts/text/text-segments.ts";
import { blocksOf } from "../src/parts/text/markdown-blocks.ts";

/** What could take long: a run that almost matches, from many starts. */
const hostile: readonly (readonly [string, string])[] = [
  ["Cyrillic letters", "я"],
  ["Armenian letters", "ա"],
  ["letters that could be Latin", "о"],
  ["words that could be Latin", "оοя"],
  ["Latin letters between others", "aя"],
  ["other letters with Latin ones after them", "яя яa"],
  ["slashes that are wide", "\uFF0F"],
  ["letters of phonetics", "ɑ"],
  ["signs of addresses", "я./@"],
  ["spaces that are almost a gap", `${" ".repeat(99)}x`],
  ["lines that are almost a gap", `${`\n${" ".repeat(1_000)}`.repeat(9)}x`],
  ["empty lines", "\n"],
  ["zero-width spaces", "\u200B"],
  ["joiners", "\u200D"],
  ["selectors after digits", "1\uFE0F"],
  ["emoji", "👩\u200D"],
];

test.each(hostile)("the time for %s grows with their number", async (_name, part) => {
  const marksOf = (size: number): unknown => textSegments(part.repeat(Math.ceil(size / part.length)));
  expect(await growthOf(marksOf, 100_000)).toBeLessThan(3);
});

test.each([
  "[",
  "[a",
  "[a][b]",
  "[^",
  "]: ",
  "[a]: b\n",
  `[a]: ${"x".repeat(2_500)}\n`,
  `[a]: ${"x".repeat(1_900)} ${"y".repeat(300)}\n`,
  `[a]:${" ".repeat(1_000)}\n`,
  "`",
  "```a`\n",
  "~~~\n",
  "|-",
  "| a |\n|-|\n",
  "- \n",
  "\n",
  " ",
])("the time for splitting %j grows with its length", async (part) => {
  const split = (size: number): unknown => blocksOf(`[a]: ${part.repeat(Math.ceil(size / part.length))}`);
  expect(await growthOf(split, 100_000)).toBeLessThan(3);
});

const keysOf = (size: number): object => Object.fromEntries(Array.from({ length: size }, (_, i) => [`k${i}`, i]));

const nested = (size: number): object => {
  let value: object = {};
  for (let i = 0; i < size; i++) value = { next: value };
  return value;
};

const list = { type: "object", properties: { next: { $ref: "#" } } };

test.each([
  {
    what: "the summary of a long text",
    work: (size: number) => summaryOf({ text: "x".repeat(size * 100) }),
    size: 50_000,
  },
  { what: "the summary of many arguments", work: (size: number) => summaryOf(keysOf(size)), size: 20_000 },
  { what: "the check of many arguments", work: (size: number) => checkArguments(list, keysOf(size)), size: 20_000 },
  { what: "the check of nested arguments", work: (size: number) => checkArguments(list, nested(size)), size: 2_000 },
])("the time for $what grows with their number", async ({ work, size }) => {
  expect(await growthOf(work, size)).toBeLessThan(3);
});
