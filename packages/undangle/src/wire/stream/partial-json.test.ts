import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { createPartialJson } from "./partial-json.ts";

const read = (...texts: readonly string[]): boolean | "whole" => {
  const json = createPartialJson();
  const canBe = texts.map((text) => json.add(text)).every(Boolean);
  return canBe && json.isComplete() ? "whole" : canBe;
};

describe("what can be the beginning of an object", () => {
  test.each([
    [""],
    ["{"],
    [' \n{ "a'],
    ['{"a":"\\u00e'],
    ['{"a":"\\'],
    ['{"a":-1.5e+'],
    ['{"a":[1,{"a":tru'],
    ['{"a":{},"b":[],'],
    ['{"a":{"a":'],
  ])("%j", (text) => {
    expect(read(text)).toBe(true);
  });
});

describe("what cannot", () => {
  test.each([
    ["["],
    ["{{"],
    ["{1"],
    ['{"a"1'],
    ['{"a":1{'],
    ['{"a":1 1'],
    ['{"a":"\\x'],
    ['{"a":"\\u00g'],
    ['{"a":"\n'],
    ['{"a":1,}'],
    ['{"a":[1,]'],
    ['{"a":[1}'],
    ['{"a":1}}'],
    ['{"a":"x{"a'],
  ])("%j", (text) => {
    expect(read(text)).toBe(false);
  });
});

test("an object is whole when it is over, and every beginning of it can be one, however it is cut", () => {
  const values = fc.tuple(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(undefined, 2));
  const property = fc.property(values, fc.nat(), ([value, space], cut) => {
    const text = JSON.stringify(value, null, space);
    const at = 1 + (cut % (text.length - 1));
    expect(read(text.slice(0, at))).toBe(true);
    expect(read(text.slice(0, at), text.slice(at))).toBe("whole");
    expect(read(text, "{")).toBe(false);
  });
  fc.assert(property);
});
