import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { printLike } from "./print-json.ts";

const change = (text: string, edit: (value: never) => unknown): string => {
  const before: unknown = JSON.parse(text);
  return printLike(text, before, edit(before as never)).join("");
};

/** Adds a message behind the first one, as a repair does. */
const insert = (body: { readonly messages: readonly unknown[] }): unknown => ({
  ...body,
  messages: body.messages.toSpliced(1, 0, { role: "tool", content: [{ text: "né" }] }),
});

describe("a new message takes the layout of its neighbours", () => {
  test.each([
    [
      "minified",
      '{"messages":[{"role":"user"},{"n":1.0}]}',
      '{"messages":[{"role":"user"},{"role":"tool","content":[{"text":"né"}]},{"n":1.0}]}',
    ],
    [
      "as Python writes it",
      '{"messages": [{"role": "user", "a": 1}, {"n": 1}], "x": "\\u00e9"}\n',
      '{"messages": [{"role": "user", "a": 1}, {"role": "tool", "content": [{"text": "n\\u00e9"}]}, {"n": 1}], "x": "\\u00e9"}\n',
    ],
    [
      "two spaces",
      '{\n  "messages": [\n    {\n      "role": "user"\n    }\n  ]\n}\n',
      '{\n  "messages": [\n    {\n      "role": "user"\n    },\n    {\n      "role": "tool",\n      "content": [\n        {\n          "text": "né"\n        }\n      ]\n    }\n  ]\n}\n',
    ],
    [
      "tabs and CRLF",
      '{\r\n\t"messages": [\r\n\t\t{\r\n\t\t\t"role": "user"\r\n\t\t}\r\n\t]\r\n}',
      '{\r\n\t"messages": [\r\n\t\t{\r\n\t\t\t"role": "user"\r\n\t\t},\r\n\t\t{\r\n\t\t\t"role": "tool",\r\n\t\t\t"content": [\r\n\t\t\t\t{\r\n\t\t\t\t\t"text": "né"\r\n\t\t\t\t}\r\n\t\t\t]\r\n\t\t}\r\n\t]\r\n}',
    ],
    [
      "one message a line",
      '{"messages": [\n  {"role": "user"},\n  {"n": 1}\n]}',
      '{"messages": [\n  {"role": "user"},\n  {"role": "tool", "content": [{"text": "né"}]},\n  {"n": 1}\n]}',
    ],
    [
      "an empty list",
      '{\n    "messages": []\n}',
      '{\n    "messages": [\n        {\n            "role": "tool",\n            "content": [\n                {\n                    "text": "né"\n                }\n            ]\n        }\n    ]\n}',
    ],
  ])("%s", (_, text, expected) => {
    expect(change(text, insert)).toBe(expected);
  });
});

describe("what is not edited is copied letter by letter", () => {
  test.each([
    ["numbers too large or too precise for a double", '{"seed":12345678901234567890,"t":1.0,"messages":[{"x":1e2}]}'],
    ["escapes", '{"a":"\\u0041\\/\\ud800","messages":[{"x":"\\u00e9"}]}'],
    ["odd layout", '{ "a" :1 ,\n "messages":[ {"x" : [ ]}]}'],
    ["keys that name the prototype", '{"__proto__":{"a":1},"constructor":2,"messages":[{"__proto__":1}]}'],
  ])("%s", (_, text) => {
    const written = change(text, (body: { readonly messages: readonly unknown[] }) => ({
      ...body,
      messages: [...body.messages, 7],
    }));
    const inner = text.slice(text.indexOf('"messages"'), text.lastIndexOf("]"));
    expect(written).toContain(inner.trimEnd());
    expect(written).toContain(text.slice(0, text.indexOf('"messages"')).trimEnd());
  });

  test("also in a message of which another part is edited", () => {
    const text = '[{"role":"a","id":9007199254740993,"content":null}]';
    expect(change(text, ([message]: readonly [object]) => [{ ...message, content: "" }])).toBe(
      '[{"role":"a","id":9007199254740993,"content":""}]',
    );
  });

  test("also when it moves to another container", () => {
    const text = '[{"parts":[{"n":1.50}]},{"parts":[]}]';
    const moved = change(text, ([one, two]: readonly [{ parts: unknown[] }, object]) => [
      { ...one, parts: [] },
      { ...two, parts: one.parts },
    ]);
    expect(moved).toBe('[{"parts":[]},{"parts":[{"n":1.50}]}]');
  });

  test("also a nesting deeper than the stack", () => {
    const deep = "[".repeat(200_000) + "]".repeat(200_000);
    const text = `{"messages":[{"x":${deep}}]}`;
    expect(change(text, insert)).toBe(`{"messages":[{"x":${deep}},{"role":"tool","content":[{"text":"né"}]}]}`);
  });
});

test("what is written parses to what was meant, whatever was edited and however the text was laid out", () => {
  const json = fc.jsonValue({ maxDepth: 3 }).map((value) => structuredClone(value));
  const indent = fc.constantFrom(undefined, 1, 2, 4, "\t");
  fc.assert(
    fc.property(json, json, indent, fc.nat(), (value, other, indent, at) => {
      const text = JSON.stringify(value, null, indent);
      const before: unknown = JSON.parse(text);
      const after = graft(before, other, at);
      expect(JSON.parse(printLike(text, before, after).join(""))).toEqual(JSON.parse(JSON.stringify(after)));
    }),
    { numRuns: 500 },
  );
});

/** Puts `other` somewhere into `value`, and leaves the rest by reference. */
function graft(value: unknown, other: unknown, at: number): unknown {
  if (Array.isArray(value)) {
    const items = value as readonly unknown[];
    const index = at % (items.length + 1);
    return at % 3 === 0
      ? items.toSpliced(index, at % 2, other)
      : items.map((item, place) => (place === index ? graft(item, other, at >> 1) : item));
  }
  if (typeof value !== "object" || value === null) return other;
  const entries = Object.entries(value);
  const index = at % (entries.length + 1);
  if (index === entries.length) return { ...value, added: other };
  return Object.fromEntries(
    entries.map(([key, inner], place) => [key, place === index ? graft(inner, other, at >> 1) : (inner as unknown)]),
  );
}
