import { setTimeout as wait } from "node:timers/promises";

import { describe, expect, test } from "vitest";

import { memoryFiles } from "../memory-files.ts";
import { createSearchLimit } from "./search-limit.ts";
import type { LimitedSearch } from "./search-limit.ts";

const never = (): Promise<never> => new Promise(() => undefined);
const late = (): Error => new Error("late");
const limited = <Found>(
  search: LimitedSearch<Found>["search"],
  signal = new AbortController().signal,
): LimitedSearch<Found> => ({ signal, search, late });

describe("limits of searches", () => {
  test("a search that takes too long fails, and its signal aborts", async () => {
    const run = createSearchLimit({ timeout: 20, most: 1 });
    let isAborted = false;
    const search = (signal: AbortSignal): Promise<never> => {
      signal.addEventListener("abort", () => void (isAborted = true));
      return never();
    };
    await expect(run(limited(search))).rejects.toThrow("late");
    expect(isAborted).toBe(true);
    await expect(run(limited(async () => "next"))).resolves.toBe("next");
  });

  test("at most as many run as are allowed, in the order in which they came", async () => {
    const run = createSearchLimit({ timeout: 5000, most: 2 });
    const order: number[] = [];
    let running = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 7 }, (_, i) =>
        run(
          limited(async () => {
            order.push(i);
            most = Math.max(most, ++running);
            await wait(5);
            running--;
          }),
        ),
      ),
    );
    expect(most).toBe(2);
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  test("the time begins when a search runs, not when it waits", async () => {
    const run = createSearchLimit({ timeout: 150, most: 1 });
    const searches = Array.from({ length: 4 }, () => run(limited(() => wait(60, "found"))));
    expect(await Promise.all(searches)).toEqual(["found", "found", "found", "found"]);
  });

  test("a search that is stopped while it waits never runs, and leaves its place to the next", async () => {
    const run = createSearchLimit({ timeout: 100, most: 1 });
    const stop = new AbortController();
    let hasRun = false;
    const first = run(limited(never));
    const stopped = run(
      limited(async () => {
        hasRun = true;
      }, stop.signal),
    );
    const next = run(limited(async () => "next"));
    stop.abort(new Error("stopped"));
    await expect(stopped).rejects.toThrow("stopped");
    await expect(first).rejects.toThrow("late");
    expect(await next).toBe("next");
    expect(hasRun).toBe(false);
  });

  test("a search that is stopped while it runs ends at once, even if its backend goes on", async () => {
    const run = createSearchLimit({ timeout: 60_000, most: 1 });
    const stop = new AbortController();
    const stopped = run(limited(never, stop.signal));
    stop.abort(new Error("stopped"));
    await expect(stopped).rejects.toThrow("stopped");
    expect(await run(limited(async () => "next"))).toBe("next");
  });

  test("GR6 a catastrophic regular expression loses its thread, and its neighbours do not", async () => {
    const run = createSearchLimit({ timeout: 4000, most: 4 });
    const files = memoryFiles({ "/f": `${"a".repeat(40)}!` });
    const query = { isRegex: true, path: "/", context: 0, maxCount: 10 };
    const grep = (pattern: string) => run(limited((signal) => files.grep({ ...query, pattern, signal })));
    const threads = (): number => process.getActiveResourcesInfo().filter((each) => each === "MessagePort").length;
    const before = threads();
    const [slow, fast] = await Promise.allSettled([grep("(a+)+$"), grep("a!")]);
    expect([slow.status, fast.status]).toEqual(["rejected", "fulfilled"]);
    await expect.poll(threads).toBeLessThanOrEqual(before); // threads of other tests can end meanwhile
  });
});
