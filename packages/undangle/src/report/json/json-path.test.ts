import fc from "fast-check";
import { expect, test } from "vitest";
import { formatPath, joinPaths, lookUp, parsePath, replaceAt } from "./json-path.ts";

test.each([
  ["", []],
  ["request.body", ["request", "body"]],
  ["messages[3].tool_calls[0].id", ["messages", 3, "tool_calls", 0, "id"]],
  ["[2].role", [2, "role"]],
  ['a["b.c"]["d\\"e"]', ["a", "b.c", 'd"e']],
  ["__proto__", ["__proto__"]],
])("%j is %j, and back", (text, path) => {
  expect(parsePath(text)).toEqual(path);
  expect(formatPath(path)).toBe(text);
});

test.each(["a..b", "a[", "a[x]", "a]b", '"a"'])("%j is no path", (text) => {
  expect(parsePath(text)).toBeUndefined();
});

test("every path is read as it was written", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), fc.nat())), (path) => {
      expect(parsePath(formatPath(path))).toEqual(path);
    }),
  );
});

test("a value is found, or the place up to where the path leads", () => {
  const root = { a: [{ b: 1 }], __proto__: undefined };
  expect(lookUp(root, ["a", 0, "b"])).toEqual({ value: 1, depth: 3 });
  expect(lookUp(root, ["a", 1, "b"])).toEqual({ value: root.a, depth: 1 });
  expect(lookUp(root, ["constructor"])).toEqual({ value: root, depth: 0 });
  expect(lookUp(root, ["a", "length"])).toEqual({ value: root.a, depth: 1 });
});

test("a value is put in place, and what is beside it stays the same", () => {
  const root: { a: { b: number }[]; c: object } = { a: [{ b: 1 }, { b: 2 }], c: {} };
  const replaced = replaceAt(root, ["a", 0, "b"], 9) as typeof root;
  expect(replaced).toEqual({ a: [{ b: 9 }, { b: 2 }], c: {} });
  expect(replaced.a[1]).toBe(root.a[1]);
  expect(replaced.c).toBe(root.c);
  expect(root.a[0]).toEqual({ b: 1 });
});

test("paths join with a dot only where one belongs", () => {
  expect(joinPaths("request", "messages[0]")).toBe("request.messages[0]");
  expect(joinPaths("request", "[0].role")).toBe("request[0].role");
  expect(joinPaths("", "messages")).toBe("messages");
  expect(joinPaths("request", "")).toBe("request");
});
