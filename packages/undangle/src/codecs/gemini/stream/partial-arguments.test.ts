import { expect, test } from "vitest";
import { putAt } from "./decode.ts";

test.each<[pieces: [path: string, value: unknown][], value: unknown]>([
  [[["$.a", 1]], { a: 1 }],
  [[["a", 1]], { a: 1 }],
  [
    [
      ["$.a", "x"],
      ["$.a", "y"],
    ],
    { a: "xy" },
  ],
  [[["$.a.b.c", true]], { a: { b: { c: true } } }],
  [
    [
      ["$.a[0]", 1],
      ["$.a[1]", 2],
    ],
    { a: [1, 2] },
  ],
  [
    [
      ["$.a[0].b", "x"],
      ["$.a[0].b", "y"],
      ["$.a[1].b", null],
    ],
    { a: [{ b: "xy" }, { b: null }] },
  ],
  [[[`$["a.b"]['c d']`, 1]], { "a.b": { "c d": 1 } }],
])("%j gives %j", (pieces, value) => {
  const root = {};
  for (const [path, piece] of pieces) expect(putAt(root, path, piece)).toBe(true);
  expect(root).toEqual(value);
});

test.each(["", "$", "$..a", "$.a[*]", "$.list[5]", "$.list.x", "$.text.x", "$.a[", "$[0"])(
  "%j leads nowhere",
  (path) => {
    const root = { list: [1], text: "t" };
    expect(putAt(root, path, 1)).toBe(false);
    expect(root).toEqual({ list: [1], text: "t" });
  },
);

test("a value of somebody else is not changed, and no prototype", () => {
  const inner = { x: 1 };
  const root = { inner };
  expect(putAt(root, "$.inner.y", 2)).toBe(true);
  expect(putAt(root, "$.__proto__.z", 3)).toBe(true);
  expect(inner).toEqual({ x: 1 });
  expect({}).not.toHaveProperty("z");
});
