import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { damageOf, isTooDeep, wrapRaw } from "./json.ts";

describe("what is wrong with the text of arguments", () => {
  test.each<[text: string, damage: "malformed" | "truncated" | undefined]>([
    ["{}", undefined],
    [`{"a":${"1".repeat(5000)}}`, undefined],
    [`{"a":${"1".repeat(5000)}`, "truncated"],
    ["", undefined],
    [" \n", undefined],
    [' {"a": [1, -2.5e3, true, null, {"b": "c\\u00e9\\n"}]} ', undefined],
    ['{"a": "b', "truncated"],
    ['{"a": "b\\', "truncated"],
    ['{"a": "b\\u00', "truncated"],
    ['{"a"', "truncated"],
    ['{"a":', "truncated"],
    ['{"a":1', "truncated"],
    ['{"a":-', "truncated"],
    ['{"a":1.', "truncated"],
    ['{"a":1e', "truncated"],
    ['{"a":tru', "truncated"],
    ['{"a":1,', "truncated"],
    ['{"a":[1,', "truncated"],
    ["{", "truncated"],
    ["[1, 2", "truncated"],
    ["{a:1}", "malformed"],
    ['{"a":1}}', "malformed"],
    ['{"a":1}{"b":2}', "malformed"],
    ['{"a":01}', "malformed"],
    ['{"a":01', "malformed"],
    ['{"a":-}', "malformed"],
    ['{"a":1.}', "malformed"],
    ['{"a":1e+}', "malformed"],
    ['{"a":1E5,"b":-0.5e-3}', undefined],
    ['{"a":nulL}', "malformed"],
    ['{"a":1,}', "malformed"],
    ["{'a':1}", "malformed"],
    ['{"a":"\n"}', "malformed"],
    ['{"a":"\\x"}', "malformed"],
    ['{"a":"\\u00zz"}', "malformed"],
    ["[1]", "malformed"],
    ['"text"', "malformed"],
    ["null", "malformed"],
    ["12", "malformed"],
    ["ls -la", "malformed"],
  ])("%j is %s", (text, damage) => {
    expect(damageOf(text)).toBe(damage);
  });

  test("the text of an object is fine, and every proper prefix of it is cut off", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (value, cut) => {
        const text = JSON.stringify(value);
        expect(damageOf(text)).toBeUndefined();
        const prefix = text.slice(0, 1 + (cut % (text.length - 1)));
        expect(damageOf(prefix)).toBe("truncated");
      }),
    );
  });

  test("it agrees with JSON.parse on any text", () => {
    const pieces = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      '"',
      ":",
      ",",
      "a",
      "1",
      "-",
      ".",
      "e",
      "\\",
      "u00e9",
      "true",
      " ",
      "\n",
    );
    const texts = fc.array(pieces, { maxLength: 12 }).map((each) => each.join(""));
    fc.assert(
      fc.property(texts, (text) => {
        expect(damageOf(text) === undefined).toBe(text.trim() === "" || isObjectText(text));
      }),
    );
  });

  test("deep nesting is no way to crash it", () => {
    const deep = `{"a":${"[".repeat(2000)}${"]".repeat(2000)}}`;
    expect(damageOf(deep)).toBeUndefined();
    expect(damageOf("[".repeat(100_000))).toBe("malformed");
  });
});

test.each([
  [`{"a":${"[".repeat(499)}${"]".repeat(499)}}`, false],
  [`{"a":${"[".repeat(500)}${"]".repeat(500)}}`, true],
  ["{}".repeat(1000), false],
  [JSON.stringify({ a: `\\"${"[{".repeat(1000)}` }), false],
  ["[".repeat(100_000), true],
  [`"${"[".repeat(1000)}`, false],
])("case %# is too deep for a value: %s", (text, isDeep) => {
  expect(isTooDeep(text)).toBe(isDeep);
});

test("a wrapper keeps the text, whatever it is", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(JSON.parse(JSON.stringify(wrapRaw(text)))).toEqual({ _raw: text });
      expect(damageOf(JSON.stringify(wrapRaw(text)))).toBeUndefined();
    }),
  );
});

function isObjectText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false; // not JSON
  }
}
