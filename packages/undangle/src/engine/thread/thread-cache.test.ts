import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { expect, test } from "vitest";

import { createCachePool } from "./thread-cache.ts";
import type { Cacheable } from "./thread-cache.ts";

interface Item extends Cacheable {
  bytes: number;
  isBusy: boolean;
  isHeard: boolean;
}

function itemOf(bytes: number): Item {
  const item: Item = {
    bytes,
    isBusy: false,
    isHeard: false,
    isAtRest: () => !item.isBusy,
    isIdle: () => !item.isBusy && !item.isHeard,
    weight: () => item.bytes,
    forget() {
      item.bytes = 0;
    },
  };
  return item;
}

const million = 1_000_000;
const oneMillion = (): Item => itemOf(million);

test("of those at rest the ones that were used last are kept, as far as their weight allows", () => {
  const { createCache: createShelf, idleBytes: weightAtRest } = createCachePool(3.5 * million, 0);
  const { get: take, find } = createShelf(oneMillion);
  for (const id of ["a", "b", "c", "a", "d", "e", "f"]) take(id);
  expect(["a", "b", "c", "d", "e", "f"].filter((id) => find(id) !== undefined)).toEqual(["a", "d", "e", "f"]);
  expect(weightAtRest()).toBeLessThan(3.5 * million);
});

test("whatever is at work is kept, and so is the one that is taken, however heavy they are", () => {
  const { get: take, find } = createCachePool(million, 0).createCache(() => itemOf(9 * million));
  const busy = ["a", "b", "c"].map((id) => Object.assign(take(id), { isBusy: true }));
  const last = take("d");
  expect(["a", "b", "c", "d"].map(find)).toEqual([...busy, last]);
  for (const each of busy) each.isBusy = false;
  take("d");
  expect(["a", "b", "c"].map(find)).toEqual([undefined, undefined, undefined]);
});

test("one that somebody listens to stays, without what it holds", () => {
  const { get: take, find } = createCachePool(million, 0).createCache(oneMillion);
  const heard = Object.assign(take("a"), { isHeard: true });
  take("b");
  expect([find("a") === heard, heard.bytes]).toEqual([true, 0]);
});

test("many that hold little are kept", () => {
  const { get: take, all } = createCachePool(64 * million, 0).createCache(() => itemOf(1000));
  for (let i = 0; i < 3000; i++) take(`t${i}`);
  expect(all()).toHaveLength(3000);
});

test("agents share what there is: the ones of another that were used longest ago go first", () => {
  const { createCache: createShelf } = createCachePool(2.5 * million, 0);
  const [one, other] = [createShelf(oneMillion), createShelf(oneMillion)];
  one.get("a");
  one.get("b");
  other.get("c");
  other.get("d");
  expect([one.all().length, other.all().length]).toEqual([1, 2]);
});

test("an agent that nobody uses any more is not kept, and weighs nothing", async () => {
  const { createCache: createShelf, idleBytes: weightAtRest } = createCachePool(64 * million, 0);
  (() => {
    const { get: take } = createShelf(oneMillion);
    for (const id of ["a", "b", "c"]) take(id);
  })();
  createShelf(oneMillion).get("last of all");
  expect(weightAtRest()).toBeGreaterThan(3 * million);
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void; // available after `--expose-gc` is set
  await expect
    .poll(
      () => {
        collect();
        return weightAtRest();
      },
      { timeout: 10_000 },
    )
    .toBeLessThan(million);
});
