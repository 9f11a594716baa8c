import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { memoryStore } from "#store";

import { createProcessLease, hasProcessEnded, processName } from "./process-lease.ts";

describe("an owner", () => {
  beforeEach(
    () =>
      void vi.useFakeTimers({
        now: 1_000_000,
        toFake: ["setTimeout", "setInterval", "clearInterval", "Date", "performance"],
      }),
  );
  afterEach(() => void vi.useRealTimers());

  /** Whether an owner on another machine counts as alive, given its last beat and a beat during the check. */
  const isAlive = async (last: number | undefined, meanwhile?: number): Promise<boolean> => {
    const store = memoryStore();
    if (last !== undefined) await store.beat("elsewhere", last);
    const answer = createProcessLease(store, Date.now).isAlive("elsewhere");
    await vi.advanceTimersByTimeAsync(1000);
    if (meanwhile !== undefined) await store.beat("elsewhere", meanwhile);
    await vi.advanceTimersByTimeAsync(5000);
    return answer;
  };

  test("that has just said something is alive, and one that never did is not", async () => {
    expect(await isAlive(1_000_000 - 5000)).toBe(true);
    expect(await isAlive(undefined)).toBe(false);
  });

  test("whose last word is old is listened to: a clock may have jumped", async () => {
    expect(await isAlive(1_000_000 - 60_000)).toBe(false);
    expect(await isAlive(1_000_000 - 60_000, 1_000_000 - 58_000)).toBe(true);
  });

  test("whose last word is of the future is not alive for that", async () => {
    expect(await isAlive(1_000_000 + 86_400_000)).toBe(false);
    expect(await isAlive(1_000_000 + 86_400_000, 1_000_000 + 86_402_000)).toBe(true);
  });

  test("of this process is alive while it has a run, whatever the clock says, and leaves no trace behind it", async () => {
    const store = memoryStore();
    const one = createProcessLease(store, Date.now);
    const other = createProcessLease(store, () => Date.now() + 1e9);
    one.begin("t");
    expect(await other.isAlive(one.id)).toBe(true);
    one.end("t");
    expect(await other.isAlive(one.id)).toBe(false);
  });
});

test("a process is known by when it began: another one with its number is another one", () => {
  const [place, pid, begin] = processName().split("/");
  expect(hasProcessEnded(`${place}/${pid}/${begin}/x`)).toBe(false);
  expect(hasProcessEnded(`${place}/${pid}/${Number(begin) - 1}/x`)).toBe(process.platform === "linux");
  expect(hasProcessEnded(`${place}/999999999/${begin}/x`)).toBe(true);
  expect(hasProcessEnded(`another-machine/${pid}/${begin}/x`)).toBe(false);
});
