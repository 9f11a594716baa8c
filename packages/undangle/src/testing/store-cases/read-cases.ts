import { deepEqual, equal } from "node:assert/strict";

import { isRefused, makeCommit, saying } from "./store-case.ts";
import type { StoreCases } from "./store-case.ts";

/** Reading parts of a thread. */
export const readCases: StoreCases = {
  "a missing thread has an undefined head and no entries": async (store) => {
    await store.commit(makeCommit({ thread: "another", entries: saying("hello") }));
    equal(await store.load("none"), undefined);
    deepEqual([await store.entries("none"), await store.calls("none"), await store.events("none")], [[], [], []]);
  },

  "entries are read from one index to another": async (store) => {
    await store.commit(makeCommit({ entries: saying("0", "1", "2", "3", "4") }));
    const numbers = async (range?: { from?: number; to?: number }) =>
      (await store.entries("t1", range)).map(({ seq }) => seq);
    deepEqual(await numbers(), [0, 1, 2, 3, 4]);
    deepEqual(await numbers({}), [0, 1, 2, 3, 4]);
    deepEqual(await numbers({ from: 3 }), [3, 4]);
    deepEqual(await numbers({ to: 2 }), [0, 1]);
    deepEqual(await numbers({ from: 1, to: 4 }), [1, 2, 3]);
    deepEqual(await numbers({ from: 2, to: 2 }), []);
    deepEqual(await numbers({ from: 4, to: 1 }), []);
    deepEqual(await numbers({ from: 9 }), []);
    deepEqual(await numbers({ from: -3, to: 99 }), [0, 1, 2, 3, 4]);
    deepEqual(await numbers({ to: -1 }), []);
  },

  "calls are sorted by entry and position, regardless of write order": async (store) => {
    const call = (id: string, entry: number, place: number) => ({ id, entry, place, value: { id } });
    await store.commit(
      makeCommit({ entries: saying("0", "1", "2"), calls: [call("d", 2, 0), call("c", 1, 10), call("b", 1, 2)] }),
    );
    await store.commit(makeCommit({ version: 1, calls: [call("a", 0, 0), call("c", 1, 10)] }));
    const read = async (range?: { from?: number; to?: number }) =>
      (await store.calls("t1", range)).map(({ id }) => id).join("");
    equal(await read(), "abcd");
    equal(await read({ from: 1 }), "bcd");
    equal(await read({ to: 2 }), "abc");
    equal(await read({ from: 1, to: 2 }), "bc");
    equal(await read({ from: 3 }), "");
  },

  "events are read after an event, up to a limit": async (store) => {
    const events = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, index) => ({ type: "tick", data: from + index }));
    await store.commit(makeCommit({ at: 10, events: events(1, 3) }));
    await store.commit(makeCommit({ version: 1, at: 20, events: events(4, 5) }));
    const read = async (range?: { after?: number; limit?: number }) =>
      (await store.events("t1", range)).map(({ seq, data, at }) => `${seq}=${String(data)}@${at}`).join(" ");
    equal(await read(), "1=1@10 2=2@10 3=3@10 4=4@20 5=5@20");
    equal(await read({ after: 3 }), "4=4@20 5=5@20");
    equal(await read({ after: 1, limit: 2 }), "2=2@10 3=3@10");
    equal(await read({ limit: 1 }), "1=1@10");
    equal(await read({ limit: 0 }), "");
    equal(await read({ after: 5 }), "");
    equal(await read({ after: 99 }), "");
  },

  "a commit may have many long events, and reading can start at any event": async (store) => {
    const data = Array.from({ length: 500 }, (_, index) => (index % 100 === 7 ? "long".repeat(20_000) : index));
    await store.commit(makeCommit({ events: data.map((each) => ({ type: "tick", data: each })) }));
    await store.commit(makeCommit({ version: 1, at: 20, events: [{ type: "last", data: null }] }));
    for (const after of [0, 1, 6, 7, 8, 250, 499, 500]) {
      for (const limit of [1, 3, 150, undefined]) {
        const events = await store.events("t1", limit === undefined ? { after } : { after, limit });
        const numbers = Array.from({ length: Math.min(limit ?? 501, 501 - after) }, (_, index) => after + index + 1);
        deepEqual(
          events.map(({ seq }) => seq),
          numbers,
        );
        deepEqual(
          events.map((event) => event.data),
          numbers.map((seq) => (seq === 501 ? null : data[seq - 1])),
        );
      }
    }
  },

  "calls of the same id in two threads are two calls": async (store) => {
    for (const thread of ["t1", "t2"]) {
      const calls = [{ id: "call_1", entry: 0, place: 0, value: thread }];
      await store.commit(makeCommit({ thread, entries: saying("hello"), calls }));
    }
    deepEqual(await store.calls("t1"), [{ id: "call_1", entry: 0, place: 0, value: "t1" }]);
    deepEqual(await store.calls("t2"), [{ id: "call_1", entry: 0, place: 0, value: "t2" }]);
  },

  "later writes do not change values that were read": async (store) => {
    await store.commit(makeCommit({ entries: saying("one"), events: [{ type: "said", data: 1 }] }));
    const [thread, entries, events] = [await store.load("t1"), await store.entries("t1"), await store.events("t1")];
    await store.commit(makeCommit({ version: 1, entries: saying("two"), events: [{ type: "said", data: 2 }] }));
    deepEqual([thread?.version, entries.length, events.length], [1, 1, 1]);
  },

  "a closed store refuses every operation, and can be closed again": async (store) => {
    await store.commit(makeCommit());
    await store.close();
    await isRefused(store.load("t1"), "store/closed");
    await isRefused(store.entries("t1"), "store/closed");
    await isRefused(store.calls("t1"), "store/closed");
    await isRefused(store.events("t1"), "store/closed");
    await isRefused(store.commit(makeCommit({ version: 1 })), "store/closed");
    await isRefused(store.list(), "store/closed");
    await isRefused(store.beat("me", 1), "store/closed");
    await isRefused(store.lastBeat("me"), "store/closed");
    await isRefused(store.leave("me"), "store/closed");
    await isRefused(store.delete("t1", 1), "store/closed");
    await isRefused(store.restore("t1"), "store/closed");
    await isRefused(store.purge(1), "store/closed");
    await isRefused(store.remove("t1"), "store/closed");
    await isRefused(store.read("k"), "store/closed");
    await isRefused(store.write("k", 1, 0), "store/closed");
    await isRefused(store.files("t1"), "store/closed");
    await isRefused(store.file("t1", "/a"), "store/closed");
    await isRefused(store.sharedFiles("n"), "store/closed");
    await isRefused(store.sharedFile("n", "/a"), "store/closed");
    await isRefused(store.writeSharedFiles("n", [{ path: "/a", data: null }], { at: 1 }), "store/closed");
    await store.close();
  },

  "writes that start before the store closes are saved": async (store) => {
    const commit = store.commit(makeCommit());
    await store.close();
    await commit;
  },
};
