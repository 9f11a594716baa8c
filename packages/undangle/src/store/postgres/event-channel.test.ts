import { expect, test } from "vitest";

import { readNotification, writeNotification } from "./event-channel.ts";
import type { Notification } from "./event-channel.ts";

test.each<Notification>([
  { type: "events", id: "t1", lastEvent: 7 },
  { type: "events", id: "12 some echo", lastEvent: 1 },
  { type: "events", id: " ", lastEvent: 123_456_789 },
  { type: "events", id: "名".repeat(1000), lastEvent: 3 },
  { type: "some" },
  { type: "echo", token: "a b" },
])("a notification is read as it was written: %j", (notification) => {
  const text = writeNotification(notification);
  expect(readNotification(text)).toEqual(notification);
  expect(Buffer.byteLength(text)).toBeLessThan(8000);
});

test("a thread whose id is too long is not named", () => {
  expect(readNotification(writeNotification({ type: "events", id: "x".repeat(1001), lastEvent: 3 }))).toEqual({
    type: "some",
  });
});

test.each(["", "77", "something else", "t1 7", "-1 t", "1.5 t"])(
  "a text of another program is not a notification: %j",
  (text) => {
    expect(readNotification(text)).toBeUndefined();
  },
);
