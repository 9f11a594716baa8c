import { expect, test } from "vitest";

import { readNotice, writeNotice } from "./notices.ts";
import type { Notice } from "./notices.ts";

test.each<Notice>([
  { type: "events", id: "t1", lastEvent: 7 },
  { type: "events", id: "12 some echo", lastEvent: 1 },
  { type: "events", id: " ", lastEvent: 123_456_789 },
  { type: "events", id: "名".repeat(1000), lastEvent: 3 },
  { type: "some" },
  { type: "echo", token: "a b" },
])("what is told is heard: %j", (notice) => {
  const text = writeNotice(notice);
  expect(readNotice(text)).toEqual(notice);
  expect(Buffer.byteLength(text)).toBeLessThan(8000);
});

test("of a thread whose id is too long it is told that there is something", () => {
  expect(readNotice(writeNotice({ type: "events", id: "x".repeat(1001), lastEvent: 3 }))).toEqual({ type: "some" });
});

test.each(["", "77", "something else", "t1 7", "-1 t", "1.5 t"])(
  "what somebody else says there is no notice: %j",
  (text) => {
    expect(readNotice(text)).toBeUndefined();
  },
);
