import { deepEqual, equal } from "node:assert/strict";

import { ids, makeCommit, saying } from "./store-case.ts";
import type { StoreCases } from "./store-case.ts";

/** Distinct texts that a store may corrupt. */
export const strange: readonly string[] = [
  "",
  " ",
  "a",
  "A",
  "a ",
  "é",
  "e\u0301",
  "日本語",
  "👩‍👩‍👧",
  "a\0b",
  "a\0c",
  "\0",
  "\u001a",
  "\u001a0000",
  "\ud800",
  "\udfff",
  "\udfff\ud800",
  "\ufffd",
  "'; DROP TABLE undangle_threads; --",
  '"quoted"',
  "../../etc/passwd",
  "100%_\\",
  "NULL",
  "1",
  "01",
  "1.0",
  "__proto__",
  "constructor",
  "\r\n\t\u2028\u2029\u007f\ufeff",
  "x".repeat(5000),
];

/** Ids, texts and values of any kind. */
export const textCases: StoreCases = {
  "any text can be the id of a thread, of a call and of an owner, and no two are the same": async (store) => {
    for (const [index, text] of strange.entries()) {
      const calls = [{ id: text, entry: 0, place: 0, value: index }];
      const head = { owner: text, title: text, data: index };
      await store.commit(
        makeCommit({ thread: text, head, entries: saying("hello"), calls, events: [{ type: text, data: text }] }),
      );
      await store.beat(text, index);
    }
    for (const [index, text] of strange.entries()) {
      const { id, owner, title, data } = (await store.load(text)) ?? {};
      deepEqual({ id, owner, title, data }, { id: text, owner: text, title: text, data: index });
      deepEqual(await store.calls(text), [{ id: text, entry: 0, place: 0, value: index }]);
      deepEqual(await store.events(text), [{ seq: 1, type: text, data: text, at: 1000 }]);
      equal(await store.lastBeat(text), index);
    }
    deepEqual(new Set(ids(await store.list())), new Set(strange));
  },

  "values are returned unchanged, with the order of their keys": async (store) => {
    const value = {
      z: 1,
      a: [null, true, false, 0, -1.5, 1e300, 5e-324, 9007199254740991, "", "\0", "\ud800", "é", {}],
      10: "ten",
      2: "two",
      nested: { b: { a: [[[]]] } },
      texts: strange,
    };
    const calls = [{ id: "c", entry: 0, place: 0, value }];
    await store.commit(
      makeCommit({
        head: { data: value },
        entries: [{ value, text: "" }],
        calls,
        events: [{ type: "e", data: value }],
      }),
    );
    const [entry] = await store.entries("t1");
    const [call] = await store.calls("t1");
    const [event] = await store.events("t1");
    const thread = await store.load("t1");
    for (const stored of [thread?.data, entry?.value, call?.value, event?.data]) {
      equal(JSON.stringify(stored), JSON.stringify(value));
    }
  },

  "a value may be any JSON value": async (store) => {
    const values = [null, true, 0, "", "text", [], {}];
    await store.commit(makeCommit({ entries: values.map((value) => ({ value, text: "" })) }));
    deepEqual(
      (await store.entries("t1")).map(({ value }) => value),
      values,
    );
  },

  "a value of 50 MB comes back whole": async (store) => {
    const long = `${"0123456789abcdef".repeat((50 * 1024 * 1024) / 16)}the end`;
    await store.commit(makeCommit({ entries: saying("hello"), calls: [{ id: "c", entry: 0, place: 0, value: long }] }));
    const [call] = await store.calls("t1");
    equal(call?.value === long, true, "the value is not the one that was given");
  },
};
