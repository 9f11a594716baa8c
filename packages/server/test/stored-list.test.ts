import { memoryStore } from "undangle/agent";
import type { Store } from "undangle/agent";
import { expect, test } from "vitest";

import { createStoredList } from "../src/access/stored-list.ts";
import type { StoredListOptions } from "../src/access/stored-list.ts";

const place = "undangle/server/list";

/** A list in a store whose next reads can be held, and which counts them. */
function heldList(options?: StoredListOptions) {
  const own = memoryStore();
  const held: Promise<void>[] = [];
  let reads = 0;
  const store: Store = {
    ...own,
    async read(key) {
      reads += 1;
      const value = await own.read(key);
      await held.shift(); // the value is as old as the start of the read
      return value;
    },
  };
  const list = createStoredList<string>(store, place, options);
  const hold = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    held.push(promise);
    return resolve;
  };
  return { own, list, hold, reads: () => reads };
}

test("a read that ends late does not replace what a later read has found", async () => {
  const { list, hold } = heldList();
  const release = hold();
  const late = list.recent();
  await list.change((all) => [...all, "new"]);
  release();
  expect(await late).toEqual(["new"]);
  expect(await list.recent()).toEqual(["new"]);
});

test("a list of another process is used although its version is lower, as after a restored backup", async () => {
  const { own, list } = heldList({ freshFor: 0 });
  for (const each of ["a", "b"]) await list.change((all) => [...all, each]);
  const restored = memoryStore();
  await restored.write(place, ["a"], 0);
  own.read = restored.read.bind(restored);
  expect(await list.recent()).toEqual(["a"]);
});

test("callers at the same time share a read", async () => {
  const { list, hold, reads } = heldList();
  const release = hold();
  const all = [list.recent(), list.recent(), list.recent()];
  release();
  expect(await Promise.all(all)).toEqual([[], [], []]);
  expect(reads()).toBe(1);
});

test("who misses an item gets a read that starts later, one for all callers in the interval", async () => {
  const { own, list, reads } = heldList();
  expect(await list.recent()).toEqual([]);
  await own.write(place, ["new"], 0);
  expect(await list.recent()).toEqual([]);
  const all = [list.later(), list.later(), list.later()];
  expect(await Promise.all(all)).toEqual([["new"], ["new"], ["new"]]);
  expect([await list.recent(), reads()]).toEqual([["new"], 2]);
});

test("the interval between reads does not grow when the clock is set back", async () => {
  let now = 1_000_000;
  const { own, list } = heldList({ now: () => now });
  await list.recent();
  await own.write(place, ["new"], 0);
  now = 0;
  expect(await list.later()).toEqual(["new"]);
});
