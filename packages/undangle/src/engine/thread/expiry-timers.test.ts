import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { createExpiryTimers } from "./expiry-timers.ts";

beforeEach(() => void vi.useFakeTimers({ now: 1000 }));
afterEach(() => void vi.useRealTimers());

test("each thread rings at its time, in any order, and one that was taken back does not", () => {
  const rung: string[] = [];
  const timers = createExpiryTimers(Date.now, (id) => rung.push(id));
  timers.set("late", 3000);
  timers.set("early", 1500);
  timers.set("never", 2000);
  timers.set("never", undefined);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(600);
  expect(rung).toEqual(["early"]);
  vi.advanceTimersByTime(2000);
  expect(rung).toEqual(["early", "late"]);
  expect(vi.getTimerCount()).toBe(0);
});

test("a clock that jumps ahead is noticed within a minute, and one that is set back does not ring too early", () => {
  const rung: string[] = [];
  let jump = 0;
  const timers = createExpiryTimers(
    () => Date.now() + jump,
    (id) => rung.push(id),
  );
  timers.set("tomorrow", 86_400_000);
  jump = 86_400_000;
  vi.advanceTimersByTime(60_000);
  expect(rung).toEqual(["tomorrow"]);
  timers.set("soon", Date.now() + jump + 1000);
  jump -= 5000;
  vi.advanceTimersByTime(1000);
  expect(rung).toEqual(["tomorrow"]);
  vi.advanceTimersByTime(5000);
  expect(rung).toEqual(["tomorrow", "soon"]);
});

test("nothing rings any more when it is closed", () => {
  const rung: string[] = [];
  const timers = createExpiryTimers(Date.now, (id) => rung.push(id));
  timers.set("a", 1500);
  timers.close();
  timers.set("b", 1600);
  vi.advanceTimersByTime(10_000);
  expect(rung).toEqual([]);
});
