import { expect, test } from "vitest";

import { createArgumentFragments } from "./argument-fragments.ts";
import type { ArgumentFragments } from "./argument-fragments.ts";

/** The parsed of a call that came one by one. */
function read(...fragments: readonly string[]): ArgumentFragments {
  const slot: { readonly fragments: string[] } = { fragments: [] };
  const parsed = createArgumentFragments();
  for (const fragment of fragments) {
    slot.fragments.push(fragment);
    parsed.update(slot);
  }
  return parsed;
}

test.each([
  ["consecutive", ['{"a":', "1}"]],
  ["consecutive", ['{"a":', '{"a":1}}']],
  ["ambiguous", ['{"a":', '{"a":1}']],
  ["ambiguous", ['{"a":', '{"a":']],
  ["consecutive", ['{"a":', '{"a":1}', "}"]],
  ["consecutive", ['{"a":', '{"a":1', ',"b":2']],
  ["cumulative", ['{"a":', '{"a":1', '{"a":12}']],
  ["cumulative", ['{"a', '{"a":']],
  ["ambiguous", ["{", '{"a"']],
  ["cumulative", ["{", '{"a"', '{"a":']],
  ["unclear", ["{", '{"a"', ":1}"]],
  ["unclear", ['{"a', '{"a":1}', "x"]],
  ["ambiguous", ['{"a', '":', '{"a":1}']],
  ["cumulative", ['{"a', '":1', '{"a":1}']],
  ["consecutive", ['{"a', '":', '{"a":1']],
  ["ambiguous", ["{}", '{"a":', '{"a":1}']],
  ["ambiguous", ['{"a":', '{"a":1}', " "]],
  ["ambiguous", ['{"', '{":', '{"{":1}']],
  ["consecutive", ['{"', '{":', '{"{":1}', "}"]],
  ["encoded", ['"{', "}"]],
  ["consecutive", ["{}", "null"]],
] as const)("are %s: %j", (kind, fragments) => {
  expect(read(...fragments).kind()).toBe(kind);
});

test("what is certain is what both ways have", () => {
  const parsed = read("{}", '{"a":', '{"a":1');
  expect([parsed.placeholders(), parsed.certain()]).toEqual([1, 2]);
});

test.each([
  ["cumulative", ['{"a":', '{"a":1}']],
  ["unclear", ['{"a":', '{"a":1']],
  ["consecutive", ['{"a":', "1"]],
] as const)("are %s when nothing more comes: %j", (kind, fragments) => {
  const parsed = read(...fragments);
  parsed.close();
  expect(parsed.kind()).toBe(kind);
});

test.each([
  ["consecutive", '{"a":{"a":1'],
  ["cumulative", '{"a":1}'],
  ["encoded", '"{}x"'],
] as const)("are %s when the server says %j in their place", (kind, text) => {
  const parsed = read('{"a":', '{"a":1');
  parsed.update({ fragments: [text] });
  expect(parsed.kind()).toBe(kind);
});
