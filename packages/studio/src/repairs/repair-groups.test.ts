import type { RemoteRepair } from "undangle/client";
import { expect, test } from "vitest";

import { groupsOf, isExplained, sidesOf } from "./repair-groups.ts";

const repair = (id: string, rule: string): RemoteRepair => ({ id, rule, source: "import", at: 0, message: "" });
const edit = { rule: "missing-result-id", type: "insert", lossless: true, reconstructed: false } as const;

test("repairs are grouped by rule, the most frequent first, in their order", () => {
  const groups = groupsOf([repair("1", "a"), repair("2", "b"), repair("3", "b"), repair("4", "c")]);
  expect(groups.map(({ rule, repairs }) => [rule, ...repairs.map(({ id }) => id)])).toEqual([
    ["b", "2", "3"],
    ["a", "1"],
    ["c", "4"],
  ]);
});

test.each([
  ["an insertion", { after: { role: "tool" } }, { before: "", after: '{\n  "role": "tool"\n}' }],
  ["a removal", { before: "text" }, { before: "text", after: "" }],
  ["null", { before: null, after: "" }, { before: "null", after: "" }],
  ["a value of another edit", {}, undefined],
])("%s has two sides", (_, values, sides) => {
  expect(sidesOf({ edit: { ...edit, ...values } })).toEqual(sides);
});

test("a repair of a stream has no values and no rule of the catalogue", () => {
  expect(sidesOf({})).toBeUndefined();
  expect([isExplained({ source: "response" }), isExplained({ source: "request" })]).toEqual([false, true]);
});
