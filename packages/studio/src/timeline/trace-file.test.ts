import { expect, test } from "vitest";

import { IsAThread, readTrace } from "./trace-file.ts";
import { approvedTransfer } from "./trace.fixture.ts";

test("an exported trace is read again", () => {
  expect(readTrace(JSON.stringify(approvedTransfer))).toEqual(approvedTransfer);
});

const [first] = approvedTransfer.spans;

test.each([
  ["not JSON", "{", "JSON"],
  ["a list", "[]", "{}"],
  ["another object", JSON.stringify({ entries: [] }), "thread_id"],
  ["no time", JSON.stringify({ ...approvedTransfer, at: "now" }), "at"],
  ["no spans", JSON.stringify({ ...approvedTransfer, spans: undefined }), "spans"],
  ["a bad span", JSON.stringify({ ...approvedTransfer, spans: [first, { ...first, start: "1" }] }), "spans[1]"],
  ["a bad path", JSON.stringify({ ...approvedTransfer, spans: [{ ...first, path: [1] }] }), "spans[0]"],
  ["a bad mark", JSON.stringify({ ...approvedTransfer, marks: [{}] }), "marks[0]"],
  ["bad totals", JSON.stringify({ ...approvedTransfer, totals: {} }), "totals"],
])("%s is refused with its place", (_, text, place) => {
  expect(() => readTrace(text)).toThrow(place);
});

test("an exported thread is refused as a thread, with its content", () => {
  const thread = { undangle: 1, entries: [] };
  expect(() => readTrace(JSON.stringify(thread))).toThrow(IsAThread);
});
