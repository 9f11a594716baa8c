import { memoryStore } from "#store";
import type { Commit, Store } from "#store";
import { testStore } from "#testing";
import { Client, types } from "pg";
import type { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { postgresStore } from "../../src/store/postgres.ts";
import { postgresDialect } from "../../src/store/postgres/postgres-dialect.ts";
import { numbered } from "../../src/store/postgres/postgres-dialect.ts";
import { withDescendants } from "../../src/store/sql/descendants.ts";
import { threadFileQueries } from "../../src/store/sql/file-query.ts";
import { threadQuery } from "../../src/store/sql/thread-query.ts";
import type { Asked } from "../../src/store/sql/thread-query.ts";
import { freshDatabase, noPostgres } from "../postgres/fresh-database.ts";
import type { FreshDatabase } from "../postgres/fresh-database.ts";
import { makeCommit } from "./make-commit.ts";

let database: FreshDatabase;
let pool: Pool;
beforeAll(async () => {
  if (noPostgres !== undefined) return;
  database = await freshDatabase();
  pool = database.pool();
});
afterAll(() => database?.drop());

let schemas = 0;
const newSchema = (): string => `of_test_${(schemas += 1)}`;

describe.skipIf(noPostgres !== undefined)("postgresStore", () => {
  test.each(testStore(() => postgresStore(pool, { schema: newSchema() })))("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});

describe.skipIf(noPostgres !== undefined)("a database", () => {
  test("has its tables with the first use of a store, in the schema that was asked for", async () => {
    const schema = newSchema();
    const store = postgresStore(pool, { schema });
    const tables = (): Promise<readonly unknown[]> =>
      database.ask("SELECT tablename FROM pg_tables WHERE schemaname = $1", [schema]);
    expect(await tables()).toEqual([]);
    expect(await store.load("t")).toBeUndefined();
    expect((await tables()).length).toBe(10);
    await store.close();
  });

  test("may have several stores, of which each sees what the others saved", async () => {
    const schema = newSchema();
    const [one, two] = [postgresStore(pool, { schema }), postgresStore(database.pool(), { schema })];
    await one.commit(makeCommit("t", 0));
    await two.commit(makeCommit("t", 1));
    await expect(one.commit(makeCommit("t", 1))).rejects.toMatchObject({
      code: "store/conflict",
      data: { threadId: "t", expected: 1, actual: 2 },
    });
    await one.commit(makeCommit("t", 2));
    expect((await two.load("t"))?.version).toBe(3);
  });

  test("keeps a value as it was when the commit was asked for, also before there are tables", async () => {
    const store = postgresStore(pool, { schema: newSchema() });
    const value = { said: ["hello"] };
    const commit = store.commit({ ...makeCommit("t", 0), entries: [{ value, text: "" }] });
    const write = store.write("k", value, 0);
    value.said.push("changed behind its back");
    await Promise.all([commit, write]);
    expect((await store.entries("t"))[0]?.value).toEqual({ said: ["hello"] });
    expect(await store.read("k")).toEqual({ value: { said: ["hello"] }, version: 1 });
  });

  test("does not take a value that is not JSON, nor an id that is too long, and the commits beside them are saved", async () => {
    const store = postgresStore(pool, { schema: newSchema() });
    const cyclic: unknown[] = [];
    cyclic.push(cyclic);
    const long = Array.from({ length: 5000 }, () => String.fromCharCode(33 + Math.random() * 90)).join("");
    const outcomes = await Promise.allSettled([
      store.commit(makeCommit("before", 0)),
      store.commit({ ...makeCommit("bad", 0), events: [{ type: "said", data: cyclic }] }),
      store.commit(makeCommit(long, 0)),
      store.commit(makeCommit("behind", 0)),
    ]);
    expect(outcomes).toMatchObject([
      { status: "fulfilled" },
      { reason: { code: "store/failed", data: { canRetry: false }, cause: expect.any(TypeError) as unknown } },
      { reason: { code: "store/failed", message: expect.stringContaining("too long for a Postgres index") as string } },
      { status: "fulfilled" },
    ]);
    expect((await store.list()).map(({ id }) => id).toSorted()).toEqual(["before", "behind"]);
  });

  test("counts beyond 32 bits, whatever the driver makes of large numbers", async () => {
    const getTypeParser: typeof types.getTypeParser = (id: number, format?: unknown) =>
      id === 20 ? BigInt : (types.getTypeParser as (...given: unknown[]) => never)(id, format); // the one of pg
    for (const own of [pool, database.pool({ types: { getTypeParser } })]) {
      const schema = newSchema();
      const store = postgresStore(own, { schema });
      await store.list();
      await database.ask(`ALTER TABLE ${schema}.undangle_threads ALTER COLUMN key RESTART WITH 9007199254740995`);
      await store.commit(makeCommit("a", 0));
      await store.commit(makeCommit("b", 0));
      await database.ask(`UPDATE ${schema}.undangle_threads SET version = 6000000000, entries = 5000000000, last_event = 7000000000
        WHERE id = 'b'`);
      await store.commit({
        ...makeCommit("b", 6_000_000_000),
        at: 1e13,
        calls: [{ id: "c", entry: 5e9, place: 0, value: 1 }],
      });
      expect(await store.load("b")).toMatchObject({
        version: 6_000_000_001,
        entries: 5_000_000_001,
        lastEvent: 7_000_000_004,
        updatedAt: 1e13,
      });
      expect((await store.entries("b", { from: 5e9 })).map(({ seq }) => seq)).toEqual([5e9]);
      expect((await store.calls("b", { from: 5e9 })).map(({ entry }) => entry)).toEqual([5e9]);
      expect((await store.events("b", { after: 7e9, limit: 2 })).map(({ seq }) => seq)).toEqual([7e9 + 1, 7e9 + 2]);
      expect((await store.entries("a")).length).toBe(1); // keys that no number of JavaScript can tell apart
    }
  });

  test("takes times between milliseconds, and ranges that end nowhere", async () => {
    const store = postgresStore(pool, { schema: newSchema() });
    await store.commit({ ...makeCommit("t", 0), at: 1234.9 });
    await store.beat("me", 5.5);
    expect(await store.load("t")).toMatchObject({ updatedAt: 1234 });
    expect(await store.lastBeat("me")).toBe(5);
    expect(await store.entries("t", { from: -Infinity, to: Infinity })).toHaveLength(1);
    expect(await store.events("t", { after: 0, limit: Infinity })).toHaveLength(4);
    expect(await store.list({ dueBefore: 1e300, limit: 1e300 })).toEqual([]);
  });

  test("keeps nothing of a thread that is removed while somebody writes to it", async () => {
    const schema = newSchema();
    const store = postgresStore(pool, { schema });
    await store.commit(makeCommit("t", 0));
    await store.delete("t", 1);
    const other = await pool.connect();
    await other.query(`BEGIN; SET LOCAL search_path TO ${schema}; UPDATE undangle_threads SET version = 2, entries = 2;
      INSERT INTO undangle_entries (thread, seq, search, value) SELECT key, 1, 'late', '1' FROM undangle_threads`);
    const purged = store.purge(5);
    const waits = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%FOR UPDATE'";
    while ((await database.ask(waits)).length === 0);
    await other.query("COMMIT");
    other.release();
    expect(await purged).toBe(1);
    expect(await database.ask(`SELECT 1 FROM ${schema}.undangle_entries`)).toEqual([]);
    await expect(store.commit(makeCommit("t", 2))).rejects.toMatchObject({
      code: "store/conflict",
      data: { actual: 0 },
    });
  });

  test("orders ids in one way, whatever its language", async () => {
    const german = await freshDatabase(undefined, "TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'de'");
    const [store, memory] = [postgresStore(german.pool()), memoryStore()];
    for (const each of [store, memory]) {
      for (const thread of ["b", "A", "a", "B", "ä", "_", "1", "Z"]) await each.commit(makeCommit(thread, 0));
    }
    const ids = async (each: Store) => (await each.list()).map(({ id }) => id);
    expect(await ids(store)).toEqual(await ids(memory));
    await store.close();
    await german.drop();
  });

  test("finds few threads among many by an index", async () => {
    const schema = newSchema();
    await postgresStore(pool, { schema }).list();
    await database.ask(`INSERT INTO ${schema}.undangle_threads
      (id, version, entries, last_event, created_at, updated_at, epoch, status, search, data)
      SELECT 'thread ' || i, 1, 1, 1, i, i, 1, 'idle', 'thread', '{}' FROM generate_series(1, 20000) AS i`);
    await database.ask(`ANALYZE ${schema}.undangle_threads`);
    const plan = async (query: Parameters<typeof threadQuery>[0]): Promise<string> => {
      const { sql, values } = threadQuery(query, postgresDialect(schema));
      return JSON.stringify(await database.ask(`EXPLAIN ${numbered(sql)}`, values));
    };
    expect(await plan({ limit: 10 })).toContain("undangle_threads_updated");
    expect(await plan({ limit: 10, after: { updatedAt: 5, id: "x" } })).toContain("undangle_threads_updated");
    expect(await plan({ isOwned: true })).toContain("undangle_threads_active");
    expect(await plan({ status: "waiting" })).toContain("undangle_threads_active");
    expect(await plan({ dueBefore: 5 })).toContain("undangle_threads_due");
    expect(await plan({ isDeleted: true })).toContain("undangle_threads_deleted");
  });

  test("finds children by an index, and does not read them in lists of other threads", async () => {
    const schema = newSchema();
    await postgresStore(pool, { schema }).list();
    const insert = (id: string, parent: string, columns: string): Promise<unknown> =>
      database.ask(`INSERT INTO ${schema}.undangle_threads
        (id, parent, version, entries, last_event, created_at, updated_at, epoch, status, search, data, deleted_at)
        SELECT ${id}, ${parent}, 1, 1, 1, ${columns} FROM generate_series(1, 20000) AS i`);
    await insert("'thread ' || i", "NULL", "i, i, 1, 'idle', 'thread', '{}', CASE WHEN i % 100 = 50 THEN i END");
    await insert(
      "'child ' || i",
      "'thread ' || i % 2000",
      "i, i + 20000, 1, 'idle', 'thread', '{}', CASE WHEN i % 100 = 50 THEN i END",
    );
    await database.ask(`ANALYZE ${schema}.undangle_threads`);
    const explain = async (sql: string, values: unknown[]): Promise<string> =>
      JSON.stringify(await database.ask(`EXPLAIN ANALYZE ${numbered(sql)}`, values));
    const plan = async (query: Parameters<typeof threadQuery>[0]): Promise<string> => {
      const { sql, values } = threadQuery(query, postgresDialect(schema));
      return explain(sql, values);
    };
    expect(await plan({ limit: 10 })).toContain("undangle_threads_updated");
    expect(await plan({ limit: 10, search: "thread" })).toContain("undangle_threads_updated");
    for (const query of [{ limit: 10 }, { limit: 10, search: "thread" }, { isDeleted: true }])
      expect(await plan(query)).not.toContain("Removed by Filter");
    for (const query of [{}, { limit: 1 }, { search: "x" }])
      expect(await plan({ ...query, parent: "thread 100" })).toContain("undangle_threads_children");
    const family = withDescendants(postgresDialect(schema).prefix, "id = ?");
    expect(await explain(`${family} SELECT key FROM family`, ["thread 7"])).not.toContain("Seq Scan");
  });
});

describe.skipIf(noPostgres !== undefined)("the files of a thread with many", () => {
  test("are found by an index, and a pool without type parsers reads them", async () => {
    const schema = newSchema();
    const raw = { getTypeParser: () => (text: string) => text } as unknown as typeof types; // every value as text
    const store = postgresStore(database.pool({ types: raw }), { schema });
    const data = Uint8Array.of(0, 1, 254, 255);
    await store.commit({ ...makeCommit("t", 0), files: [{ path: "/1", data }] });
    expect(await store.file("t", "/1")).toEqual({ path: "/1", size: 4, createdAt: 1000, modifiedAt: 1000, data });
    await database.ask(`INSERT INTO ${schema}.undangle_files (thread, path, size, created_at, modified_at, data)
      SELECT key, '/many/' || i, 0, 1, 1, '' FROM ${schema}.undangle_threads, generate_series(1, 20000) AS i`);
    await database.ask(`ANALYZE ${schema}.undangle_files`);
    const { list, one } = threadFileQueries(postgresDialect(schema).prefix);
    const plan = async ({ sql, values }: Asked): Promise<string> =>
      JSON.stringify(await database.ask(`EXPLAIN ${numbered(sql)}`, values));
    expect(await plan(list("t", { prefix: "/many/12" }))).toContain("undangle_files_pkey");
    for (const range of [{ prefix: "/many/", limit: 10 }, { after: "/many/12", limit: 10 }, { limit: 10 }]) {
      expect(await plan(list("t", range))).toContain("Scan using undangle_files_pkey");
      expect(await plan(list("t", range))).not.toContain("Sort");
    }
    expect(await plan(one("t", "/many/7"))).toContain("Scan using undangle_files_pkey");
    expect(await store.files("t", { prefix: "/many/1999" })).toHaveLength(11);
    await store.commit({
      ...makeCommit("t", 1),
      files: [
        { path: "/many/7", data: null },
        { path: "/1", data },
      ],
    });
    expect(await store.files("t")).toHaveLength(20_000);
    await store.close();
  });
});

describe.skipIf(noPostgres !== undefined)("what it costs", () => {
  /** A store, and how many statements it has sent. */
  const counted = async () => {
    const own = database.pool();
    let count = 0;
    own.on("acquire", () => count++);
    const store = postgresStore(own, { schema: newSchema() });
    await store.list();
    return { store, own, sent: () => count };
  };

  test("a commit is one round trip, and those that are asked for together share one", async () => {
    const { store, sent } = await counted();
    const before = sent();
    const quiet = (thread: string, version: number): Commit => {
      const { files = [], ...commit } = { ...makeCommit(thread, version), events: [] };
      return version % 2 === 0 ? commit : { ...commit, files };
    };
    for (let version = 0; version < 10; version++) await store.commit(quiet("t", version));
    expect(sent() - before).toBe(10);
    await Promise.all(Array.from({ length: 100 }, (_, index) => store.commit(quiet(`t${index}`, 0))));
    expect(sent() - before).toBe(11);
  });

  test("other processes are told of events ten times a second at most, however many there are", async () => {
    const { store, sent } = await counted();
    const [before, begin] = [sent(), performance.now()];
    for (let version = 0; version < 100; version++) await store.commit(makeCommit("t", version));
    await store.close();
    const most = 2 + (performance.now() - begin) / 100;
    expect(sent() - before).toBeGreaterThan(100);
    expect(sent() - before).toBeLessThanOrEqual(100 + most);
  });

  test("a pooler that forgets the names of statements only costs a little more", async () => {
    const own = database.pool({ max: 1 });
    const store = postgresStore(own, { schema: newSchema() });
    for (let version = 0; version < 5; version++) {
      await store.commit(makeCommit("t", version));
      await own.query("DEALLOCATE ALL");
    }
    expect(await store.load("t")).toMatchObject({ version: 5, entries: 5 });
  });

  test("a thread that another transaction holds does not hold up the others", async () => {
    const { store, own } = await counted();
    await store.commit(makeCommit("held", 0));
    await store.commit(makeCommit("free", 0));
    const { rows } = await own.query<{ schema: string }>(
      "SELECT schemaname AS schema FROM pg_tables WHERE tablename = 'undangle_threads' ORDER BY schemaname",
    );
    const schema = `of_test_${schemas}`;
    expect(rows.map((row) => row.schema)).toContain(schema);
    const other = await own.connect();
    await other.query("BEGIN");
    await other.query(`SELECT 1 FROM ${schema}.undangle_threads WHERE id = 'held' FOR UPDATE`);
    const held = store.commit(makeCommit("held", 1));
    await new Promise(setImmediate);
    await store.commit(makeCommit("free", 1));
    await other.query("COMMIT");
    other.release();
    await held;
  });
});

describe.skipIf(noPostgres !== undefined)("closing", () => {
  test("leaves the pool to its owner", async () => {
    const own = database.pool();
    const store = postgresStore(own, { schema: newSchema() });
    await store.commit(makeCommit("t", 0));
    await store.close();
    expect((await own.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
  });

  test("ends the pool where that was asked for, behind all that is under way", async () => {
    const own = database.pool();
    const store = postgresStore(own, { schema: newSchema(), endPool: true });
    const commit = store.commit(makeCommit("t", 0));
    await store.close();
    await commit;
    expect(own.ended).toBe(true);
  });

  test("a pool that its owner has ended is a store that is closed", async () => {
    const own = database.pool();
    const store = postgresStore(own, { schema: newSchema() });
    await own.end();
    await expect(store.load("t")).rejects.toMatchObject({ code: "store/closed" });
  });
});

describe("what is no pool, and options that mean nothing", () => {
  const make = (given: unknown, options?: object) => () => postgresStore(given as Pool, options); // as in JavaScript
  const fake = { connect: () => Promise.reject(new Error("never")), end: () => Promise.resolve(), on: () => undefined };

  test("are errors at once, which do not repeat an address with its password", () => {
    for (const wrong of ["postgres://me:hunter2@server/app", undefined, {}, 7]) {
      expect(make(wrong)).toThrow("is not a value of the option pool");
      expect(make(wrong)).not.toThrow("hunter2");
    }
    expect(make(fake, { scheme: "x" })).toThrow("Unknown option");
    for (const schema of ["", "a b", 'x"; DROP SCHEMA public', "1a", "x".repeat(64), 7])
      expect(make(fake, { schema })).toThrow("option schema");
    for (const patience of [-1, "1", NaN]) expect(make(fake, { patience })).toThrow("option patience");
    expect(make(fake, { endPool: "yes" })).toThrow("option endPool");
  });

  test.skipIf(noPostgres !== undefined)("a Client in place of a Pool is told with the first use", async () => {
    const client = new Client({ connectionString: database.url });
    await expect(postgresStore(client as unknown as Pool).load("t")).rejects.toMatchObject({ code: "options/value" }); // as in JavaScript
    await client.end();
  });
});
