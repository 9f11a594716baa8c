import { deepEqual, equal } from "node:assert/strict";

import type { Store, ThreadQuery } from "#store";

import { everything, ids, makeCommit, saying } from "./store-case.ts";
import type { StoreCases } from "./store-case.ts";

/** Threads that belong to a parent thread. */
export const childCases: StoreCases = {
  "a thread keeps the parent of its first commit": async (store) => {
    await store.commit(makeCommit({ thread: "child", head: { parent: "a\0/\ud800" } }));
    equal((await store.load("child"))?.parent, "a\0/\ud800");
    await store.commit(makeCommit({ thread: "child", version: 1, head: { owner: "me", status: "running" } }));
    await store.commit(makeCommit({ thread: "child", version: 2, head: { parent: "b" } }));
    equal((await store.load("child"))?.parent, "a\0/\ud800");
    deepEqual(await store.list({ parent: "a\0/\ud800" }), [await store.load("child")]);
    deepEqual(await store.list({ parent: "b" }), []);
    await store.commit(makeCommit({ thread: "top" }));
    await store.commit(makeCommit({ thread: "top", version: 1, head: { parent: "b" } }));
    equal((await store.load("top"))?.parent, undefined);
  },

  "children are listed only with their parent": async (store) => {
    await commitFamily(store);
    const find = async (query?: ThreadQuery) => ids(await store.list(query));
    deepEqual(await find(), ["other", "top"]);
    deepEqual(await find({ parent: "top" }), ["top/2", "top/1"]);
    deepEqual(await find({ parent: "top/1" }), ["top/1/1"]);
    deepEqual(await find({ parent: "other" }), ["other/1"]);
    deepEqual(await find({ parent: "TOP" }), []);
    deepEqual(await find({ parent: "" }), []);
  },

  "every filter applies to threads without a parent, or to the children of one": async (store) => {
    const active = { owner: "me", status: "waiting", deadline: 5 } as const;
    for (const [at, parent] of [undefined, "idle", "active"].entries()) {
      const name = (thread: string): string => (parent === undefined ? thread : `${parent}/${thread}`);
      await store.commit(makeCommit({ thread: name("idle"), at, head: { parent }, entries: saying("Rain") }));
      await store.commit(makeCommit({ thread: name("active"), at, head: { parent, ...active, title: "Rain" } }));
      await store.commit(makeCommit({ thread: name("deleted"), at, head: { parent } }));
      await store.delete(name("deleted"), 9);
    }
    const queries: readonly (readonly [ThreadQuery, readonly string[]])[] = [
      [{}, ["active", "idle"]],
      [{ search: "rain" }, ["active", "idle"]],
      [{ search: "deleted" }, []],
      [{ status: "idle" }, ["idle"]],
      [{ status: "waiting" }, ["active"]],
      [{ isOwned: false }, ["idle"]],
      [{ isOwned: true }, ["active"]],
      [{ dueBefore: 6 }, ["active"]],
      [{ isDeleted: true }, ["deleted"]],
      [{ limit: 1 }, ["active"]],
    ];
    for (const [query, found] of queries) {
      const about = JSON.stringify(query);
      deepEqual(ids(await store.list(query)), found, about);
      for (const parent of ["idle", "active"]) {
        const children = found.map((id) => `${parent}/${id}`);
        deepEqual(ids(await store.list({ ...query, parent })), children, about);
      }
    }
    deepEqual(ids(await store.list({ idPrefix: "a" })), ["active"]);
    deepEqual(ids(await store.list({ idPrefix: "active/a", parent: "active" })), ["active/active"]);
    deepEqual(ids(await store.list({ after: { updatedAt: 0, id: "active" } })), ["idle"]);
    const after = { updatedAt: 2, id: "active/active" };
    deepEqual(ids(await store.list({ parent: "active", after })), ["active/idle"]);
  },

  "a deleted thread takes its descendants with it, and a restored one brings them back": async (store) => {
    await commitFamily(store);
    const before = await family(store);
    equal(await store.delete("top", 50), true);
    deepEqual(await deletedAt(store), [50, 50, 50, 50, undefined, undefined]);
    deepEqual(await store.list({ parent: "top" }), []);
    deepEqual(ids(await store.list({ parent: "top", isDeleted: true })), ["top/2", "top/1"]);
    deepEqual(ids(await store.list({ isDeleted: true })), ["top"]);
    equal(await store.delete("top", 60), false);
    equal(await store.restore("top"), true);
    deepEqual(await family(store), before);
    equal(await store.delete("top/1", 70), true);
    deepEqual(await deletedAt(store), [undefined, 70, undefined, 70, undefined, undefined]);
    deepEqual(ids(await store.list()), ["other", "top"]);
    equal(await store.restore("top"), false);
  },

  "descendants of a deleted child are deleted and restored with the thread": async (store) => {
    await commitFamily(store);
    await store.delete("top/1", 40);
    await store.restore("top/1/1");
    equal(await store.delete("top", 50), true);
    equal((await store.load("top/1/1"))?.deletedAt, 50);
    equal(await store.restore("top"), true);
    deepEqual(await deletedAt(store), [undefined, undefined, undefined, undefined, undefined, undefined]);
  },

  "remove removes all descendants, deleted or not": async (store) => {
    await commitFamily(store);
    const kept = (await family(store)).slice(4);
    await store.delete("top/1", 40);
    equal(await store.remove("top"), true);
    deepEqual(await family(store), [...noneOf(4), ...kept]);
    equal(await store.remove("top/1"), false);
    await store.commit(makeCommit({ thread: "top/1", at: 99 }));
    deepEqual([await store.entries("top/1"), await store.files("top/1")], [[], []]);
    deepEqual(ids(await store.list()), ["top/1", "other"]);
    equal(await store.remove("other/1"), true);
    deepEqual(ids(await store.list()), ["top/1", "other"]);
  },

  "purge removes all descendants, also those that were added later": async (store) => {
    await commitFamily(store);
    await store.delete("top", 10);
    await store.delete("other", 20);
    const head = { parent: "top/1/1" };
    await store.commit(makeCommit({ thread: "late", head, entries: saying("late"), files: [aFile] }));
    const kept = (await family(store)).slice(4);
    equal(await store.purge(10), 0);
    equal(await store.purge(20), 5);
    deepEqual(await family(store), [...noneOf(4), ...kept]);
    deepEqual(await everythingOf(store, "late"), noneOf(1)[0]);
  },

  "purge removes a child that was deleted by itself, and not its parent": async (store) => {
    await commitFamily(store);
    await store.delete("top/1", 10);
    equal(await store.purge(11), 2);
    deepEqual(ids(await store.list()), ["other", "top"]);
    deepEqual(ids(await store.list({ parent: "top" })), ["top/2"]);
  },

  "threads that are descendants of each other are deleted and removed together": async (store) => {
    await store.commit(makeCommit({ thread: "a", head: { parent: "b" } }));
    await store.commit(makeCommit({ thread: "b", head: { parent: "a" } }));
    await store.commit(makeCommit({ thread: "self", head: { parent: "self" } }));
    deepEqual(await store.list(), []);
    equal(await store.delete("a", 1), true);
    equal((await store.load("b"))?.deletedAt, 1);
    equal(await store.purge(2), 2);
    equal(await store.remove("self"), true);
    deepEqual(await everything(store, "self"), [undefined, [], [], []]);
  },
};

const aFile = { path: "/a", data: new Uint8Array([1]) };

/** Two threads, the first with two children and a grandchild, the second with a child. */
const members = ["top", "top/1", "top/2", "top/1/1", "other", "other/1"] as const;

async function commitFamily(store: Store): Promise<void> {
  for (const [at, thread] of members.entries()) {
    await store.commit(
      makeCommit({
        thread,
        at,
        head: { parent: thread.includes("/") ? thread.slice(0, thread.lastIndexOf("/")) : undefined },
        entries: saying(`of ${thread}`),
        calls: [{ id: "call", entry: 0, place: 0, value: 1 }],
        events: [{ type: "said", data: 1 }],
        files: [aFile],
      }),
    );
  }
}

const family = (store: Store): Promise<readonly unknown[]> => Promise.all(members.map((id) => everythingOf(store, id)));

const everythingOf = async (store: Store, id: string): Promise<unknown> => [
  await everything(store, id),
  await store.files(id),
];

const noneOf = (count: number): readonly unknown[] =>
  Array.from({ length: count }, () => [[undefined, [], [], []], []]);

const deletedAt = (store: Store): Promise<readonly unknown[]> =>
  Promise.all(members.map(async (id) => (await store.load(id))?.deletedAt));
