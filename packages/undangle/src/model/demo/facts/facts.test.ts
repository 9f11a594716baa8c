import { expect, test } from "vitest";

import { factsOf } from "./facts.ts";
import type { Facts } from "./facts.ts";

const now = Date.UTC(2026, 4, 3, 10);

test.each<[text: string, facts: Partial<Record<keyof Facts, unknown>>]>([
  ['Say "one, two" and “three”', { quoted: ["one, two", "three"], numbers: [] }],
  [
    "mail a.b+c@example.com. Or see https://example.com/a?b=1.",
    { emails: ["a.b+c@example.com"], urls: ["https://example.com/a?b=1"] },
  ],
  ["compare ./a/b and notes.txt and src/x.ts, and/or 3.5", { paths: ["./a/b", "notes.txt", "src/x.ts"] }],
  ["on 2026-05-09 or 2026年6月1日, or tomorrow", { dates: ["2026-05-09", "2026-06-01", "2026-05-04"] }],
  ["on 2026-02-31", { dates: [] }],
  ["at 7pm, 19:30 or 下午3点半", { times: ["19:30", "19:00", "15:30"] }],
  ["明天下午三点，或者十点半、晚上八点一刻", { times: ["15:00", "10:30", "20:15"] }],
  ["上午九点二十分 or at noon", { times: ["12:00", "09:20"] }],
  ["快一点，我有两点建议", { times: [] }],
  ["on Monday, 周三 or 下周二", { dates: ["2026-05-04", "2026-05-06", "2026-05-05"] }],
  ["Ask Bob Miller and ACME in Europe/Oslo", { names: ["Bob Miller", "ACME"], zones: ["Europe/Oslo"] }],
  ["INV-12 and #7", { ids: ["INV-12", "7"] }],
  ["从北京到 New York", { places: ["北京", "New York"] }],
])("%s", (text, facts) => {
  expect(factsOf(text, now)).toMatchObject(facts);
});

test.each([
  ["pay invoice 12", [[12, "invoice", false]]],
  ["pay $1,250.50", [[1250.5, "", true]]],
  [
    "300 euros and 20元",
    [
      [300, "", true],
      [20, "", true],
    ],
  ],
  ["付12号账单", [[12, "号账单", false]]],
  ["set it to -3", [[-3, "", false]]],
  ["a4 and 5x", []],
])("numbers of %s", (text, expected) => {
  expect(factsOf(text, now).numbers.map(({ value, label, isMoney }) => [value, label, isMoney])).toEqual(expected);
});
