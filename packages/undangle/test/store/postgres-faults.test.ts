/** What goes wrong with a real server, and what is said about it. */
import { inspect } from "node:util";

import { UndangleError } from "#core";
import type { PoolConfig } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { postgresStore } from "../../src/store/postgres.ts";
import { freshDatabase, noPostgres } from "../postgres/fresh-database.ts";
import type { FreshDatabase } from "../postgres/fresh-database.ts";
import { makeCommit } from "./make-commit.ts";

describe.skipIf(noPostgres !== undefined)("an error of a server", () => {
  let database: FreshDatabase;
  const path = (): string => {
    const { port, pathname } = new URL(database.url);
    return `postgres://127.0.0.1:${port}${pathname}`;
  };
  const password = "a secret of tests";
  const role = `role_${process.pid}_${Date.now()}`;

  beforeAll(async () => {
    database = await freshDatabase();
    await database.ask(`CREATE ROLE ${role} LOGIN PASSWORD '${password}'`);
    await postgresStore(database.pool()).commit(makeCommit("t", 0));
  });
  afterAll(async () => {
    const name = new URL(database.url).pathname.slice(1);
    await database.ask(`DROP OWNED BY ${role}`);
    await database.ask(`REVOKE ALL ON DATABASE ${name} FROM ${role}`);
    await database.ask(`DROP ROLE ${role}`);
    await database.drop();
  });

  /** The error of a commit by a pool that is made in this way. It names the database, and no secret. */
  const faultOf = async (config: PoolConfig, schema?: string): Promise<UndangleError> => {
    const pool = database.pool(config);
    const store = postgresStore(pool, { schema, patience: 500 });
    try {
      await store.commit(makeCommit("t", 1));
    } catch (error) {
      const shown = inspect(error, { depth: 9, showHidden: true });
      expect(shown).not.toContain(password);
      expect(shown).not.toContain(encodeURIComponent(password));
      if (error instanceof UndangleError) return error;
      throw error;
    } finally {
      await store.close();
    }
    throw new Error("nothing went wrong");
  };
  const withUrl = (change: Partial<URL>): PoolConfig => ({
    connectionString: Object.assign(new URL(database.url), change).href,
  });

  test("for a database that is not there", async () => {
    expect(await faultOf(withUrl({ pathname: "/nowhere" }))).toMatchObject({
      code: "store/path",
      data: { path: path().replace(/[^/]+$/u, "nowhere"), reason: "no-database", canRetry: false },
    });
  });

  test("for a password that is wrong, and for none", async () => {
    const facts = { code: "store/path", data: { path: path(), reason: "no-login", canRetry: false } };
    expect(await faultOf(withUrl({ password: "wrong" }))).toMatchObject(facts);
    expect(await faultOf(withUrl({ username: "nobody" }))).toMatchObject(facts);
  });

  test("for a server that is not there", async () => {
    const fault = await faultOf(withUrl({ port: "1" }));
    expect(fault).toMatchObject({ code: "store/failed", data: { canRetry: true } });
    expect(fault.message).toContain("no server responds at that address");
  });

  test("for a user without rights, who needs none to make tables where they are", async () => {
    const asRole = withUrl({ username: role });
    expect(await faultOf(asRole)).toMatchObject({ code: "store/path", data: { reason: "no-rights" } });
    expect(await faultOf(asRole, "other")).toMatchObject({ code: "store/path", data: { reason: "no-rights" } });
    await database.ask(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`);
    const store = postgresStore(database.pool(asRole));
    await store.commit(makeCommit("of the role", 0));
    expect(await store.load("of the role")).toMatchObject({ version: 1 });
    await store.close();
  });

  test("for a user who has all the connections that there are", async () => {
    await database.ask(`ALTER ROLE ${role} CONNECTION LIMIT 0`);
    const fault = await faultOf(withUrl({ username: role }));
    expect(fault).toMatchObject({ code: "store/failed", data: { canRetry: true } });
    expect(fault.message).toContain("the server accepts no more connections");
  });

  test("for a database that is read-only, in which one can read", async () => {
    const config = { options: "-c default_transaction_read_only=on" };
    expect(await faultOf(config)).toMatchObject({ code: "store/path", data: { reason: "read-only", canRetry: true } });
    expect(await postgresStore(database.pool(config)).load("t")).toMatchObject({ version: 1 });
  });

  test("for a search path that leads nowhere", async () => {
    expect(await faultOf({ options: "-c search_path=" })).toMatchObject({
      code: "store/path",
      data: { reason: "no-schema" },
    });
  });

  test("for a database that cannot keep every text", async () => {
    const latin = await freshDatabase(undefined, "TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'");
    await expect(postgresStore(latin.pool()).load("t")).rejects.toMatchObject({
      code: "store/path",
      data: { reason: "not-utf8" },
    });
    await latin.drop();
  });

  test("for tables of a later version, which are left as they are", async () => {
    const later = await freshDatabase();
    await postgresStore(later.pool()).list();
    await later.ask("INSERT INTO undangle_migrations (number, name) VALUES (99, 'later')");
    await expect(postgresStore(later.pool()).commit(makeCommit("t", 0))).rejects.toMatchObject({
      code: "store/newer",
      data: { found: 99 },
    });
    expect(await later.ask("SELECT 1 FROM undangle_threads")).toEqual([]);
    await later.drop();
  });

  test("for rows that are not what was written", async () => {
    const other = await freshDatabase();
    const store = postgresStore(other.pool());
    await store.commit(makeCommit("t", 0));
    await other.ask(`UPDATE undangle_entries SET value = '{"cut off'`);
    await expect(store.entries("t")).rejects.toMatchObject({ code: "store/corrupt", data: { canRetry: false } });
    expect(await store.events("t")).toHaveLength(4);
    await other.ask("DROP TABLE undangle_events");
    await expect(store.commit(makeCommit("t", 1))).rejects.toMatchObject({ code: "store/failed" });
    expect(await store.load("t")).toMatchObject({ version: 1, entries: 1 });
    await other.drop();
  });

  describe("for a thread that somebody else holds", () => {
    const timeouts: readonly (readonly [name: string, config: PoolConfig])[] = [
      ["statement_timeout", { statement_timeout: 700 }],
      ["lock_timeout", { options: "-c lock_timeout=700" }],
    ];

    test.each(timeouts)("for longer than %s: nothing is saved, and it works when it is free", async (_, config) => {
      const holder = await database.pool().connect();
      await holder.query("BEGIN");
      await holder.query("SELECT 1 FROM undangle_threads WHERE id = 't' FOR UPDATE");
      const store = postgresStore(database.pool(config));
      const { version = 0 } = (await store.load("t")) ?? {};
      await expect(store.commit(makeCommit("t", version))).rejects.toMatchObject({
        code: "store/busy",
        data: { path: path(), canRetry: true },
      });
      await store.commit(makeCommit(`beside ${Object.keys(config).join()}`, 0));
      await holder.query("COMMIT");
      holder.release();
      expect(await store.load("t")).toMatchObject({ version });
      await store.commit(makeCommit("t", version));
      expect(await store.load("t")).toMatchObject({ version: version + 1, entries: version + 1 });
      await store.close();
    });

    test("for longer than the driver waits: it is found out that it was saved in the end", async () => {
      const holder = await database.pool().connect();
      await holder.query("BEGIN");
      await holder.query("SELECT 1 FROM undangle_threads WHERE id = 't' FOR UPDATE");
      const store = postgresStore(database.pool({ query_timeout: 400 }));
      const { version = 0 } = (await postgresStore(database.pool()).load("t")) ?? {};
      const commit = store.commit(makeCommit("t", version));
      await new Promise((resolve) => setTimeout(resolve, 1000));
      await holder.query("COMMIT");
      holder.release();
      await commit;
      expect(await store.load("t")).toMatchObject({ version: version + 1, entries: version + 1 });
      await store.close();
    });
  });

  test("for a default of transactions that is stricter: commits are as they are", async () => {
    const strict = await freshDatabase();
    const config = { options: "-c default_transaction_isolation=serializable" };
    const stores = [1, 2, 3].map(() => postgresStore(strict.pool(config)));
    await stores[0]?.commit(makeCommit("t", 0));
    const outcomes = await Promise.allSettled(stores.map((store) => store.commit(makeCommit("t", 1))));
    const codes = outcomes.map((each) => (each.status === "fulfilled" ? "saved" : (each.reason as UndangleError).code));
    expect(codes.toSorted()).toEqual(["saved", "store/conflict", "store/conflict"]);
    await strict.drop();
  });
});
