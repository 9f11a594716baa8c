import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";

import type { Commit, Store } from "../store.ts";
import { databaseStore } from "./database-store.ts";
import { openDatabase } from "./open-database.ts";
import { withDescendants } from "../sql/descendants.ts";
import { sharedFileQueries, threadFileQueries } from "../sql/file-query.ts";
import { threadQuery } from "../sql/thread-query.ts";
import type { Asked } from "../sql/thread-query.ts";
import { sqliteDialect } from "./sqlite-dialect.ts";

const folder = mkdtempSync(join(tmpdir(), "undangle-store-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;

/** A store whose database a test may reach into. */
function openStore({ busyTimeout = 200 } = {}): { path: string; database: DatabaseSync; store: Store } {
  const settings = { path: join(folder, `${(files += 1)}.db`), busyTimeout, synchronous: "full" as const };
  const database = openDatabase(settings);
  return { path: settings.path, database, store: databaseStore(database, settings) };
}

const commitTo = (thread: string, value: unknown = "hello", version = 0): Commit => ({
  thread,
  version,
  at: 1000,
  head: { epoch: 1, owner: undefined, status: "idle", deadline: undefined, title: undefined, data: {} },
  entries: [{ value, text: "" }],
  calls: [{ id: "c", entry: version, place: 0, value: 1 }],
  events: [{ type: "said", data: value }],
});

const tick = { type: "tick", data: 1 };

const listed = async (store: Store) => (await store.list()).map(({ id }) => id).sort();

describe("a database that another process has locked", () => {
  test("is waited for, while the process goes on and others read", async () => {
    const { path, store } = openStore({ busyTimeout: 5000 });
    await store.commit(commitTo("there"));
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    let isSaved = false;
    const commits = Promise.all(["a", "b"].map((thread) => store.commit(commitTo(thread)))).then(
      () => (isSaved = true),
    );
    await pause(60);
    expect((await store.load("there"))?.version).toBe(1);
    const late = store.commit(commitTo("c"));
    expect(isSaved).toBe(false);
    other.exec("COMMIT");
    await Promise.all([commits, late]);
    expect(await listed(store)).toEqual(["a", "b", "c", "there"]);
    other.close();
    await store.close();
  });

  test("is an error after the time that was given, and works when it is free", async () => {
    const { path, store } = openStore({ busyTimeout: 80 });
    const other = new DatabaseSync(path);
    other.exec("BEGIN EXCLUSIVE");
    const begin = performance.now();
    const outcomes = await Promise.allSettled([store.commit(commitTo("a")), store.delete("a", 1), store.beat("me", 1)]);
    expect(performance.now() - begin).toBeGreaterThan(75);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ reason: { code: "store/busy", data: { path, canRetry: true } } });
    }
    other.exec("ROLLBACK");
    other.close();
    await store.commit(commitTo("a"));
    expect(await listed(store)).toEqual(["a"]);
    await store.close();
  });

  test("does not keep a store from being closed", async () => {
    const { path, store } = openStore({ busyTimeout: 50 });
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    const [commit, close] = await Promise.allSettled([store.commit(commitTo("a")), store.close()]);
    expect([commit, close]).toMatchObject([{ reason: { code: "store/busy" } }, { status: "fulfilled" }]);
    other.close();
  });
});

describe("a disk that is full", () => {
  test("is an error for what does not fit, and what was asked for with it is saved", async () => {
    const { path, database, store } = openStore();
    await store.commit(commitTo("first"));
    const { page_count: pages } = database.prepare("PRAGMA page_count").get() ?? {};
    database.exec(`PRAGMA max_page_count = ${Number(pages) + 8}`);
    const outcomes = await Promise.allSettled([
      store.commit(commitTo("before")),
      store.commit(commitTo("long", "x".repeat(100_000))),
      store.commit(commitTo("long", "and this one needs the one before", 1)),
      store.commit(commitTo("behind")),
    ]);
    expect(outcomes).toMatchObject([
      { status: "fulfilled" },
      { reason: { code: "store/full", data: { path, canRetry: true } } },
      { reason: { code: "store/conflict", data: { expected: 1, actual: 0 } } },
      { status: "fulfilled" },
    ]);
    expect(await listed(store)).toEqual(["before", "behind", "first"]);
    expect(await store.entries("long")).toEqual([]);
    database.exec("PRAGMA max_page_count = 1000000");
    await store.commit(commitTo("long", "x".repeat(100_000)));
    expect((await store.entries("long")).length).toBe(1);
    await store.close();
  });
});

describe("a database that is damaged", () => {
  test("is an error where a row is not what was written", async () => {
    const { path, database, store } = openStore();
    await store.commit(commitTo("t1"));
    database.exec(`UPDATE undangle_entries SET value = '{"cut off'`);
    await expect(store.entries("t1")).rejects.toMatchObject({ code: "store/corrupt", data: { path, canRetry: false } });
    expect((await store.events("t1")).length).toBe(1);
    for (const text of ["[", "{}", '[["tick"]]']) {
      database.prepare("UPDATE undangle_events SET events = ?").run(text);
      await expect(store.events("t1")).rejects.toMatchObject({ code: "store/corrupt", data: { path } });
    }
    await store.close();
  });

  test("is an error where a table is gone, and each commit of the group hears of it", async () => {
    const { database, store } = openStore();
    database.exec("DROP TABLE undangle_events");
    const outcomes = await Promise.allSettled([store.commit(commitTo("a")), store.commit(commitTo("b"))]);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: { code: "store/corrupt" } });
    expect(await listed(store)).toEqual([]);
    await store.close();
  });
});

describe("what it costs", () => {
  test("commits wait for the disk, and signs of life do not", async () => {
    const { database, store } = openStore();
    const level = () => database.prepare("PRAGMA synchronous").get()?.["synchronous"];
    await store.beat("me", 1);
    expect(level()).toBe(1);
    await store.commit(commitTo("t1"));
    expect(level()).toBe(2);
    await Promise.all([store.beat("me", 2), store.commit(commitTo("t2"))]);
    expect(level()).toBe(2);
    await store.close();
  });

  test("commits of one turn of the event loop are one transaction", async () => {
    const { path, database, store } = openStore();
    const other = new DatabaseSync(path);
    const version = () => Number(other.prepare("PRAGMA data_version").get()?.["data_version"]);
    const before = version();
    await Promise.all(Array.from({ length: 100 }, (_, index) => store.commit(commitTo(`t${index}`))));
    expect(version() - before).toBe(1);
    expect(database.isTransaction).toBe(false);
    other.close();
    await store.close();
  });

  describe("commits of the only thread that runs", () => {
    const run = (thread: string, version: number): Commit => {
      const commit = commitTo(thread, "hello", version);
      return { ...commit, head: { ...commit.head, owner: "me", status: "running" } };
    };
    const turn = () => new Promise<string>((resolve) => setImmediate(resolve, "turn"));
    const firstOf = (commit: Commit, store: Store): Promise<string> =>
      Promise.race([turn(), store.commit(commit).then(() => "commit")]);

    test("do not wait for a turn of the event loop, and those of several do, to be together", async () => {
      const { store } = openStore();
      await store.commit(run("t1", 0));
      await turn();
      expect(await firstOf(run("t1", 1), store)).toBe("commit");
      await store.commit(run("t2", 0));
      await turn();
      expect(await firstOf(run("t1", 2), store)).toBe("turn");
      await store.commit(commitTo("t2", "done", 1));
      await turn();
      expect(await firstOf(run("t1", 3), store)).toBe("commit");
      await store.close();
    });

    test("wait for a lock of somebody else, and leave nothing open where they fail", async () => {
      const { path, database, store } = openStore();
      await store.commit(run("t1", 0));
      const other = new DatabaseSync(path);
      other.exec("BEGIN IMMEDIATE");
      const waiting = firstOf(run("t1", 1), store);
      expect(await waiting).toBe("turn");
      other.exec("ROLLBACK");
      other.close();
      await expect.poll(async () => (await store.load("t1"))?.version).toBe(2);
      await expect(store.commit(run("t1", 1))).rejects.toMatchObject({ code: "store/conflict", data: { actual: 2 } });
      expect(database.isTransaction).toBe(false);
      database.exec("ALTER TABLE undangle_events RENAME TO hidden");
      await expect(store.commit(run("t1", 2))).rejects.toMatchObject({ code: "store/corrupt" });
      expect(database.isTransaction).toBe(false);
      database.exec("ALTER TABLE hidden RENAME TO undangle_events");
      await store.commit(run("t1", 2));
      expect(await store.load("t1")).toMatchObject({ version: 3, entries: 3, lastEvent: 3 });
      await store.close();
    });

    test("let the process get on with other things", async () => {
      const { store } = openStore();
      const seen: number[] = [];
      let version = 0;
      setImmediate(() => seen.push(version));
      while (seen.length === 0) await store.commit(run("t1", version++));
      expect(seen).toHaveLength(1);
      await store.close();
    });
  });

  test("a commit of a running thread writes a few pages, at any length", async () => {
    const { path, database, store } = openStore();
    const head = { ...commitTo("t1").head, owner: "me", status: "running" as const };
    const running = (version: number, from: number, length: number): Commit => {
      const numbers = Array.from({ length }, (_, index) => from + index);
      const text = "x".repeat(200);
      const calls = numbers.map((entry) => ({ id: `c${entry}`, entry, place: 0, value: text }));
      const entries = calls.map(() => ({ value: text, text }));
      return { thread: "t1", version, at: version, head, entries, calls, events: calls.map(() => tick) };
    };
    const pagesOfACommit = async (version: number, from: number): Promise<number> => {
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      for (let more = 0; more < 20; more += 1) await store.commit(running(version + more, from + more, 1));
      return (statSync(`${path}-wal`).size - 32) / (4096 + 24) / 20;
    };
    await store.commit(running(0, 0, 100));
    expect(await pagesOfACommit(1, 100)).toBeLessThan(8); // two for each table and one for the head; now and then a new page
    await store.commit(running(21, 120, 10_000));
    expect(await pagesOfACommit(22, 10_120)).toBeLessThan(8);
    await store.close();
  });

  test("few threads among many are found by an index", async () => {
    const { database, store } = openStore();
    const plan = (query: Parameters<typeof threadQuery>[0]): string => {
      const { sql, values } = threadQuery(query, sqliteDialect);
      const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
      return steps.map(({ detail }) => String(detail)).join("; ");
    };
    expect(plan({ limit: 10 })).toContain("undangle_threads_updated");
    expect(plan({ limit: 10, after: { updatedAt: 5, id: "x" } })).toContain("undangle_threads_updated");
    expect(plan({ limit: 10, search: "x" })).toContain("undangle_threads_updated");
    expect(plan({ isOwned: true })).toContain("undangle_threads_active");
    expect(plan({ status: "waiting" })).toContain("undangle_threads_active");
    expect(plan({ status: "running", limit: 10 })).toContain("undangle_threads_active");
    expect(plan({ dueBefore: 5 })).toContain("undangle_threads_due");
    expect(plan({ isDeleted: true })).toContain("undangle_threads_deleted");
    await store.close();
  });

  test("children are found by an index, and lists of other threads do not read them", async () => {
    const { database, store } = openStore();
    const explain = (sql: string, ...values: readonly (string | number)[]): string => {
      const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
      return steps.map(({ detail }) => String(detail)).join("; ");
    };
    const queries = [{}, { limit: 10 }, { search: "x" }, { idPrefix: "x" }, { status: "idle" as const }];
    for (const query of queries) {
      const { sql, values } = threadQuery({ ...query, parent: "t" }, sqliteDialect);
      expect(explain(sql, ...values)).toContain("undangle_threads_children (parent=?)");
    }
    const all = "SELECT 1 FROM undangle_threads INDEXED BY undangle_threads_updated WHERE owner IS NULL";
    expect(explain(`${all} AND parent IS NULL`)).toContain("undangle_threads_updated");
    expect(() => explain(all)).toThrow("no query solution"); // because children are not in the index
    for (const condition of ["id = ?", "deleted_at < ?"]) {
      const plan = explain(`${withDescendants("", condition)} SELECT key FROM family`, 1);
      expect(plan).toContain("SEARCH child USING INDEX undangle_threads_children (parent=?)");
      expect(plan).not.toMatch(/SCAN undangle_threads|SCAN child/u);
    }
    await store.close();
  });

  test("files are found by an index, and a commit with a file writes a few pages, however many there are", async () => {
    const { path, database, store } = openStore();
    const plan = ({ sql, values }: Asked): string => {
      const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
      return steps.map(({ detail }) => String(detail)).join("; ");
    };
    for (const { list, one } of [threadFileQueries(""), sharedFileQueries("")]) {
      expect(plan(list("t1"))).toMatch(/INDEX sqlite_autoindex_\w+_1 \(\w+=\?\)/u);
      expect(plan(list("t1", { prefix: "/a/" }))).toMatch(/\(\w+=\? AND path>\? AND path<\?\)/u);
      expect(plan(list("t1", { after: "/a" }))).toMatch(/\(\w+=\? AND path>\?\)/u);
      expect(plan(list("t1", { prefix: "/a/" }))).not.toContain("TEMP B-TREE");
      expect(plan(one("t1", "/a"))).toMatch(/\(\w+=\? AND path=\?\)/u);
    }
    const data = new Uint8Array(500).fill(7);
    const fileAt = (index: number) => ({ path: `/folder/${String(index).padStart(6, "0")}`, data });
    const pagesOfACommit = async (version: number): Promise<number> => {
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      for (let more = 0; more < 20; more += 1)
        await store.commit({ ...commitTo("t1", "hello", version + more), files: [fileAt(more * 100)] });
      return (statSync(`${path}-wal`).size - 32) / (4096 + 24) / 20;
    };
    await store.commit({ ...commitTo("t1"), files: [fileAt(0)] });
    expect(await pagesOfACommit(1)).toBeLessThan(14);
    await store.commit({ ...commitTo("t1", "many", 21), files: Array.from({ length: 20_000 }, (_, at) => fileAt(at)) });
    expect(await pagesOfACommit(22)).toBeLessThan(14);
    await store.close();
  });
});
