import { expect, test } from "vitest";
import { suggest } from "./suggest.ts";

const flags = ["--format", "--provider", "--model", "--language", "--json", "--no-color"];

test.each([
  ["--fromat", "--format"],
  ["--provder", "--provider"],
  ["--JSON", "--json"],
  ["--lang", "--language"],
  ["--xyz", undefined],
  ["", undefined],
])("%j was meant to be %j", (mistaken, meant) => {
  expect(suggest(mistaken, flags)).toBe(meant);
});
