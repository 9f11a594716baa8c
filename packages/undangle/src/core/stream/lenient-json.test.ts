import { expect, test } from "vitest";
import { parseLenient } from "./lenient-json.ts";

test.each<[about: string, text: string, value: unknown]>([
  ["JSON", '{"a":[1,-2.5e3,true,null,"x"]}', { a: [1, -2500, true, null, "x"] }],
  ["a fence", '```json\n{"a":1}\n```', { a: 1 }],
  ["a fence in one line", '```{"a":1}```', { a: 1 }],
  ["single quotes", "{'a': 'b \"c\"'}", { a: 'b "c"' }],
  ["literals of Python", "{'a': True, 'b': False, 'c': None}", { a: true, b: false, c: null }],
  ["a tuple", "{'a': (1, 2,)}", { a: [1, 2] }],
  ["commas too many", '{"a":[1,],}', { a: [1] }],
  ["comments", '{// one\n"a":/* two */1}', { a: 1 }],
  ["keys without quotes", "{a_b: 1, $c: 2}", { a_b: 1, $c: 2 }],
  ["raw line breaks in strings", '{"a":"b\n\tc"}', { a: "b\n\tc" }],
  ["line breaks written out between values", '{\\n"a": 1,\\r\\n\\t"b": "c"\\n}', { a: 1, b: "c" }],
  ["escapes that do not exist", '{"a":"\\d \\u00e9 \\u12 \\\'"}', { a: "\\d é \\u12 '" }],
  ["numbers of JavaScript", "{a: +1, b: .5, c: 2.}", { a: 1, b: 0.5, c: 2 }],
  ["a key that is dangerous elsewhere", "{'__proto__': 1}", JSON.parse('{"__proto__":1}')],
])("reads %s", (_, text, value) => {
  expect(parseLenient(text)).toEqual(value);
});

test.each<[about: string, text: string]>([
  ["nothing", ""],
  ["an open object", '{"a":1'],
  ["an open string", '{"a":"b'],
  ["an open list", '{"a":[1'],
  ["an open comment", '{"a":1 /* '],
  ["inner quotes", '{"a":"b "c" d"}'],
  ["an inner apostrophe", "{'a':'b's'}"],
  ["values without quotes", "{a: b}"],
  ["leading zeros", "{a: 007}"],
  ["commas that are missing", '{"a":1 "b":2}'],
  ["more behind it", '{"a":1} and so on'],
  ["words that are no values", "{a: NaN, b: undefined}"],
])("refuses %s", (_, text) => {
  expect(parseLenient(text)).toBeUndefined();
});

test("depth and length are no danger", () => {
  expect(parseLenient("[".repeat(100_000))).toBeUndefined();
  expect(parseLenient(`\`\`\`${" ".repeat(200_000)}`)).toBeUndefined();
});
