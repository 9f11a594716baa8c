import fc from "fast-check";
import { expect, test } from "vitest";

import { eventRows, eventsOfRow } from "./event-rows.ts";

const tick = (data: unknown) => ({ type: "tick", data });

test("the events of a commit are one row", () => {
  expect(eventRows([tick(1), { type: "said", data: { text: "hello" } }])).toEqual([
    { last: 2, text: '[["tick",1],["said",{"text":"hello"}]]' },
  ]);
  expect(eventRows([])).toEqual([]);
});

test("a row that has become long is not continued", () => {
  const rows = eventRows([tick(1), tick("x".repeat(20_000)), tick(3), tick(4)]);
  expect(rows.map(({ last }) => last)).toEqual([2, 4]);
});

test("every event comes back with its number", () => {
  const event = fc.record({ type: fc.string(), data: fc.oneof(fc.jsonValue(), fc.constant("long".repeat(5000))) });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 12 }), fc.nat(1000), (events, before) => {
      const read = eventRows(events).flatMap(({ last, text }) => eventsOfRow(JSON.parse(text), before + last, 7) ?? []);
      const given = events.map(({ type, data }, place) => ({ seq: before + place + 1, type, data, at: 7 }));
      expect(JSON.stringify(read)).toBe(JSON.stringify(given)); // where -0 is 0
    }),
  );
});

test("data that is not there is null", () => {
  const [row] = eventRows([tick(undefined)]);
  expect(eventsOfRow(JSON.parse(row?.text ?? ""), 1, 7)).toEqual([{ seq: 1, type: "tick", data: null, at: 7 }]);
});

test.each([[{}], ["text"], [["tick"]], [[["tick"]]], [[[1, "tick"]]], [null]])("%j is no row of events", (list) => {
  expect(eventsOfRow(list, 5, 7)).toBeUndefined();
});
