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

test.each<[about: string, text: string, value: unknown]>([
  ["escapes of Python", "{'a': '\\x1b[1m \\U0001f600 \\xa0'}", { a: "\x1B[1m 😀 \u00A0" }],
  ["escapes of JavaScript", "{ a: 'it\\'s \\v\\0' }", { a: "it's \v\0" }],
  ["strings in several parts", "['one '\n 'two', 'three']", ["one two", "three"]],
  ["a string in brackets", "{'a': ('one '\n 'two')}", { a: "one two" }],
  ["tuples", "[(1,), (), (1, 2)]", [[1], [], [1, 2]]],
  ["a template", "{ a: `b\nc \\${d}` }", { a: "b\nc ${d}" }],
  ["values that are undefined", "{ a: undefined, b: 1 }", { b: 1 }],
  [
    "an object of Python",
    "Message(role='user', calls=[Call(id='c1', to=a.B(name='f'))])",
    { role: "user", calls: [{ id: "c1", to: { name: "f" } }] },
  ],
])("reads %s in source code", (_, text, value) => {
  expect(parseLenient(text, { isSource: true })).toEqual(value);
});

test.each<[about: string, text: string]>([
  ["calls of functions", "{ a: f(1) }"],
  ["values that a console has cut", "{ calls: [Array], more: [Object] }"],
  ["objects without their fields", "[<Message object at 0x7f>]"],
  ["open objects", "Message(role='user'"],
])("refuses %s in source code", (_, text) => {
  expect(parseLenient(text, { isSource: true })).toBeUndefined();
});

test("arguments of a model are no source code", () => {
  expect(parseLenient("{'a': '\\x1b'}")).toEqual({ a: "\\x1b" });
  for (const text of ["{a: undefined}", "['a' 'b']", "F(a=1)", "{a: `b`}"]) expect(parseLenient(text)).toBeUndefined();
});
