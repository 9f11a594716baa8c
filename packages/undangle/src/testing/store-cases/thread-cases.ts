import { deepEqual, equal } from "node:assert/strict";

import type { Store, ThreadQuery } from "#store";

import { everything, ids, isRefused, makeCommit, saying } from "./store-case.ts";
import type { StoreCases } from "./store-case.ts";

/** Finding and removing threads. */
export const threadCases: StoreCases = {
  "threads are listed by their last change, newest first": async (store) => {
    await store.commit(makeCommit({ thread: "a", at: 10 }));
    await store.commit(makeCommit({ thread: "b", at: 30 }));
    await store.commit(makeCommit({ thread: "c", at: 20 }));
    deepEqual(ids(await store.list()), ["b", "c", "a"]);
    await store.commit(makeCommit({ thread: "a", version: 1, at: 40 }));
    const listed = await store.list();
    deepEqual(ids(listed), ["a", "b", "c"]);
    deepEqual(listed[0], await store.load("a"));
    deepEqual(ids(await store.list({ limit: 2 })), ["a", "b"]);
    deepEqual(await store.list({ limit: 0 }), []);
  },

  "pages have no gaps and no repetitions, even if threads changed at the same time": async (store) => {
    const names = Array.from({ length: 23 }, (_, index) => `${index % 2 === 0 ? "even" : "Odd \0"} ${index}`);
    for (const [index, thread] of names.entries()) {
      const head = index % 3 === 0 ? { owner: "me", status: "running" as const } : {};
      await store.commit(makeCommit({ thread, at: Math.floor(index / 10), head }));
    }
    const whole = ids(await store.list());
    deepEqual(new Set(whole), new Set(names));
    for (const limit of [1, 4, 10, 23]) deepEqual(await pages(store, { limit }), whole);
  },

  "threads are found by status, by owner and by deadline": async (store) => {
    await store.commit(makeCommit({ thread: "idle", at: 1 }));
    await store.commit(makeCommit({ thread: "running", at: 2, head: { status: "running", owner: "me" } }));
    await store.commit(makeCommit({ thread: "due soon", at: 3, head: { status: "waiting", deadline: 100 } }));
    await store.commit(
      makeCommit({ thread: "due later", at: 4, head: { status: "waiting", deadline: 200, owner: "" } }),
    );
    const find = async (query: ThreadQuery) => ids(await store.list(query));
    deepEqual(await find({ status: "waiting" }), ["due later", "due soon"]);
    deepEqual(await find({ status: "idle" }), ["idle"]);
    deepEqual(await find({ isOwned: true }), ["due later", "running"]);
    deepEqual(await find({ isOwned: false }), ["due soon", "idle"]);
    deepEqual(await find({ dueBefore: 100 }), []);
    deepEqual(await find({ dueBefore: 101 }), ["due soon"]);
    deepEqual(await find({ dueBefore: 1000 }), ["due later", "due soon"]);
    deepEqual(await find({ dueBefore: 1000, isOwned: true, status: "waiting" }), ["due later"]);
    await store.commit(makeCommit({ thread: "due soon", version: 1, at: 5 }));
    deepEqual(await find({ dueBefore: 1000 }), ["due later"]);
  },

  "a search finds a part of the id, the title or the text, in any case": async (store) => {
    await store.commit(makeCommit({ thread: "Invoice-12", at: 1 }));
    await store.commit(makeCommit({ thread: "b", at: 2, head: { title: "The INVOICE of May" } }));
    await store.commit(makeCommit({ thread: "c", at: 3, entries: saying("Hello", "Please pay the invoice.") }));
    await store.commit(makeCommit({ thread: "d", at: 4, entries: saying("nothing of that") }));
    const find = async (search: string) => ids(await store.list({ search }));
    deepEqual(await find("invoice"), ["c", "b", "Invoice-12"]);
    deepEqual(await find("InVoIcE"), ["c", "b", "Invoice-12"]);
    deepEqual(await find("pay the"), ["c"]);
    deepEqual(await find("hello please"), []);
    deepEqual(await find(""), ["d", "c", "b", "Invoice-12"]);
    deepEqual(ids(await store.list({ search: "invoice", limit: 1 })), ["c"]);
    await store.commit(makeCommit({ thread: "b", version: 1, at: 5, head: { title: "Something else" } }));
    deepEqual(await find("invoice"), ["c", "Invoice-12"]);
  },

  "threads are found by the prefix of their id": async (store) => {
    for (const [at, thread] of ["a/1", "A/2", "b/a/3", "a/\u{1F600}/4", "a/\u{1F600}\0/5", "a%/6"].entries())
      await store.commit(makeCommit({ thread, at, entries: saying(`number ${at}`) }));
    const find = async (idPrefix: string) => ids(await store.list({ idPrefix }));
    deepEqual(await find("a/"), ["a/\u{1F600}\0/5", "a/\u{1F600}/4", "a/1"]);
    deepEqual(await find("a/\u{1F600}/"), ["a/\u{1F600}/4"]);
    deepEqual(await find("a/\u{1F600}\0"), ["a/\u{1F600}\0/5"]);
    deepEqual(await find("a%"), ["a%/6"]);
    deepEqual(await find("c"), []);
    deepEqual((await find("")).length, 6);
    deepEqual(ids(await store.list({ idPrefix: "a/", search: "number 0" })), ["a/1"]);
  },

  "a search has no wildcards": async (store) => {
    const said = [
      "100% sure",
      "100 percent",
      "snake_case",
      "snakeXcase",
      "back\\slash",
      "a\0b",
      "half \ud83d",
      "全部",
      "it's",
      "[a-z]*?",
    ];
    for (const [index, text] of said.entries()) {
      await store.commit(makeCommit({ thread: `t${index}`, at: index, entries: saying(text) }));
    }
    for (const search of ["100%", "snake_case", "\\", "a\0b", "\ud83d", "部", "'", "[a-z]", "*", "?", "%"]) {
      const found = said.flatMap((text, index) => (text.includes(search) ? [`t${index}`] : []));
      deepEqual(ids(await store.list({ search })), found.reverse(), JSON.stringify(search));
    }
    deepEqual(await store.list({ search: "x".repeat(200_000) }), []);
  },

  "a deleted thread is listed only among deleted threads, and can still be read": async (store) => {
    await store.commit(makeCommit({ thread: "a", at: 1, entries: saying("hello") }));
    await store.commit(makeCommit({ thread: "b", at: 2 }));
    equal(await store.delete("a", 50), true);
    deepEqual(ids(await store.list()), ["b"]);
    deepEqual(ids(await store.list({ isDeleted: false })), ["b"]);
    deepEqual(ids(await store.list({ isDeleted: true })), ["a"]);
    deepEqual(ids(await store.list({ search: "hello" })), []);
    const { deletedAt, version, updatedAt } = (await store.load("a")) ?? {};
    deepEqual({ deletedAt, version, updatedAt }, { deletedAt: 50, version: 1, updatedAt: 1 });
    equal((await store.entries("a")).length, 1);
  },

  "delete and restore report whether they changed something": async (store) => {
    await store.commit(makeCommit({ entries: saying("hello"), events: [{ type: "said", data: 1 }] }));
    const before = await everything(store, "t1");
    equal(await store.delete("none", 1), false);
    equal(await store.restore("none"), false);
    equal(await store.restore("t1"), false);
    equal(await store.delete("t1", 0), true);
    equal(await store.delete("t1", 2), false);
    equal((await store.load("t1"))?.deletedAt, 0);
    equal(await store.restore("t1"), true);
    deepEqual(await everything(store, "t1"), before);
    deepEqual(ids(await store.list()), ["t1"]);
  },

  "a commit to a deleted thread is saved, and the thread stays deleted": async (store) => {
    await store.commit(makeCommit());
    await store.delete("t1", 50);
    await store.commit(makeCommit({ version: 1, entries: saying("the end") }));
    const { deletedAt, version, entries } = (await store.load("t1")) ?? {};
    deepEqual({ deletedAt, version, entries }, { deletedAt: 50, version: 2, entries: 1 });
  },

  "remove removes one thread, deleted or not, and nothing else": async (store) => {
    for (const thread of ["a", "b", "c"]) {
      const calls = [{ id: "call", entry: 0, place: 0, value: 1 }];
      await store.commit(
        makeCommit({ thread, entries: saying(`of ${thread}`), calls, events: [{ type: "said", data: 1 }] }),
      );
    }
    await store.delete("b", 10);
    await store.delete("c", 0);
    const kept = await everything(store, "c");
    deepEqual([await store.remove("a"), await store.remove("b"), await store.remove("none")], [true, true, false]);
    equal(await store.remove("a"), false);
    for (const id of ["a", "b"]) deepEqual(await everything(store, id), [undefined, [], [], []]);
    deepEqual(await everything(store, "c"), kept);
    await isRefused(store.commit(makeCommit({ thread: "a", version: 1 })), "store/conflict", {
      expected: 1,
      actual: 0,
    });
    await store.commit(makeCommit({ thread: "a", at: 99 }));
    deepEqual([await store.entries("a"), (await store.load("a"))?.createdAt], [[], 99]);
  },

  "purge removes everything that was deleted before a time, and nothing else": async (store) => {
    for (const thread of ["a", "b", "c", "d"]) {
      const calls = [{ id: "call", entry: 0, place: 0, value: 1 }];
      await store.commit(
        makeCommit({ thread, entries: saying(`of ${thread}`), calls, events: [{ type: "said", data: 1 }] }),
      );
    }
    await store.delete("a", 10);
    await store.delete("b", 20);
    await store.delete("c", 30);
    const kept = [await everything(store, "c"), await everything(store, "d")];
    equal(await store.purge(10), 0);
    equal(await store.purge(30), 2);
    equal(await store.purge(30), 0);
    for (const id of ["a", "b"]) deepEqual(await everything(store, id), [undefined, [], [], []]);
    deepEqual([await everything(store, "c"), await everything(store, "d")], kept);
    await isRefused(store.commit(makeCommit({ thread: "a", version: 1 })), "store/conflict", {
      expected: 1,
      actual: 0,
    });
    await store.commit(makeCommit({ thread: "a", at: 99 }));
    deepEqual(
      [await store.entries("a"), await store.calls("a"), await store.events("a"), (await store.load("a"))?.createdAt],
      [[], [], [], 99],
    );
  },
};

/** The ids of all pages, in order. */
async function pages(store: Store, query: ThreadQuery): Promise<readonly string[]> {
  const found: string[] = [];
  for (let page = await store.list(query); page.length > 0;) {
    found.push(...ids(page));
    const last = page.at(-1);
    page = last === undefined ? [] : await store.list({ ...query, after: { updatedAt: last.updatedAt, id: last.id } });
  }
  return found;
}
