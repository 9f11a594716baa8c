import { deepEqual, equal } from "node:assert/strict";

import { everything, isRefused, makeCommit, saying } from "./store-case.ts";
import type { StoreCases } from "./store-case.ts";
import { strange } from "./text-cases.ts";

/** Values under keys, separate from threads. */
export const valueCases: StoreCases = {
  "a value can be read when its promise resolves, and its version increases": async (store) => {
    equal(await store.read("k"), undefined);
    await store.write("k", { z: 1, a: ["\0", "\ud800", null] }, 0);
    const first = await store.read("k");
    equal(JSON.stringify(first?.value), JSON.stringify({ z: 1, a: ["\0", "\ud800", null] }));
    equal(first?.version, 1);
    await store.write("k", null, 1);
    deepEqual(await store.read("k"), { value: null, version: 2 });
    await store.write("k", [], 2);
    deepEqual(await store.read("k"), { value: [], version: 3 });
  },

  "a writer that has not read the last value is refused, and changes nothing": async (store) => {
    await isRefused(store.write("k", "early", 1), "store/stale", { key: "k", expected: 1, actual: 0 });
    equal(await store.read("k"), undefined);
    await store.write("k", "one", 0);
    await store.write("k", "two", 1);
    await isRefused(store.write("k", "anew", 0), "store/stale", { key: "k", expected: 0, actual: 2 });
    await isRefused(store.write("k", "late", 1), "store/stale", { key: "k", expected: 1, actual: 2 });
    await isRefused(store.write("k", "ahead", 3), "store/stale", { key: "k", expected: 3, actual: 2 });
    deepEqual(await store.read("k"), { value: "two", version: 2 });
  },

  "of many writers of a key at the same version, one wins": async (store) => {
    await store.write("k", "first", 0);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, writer) => store.write("k", { writer }, 1)),
    );
    const winners = outcomes.flatMap(({ status }, writer) => (status === "fulfilled" ? [writer] : []));
    equal(winners.length, 1);
    deepEqual(await store.read("k"), { value: { writer: winners[0] }, version: 2 });
  },

  "any text can be a key, and no two are the same": async (store) => {
    for (const [index, key] of strange.entries()) await store.write(key, index, 0);
    for (const [index, key] of strange.entries()) deepEqual(await store.read(key), { value: index, version: 1 });
  },

  "keys and thread ids are independent": async (store) => {
    await store.commit(makeCommit({ entries: saying("hello") }));
    const before = await everything(store, "t1");
    equal(await store.read("t1"), undefined);
    await store.write("t1", "kept", 0);
    deepEqual(await everything(store, "t1"), before);
    await store.delete("t1", 1);
    equal(await store.purge(2), 1);
    deepEqual(await store.read("t1"), { value: "kept", version: 1 });
  },

  "a refused write does not affect concurrent writes": async (store) => {
    const outcomes = await Promise.allSettled([
      store.commit(makeCommit({ entries: saying("one") })),
      store.write("k", "stale", 4),
      store.write("other", "kept", 0),
    ]);
    deepEqual(
      outcomes.map(({ status }) => status),
      ["fulfilled", "rejected", "fulfilled"],
    );
    deepEqual([await store.read("k"), await store.read("other")], [undefined, { value: "kept", version: 1 }]);
    equal((await store.entries("t1")).length, 1);
  },

  "a change to a value that was read does not change the store": async (store) => {
    await store.write("k", { list: [1] }, 0);
    const read = (await store.read("k"))?.value as { list: number[] }; // the value written above
    read.list.push(2);
    deepEqual(await store.read("k"), { value: { list: [1] }, version: 1 });
  },
};
