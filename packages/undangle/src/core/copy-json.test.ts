import { expect, test } from "vitest";

import { copyJson } from "./copy-json.ts";

test("a copy is equal, and shares no list and no object", () => {
  const value = { list: [1, { deep: null }], text: "a", nothing: undefined };
  const copy = copyJson(value);
  expect(copy).toStrictEqual(value);
  expect(copy.list).not.toBe(value.list);
  expect(copy.list[1]).not.toBe(value.list[1]);
});

test("a key __proto__ stays a key", () => {
  const copy = copyJson(JSON.parse('{"__proto__":{"isAdmin":true}}') as object);
  expect(JSON.stringify(copy)).toBe('{"__proto__":{"isAdmin":true}}');
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
});
