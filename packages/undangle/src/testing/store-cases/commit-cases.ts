import { deepEqual, equal } from "node:assert/strict";

import type { Commit } from "#store";

import { everything, head, isRefused, makeCommit, saying } from "./store-case.ts";
import type { StoreCases } from "./store-case.ts";

/** A commit with all fields. */
const full: Commit = makeCommit({
  head: { epoch: 3, owner: "me", status: "waiting", deadline: 9000, title: "Rain", data: { steps: 2 } },
  entries: saying("How is the weather?", "Let me look."),
  calls: [
    { id: "c1", entry: 1, place: 0, value: { name: "weather" } },
    { id: "c2", entry: 1, place: 1, value: { name: "time" } },
  ],
  events: [
    { type: "run_start", data: {} },
    { type: "tool_call_start", data: { id: "c1" } },
  ],
});

/** Commits are atomic, with one writer at a time. */
export const commitCases: StoreCases = {
  "a commit can be read when its promise resolves": async (store) => {
    await store.commit(full);
    deepEqual(await store.load("t1"), {
      ...full.head,
      id: "t1",
      version: 1,
      entries: 2,
      lastEvent: 2,
      createdAt: 1000,
      updatedAt: 1000,
      deletedAt: undefined,
    });
    deepEqual(await store.entries("t1"), [
      { seq: 0, value: { text: "How is the weather?" } },
      { seq: 1, value: { text: "Let me look." } },
    ]);
    deepEqual(await store.calls("t1"), full.calls);
    deepEqual(await store.events("t1"), [
      { seq: 1, type: "run_start", data: {}, at: 1000 },
      { seq: 2, type: "tool_call_start", data: { id: "c1" }, at: 1000 },
    ]);
  },

  "a later commit appends entries and replaces the head": async (store) => {
    await store.commit(full);
    const next = makeCommit({
      version: 1,
      at: 2000,
      entries: saying("It rains."),
      events: [{ type: "run_end", data: 1 }],
    });
    await store.commit(next);
    deepEqual(await store.load("t1"), {
      ...head,
      id: "t1",
      version: 2,
      entries: 3,
      lastEvent: 3,
      createdAt: 1000,
      updatedAt: 2000,
      deletedAt: undefined,
    });
    deepEqual(await store.entries("t1", { from: 2 }), [{ seq: 2, value: { text: "It rains." } }]);
    deepEqual(await store.events("t1", { after: 2 }), [{ seq: 3, type: "run_end", data: 1, at: 2000 }]);
  },

  "a commit with only a head counts too": async (store) => {
    await store.commit(makeCommit());
    await store.commit(makeCommit({ version: 1, head: { title: "Named later" } }));
    const { version, title, entries, lastEvent } = (await store.load("t1")) ?? {};
    deepEqual({ version, title, entries, lastEvent }, { version: 2, title: "Named later", entries: 0, lastEvent: 0 });
  },

  "a call replaces an earlier call with the same id": async (store) => {
    await store.commit(full);
    const settled = { id: "c1", entry: 1, place: 0, value: { name: "weather", result: "rain" } };
    await store.commit(makeCommit({ version: 1, calls: [settled] }));
    deepEqual(await store.calls("t1"), [settled, ...full.calls.slice(1)]);
  },

  "a writer that has not seen the last commit is refused": async (store) => {
    await store.commit(full);
    await store.commit(makeCommit({ version: 1 }));
    const before = await everything(store, "t1");
    const stale = { ...full, version: 1 };
    await isRefused(store.commit(stale), "store/conflict", { threadId: "t1", expected: 1, actual: 2 });
    await isRefused(store.commit({ ...full, version: 7 }), "store/conflict", {
      threadId: "t1",
      expected: 7,
      actual: 2,
    });
    deepEqual(await everything(store, "t1"), before);
  },

  "an existing thread cannot be created again, and a missing thread cannot be continued": async (store) => {
    await store.commit(full);
    await isRefused(store.commit(full), "store/conflict", { expected: 0, actual: 1 });
    await isRefused(store.commit(makeCommit({ thread: "t2", version: 1 })), "store/conflict", {
      expected: 1,
      actual: 0,
    });
    equal(await store.load("t2"), undefined);
  },

  "of many writers at the same version, one wins and the others save nothing": async (store) => {
    await store.commit(makeCommit());
    const writers = Array.from({ length: 20 }, (_, writer) =>
      store.commit(
        makeCommit({
          version: 1,
          head: { data: writer },
          entries: saying(`by ${writer}`),
          calls: [{ id: `c${writer}`, entry: 0, place: 0, value: writer }],
          events: [{ type: "said", data: writer }],
        }),
      ),
    );
    const outcomes = await Promise.allSettled(writers);
    const winners = outcomes.flatMap(({ status }, writer) => (status === "fulfilled" ? [writer] : []));
    equal(winners.length, 1);
    const [winner] = winners;
    const thread = await store.load("t1");
    deepEqual([thread?.version, thread?.data, thread?.entries, thread?.lastEvent], [2, winner, 1, 1]);
    deepEqual(await store.entries("t1"), [{ seq: 0, value: { text: `by ${winner}` } }]);
    deepEqual(await store.calls("t1"), [{ id: `c${winner}`, entry: 0, place: 0, value: winner }]);
    deepEqual(await store.events("t1"), [{ seq: 1, type: "said", data: winner, at: 1000 }]);
  },

  "a refused commit does not affect concurrent commits": async (store) => {
    await store.commit(makeCommit({ thread: "taken" }));
    const outcomes = await Promise.allSettled([
      store.commit(makeCommit({ thread: "before", entries: saying("one") })),
      store.commit(makeCommit({ thread: "taken", entries: saying("two") })),
      store.commit(makeCommit({ thread: "behind", entries: saying("three") })),
    ]);
    deepEqual(
      outcomes.map(({ status }) => status),
      ["fulfilled", "rejected", "fulfilled"],
    );
    const counts = ["before", "taken", "behind"].map(async (id) => (await store.entries(id)).length);
    deepEqual(await Promise.all(counts), [1, 0, 1]);
  },

  "successive commits of one thread can be queued at once": async (store) => {
    const commits = Array.from({ length: 50 }, (_, version) =>
      makeCommit({ version, entries: saying(`number ${version}`) }),
    );
    await Promise.all(commits.map((commit) => store.commit(commit)));
    deepEqual(
      (await store.entries("t1")).map(({ value }) => value),
      commits.map(({ version }) => ({ text: `number ${version}` })),
    );
  },

  "a thousand threads are written at once": async (store) => {
    const threads = Array.from({ length: 1000 }, (_, index) => `thread ${index}`);
    await Promise.all(
      threads.map((thread) =>
        store.commit(makeCommit({ thread, entries: saying(thread), events: [{ type: "said", data: thread }] })),
      ),
    );
    await Promise.all(
      threads.map((thread) => store.commit(makeCommit({ thread, version: 1, entries: saying("and more") }))),
    );
    equal((await store.list()).length, 1000);
    for (const thread of threads) {
      deepEqual(await store.entries(thread), [
        { seq: 0, value: { text: thread } },
        { seq: 1, value: { text: "and more" } },
      ]);
      deepEqual(await store.events(thread), [{ seq: 1, type: "said", data: thread, at: 1000 }]);
    }
  },
};
