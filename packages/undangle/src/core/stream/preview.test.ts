import fc from "fast-check";
import { expect, test } from "vitest";
import { createPreview } from "./preview.ts";

const shown = (...texts: readonly string[]): unknown => {
  const preview = createPreview();
  for (const text of texts) preview.add(text);
  return preview.value();
};

test.each<[text: string, value: unknown]>([
  ["", undefined],
  ["{", {}],
  ['{"na', {}],
  ['{"name', {}],
  ['{"name"', {}],
  ['{"name":', {}],
  ['{"name":"', { name: "" }],
  ['{"name":"Mo', { name: "Mo" }],
  ['{"name":"Mo\\', { name: "Mo" }],
  ['{"name":"Mo\\u00', { name: "Mo" }],
  ['{"name":"Mo\\u00e9\\n', { name: "Moé\n" }],
  ['{"name":"\\ud83d', { name: "" }],
  ['{"name":"\\ud83d\\ude00', { name: "😀" }],
  ['{"n":1', {}],
  ['{"n":12,', { n: 12 }],
  ['{"n":tru', {}],
  ['{"n":true}', { n: true }],
  ['{"n":null ', { n: null }],
  ['{"list":[1,{"a":"b', { list: [1, { a: "b" }] }],
  ['{"list":[[],[2]],"x":"', { list: [[], [2]], x: "" }],
  ['{"a":1}{"b":2}', { a: 1 }],
  ['{"a":nonsense,"b":1', {}],
])("%j shows %j", (text, value) => {
  expect(shown(text)).toEqual(value);
  expect(shown(...text.split(""))).toEqual(value);
});

test("a whole text shows its value, in pieces of any size", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue()), fc.boolean(), (given, isPretty) => {
      const text = JSON.stringify(given, null, isPretty ? 2 : 0);
      expect(shown(...text.split(""))).toEqual(JSON.parse(text));
    }),
  );
});

test("a key that is dangerous elsewhere is a key", () => {
  expect(Object.keys(shown('{"__proto__":{"x":1},"a":"') as object)).toEqual(["__proto__", "a"]);
  expect({}).not.toHaveProperty("x");
});
