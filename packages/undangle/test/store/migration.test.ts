/** Databases of an earlier version of the tables. */
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import type { Store } from "#store";
import { afterAll, describe, expect, test } from "vitest";

import { postgresStore } from "../../src/store/postgres.ts";
import { postgresDialect } from "../../src/store/postgres/postgres-dialect.ts";
import { migrationsFor, migrationsTable } from "../../src/store/schema.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { sqliteDialect } from "../../src/store/sqlite/sqlite-dialect.ts";
import { freshDatabase, noPostgres } from "../postgres/fresh-database.ts";
import { makeCommit } from "./make-commit.ts";

const folder = mkdtempSync(join(tmpdir(), "undangle-migration-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The statements that made a database of an earlier version, with a thread of one commit and a value. */
const statementsOf = (version: number, dialect: Parameters<typeof migrationsFor>[0]): readonly string[] => [
  migrationsTable,
  ...migrationsFor(dialect)
    .slice(0, version)
    .flatMap(({ name, statements }, index) => [
      ...statements,
      `INSERT INTO undangle_migrations (number, name) VALUES (${index + 1}, '${name}')`,
    ]),
  `INSERT INTO undangle_threads (id, version, entries, last_event, created_at, updated_at, epoch, owner, status, search, data)
    VALUES ('old', 1, 1, 4, 1000, 1000, 1, 'me', 'running', 'old', '{"version":0}')`,
  `INSERT INTO undangle_entries (thread, seq, search, value)
    SELECT key, 0, '', '{"version":0,"filling":""}' FROM undangle_threads`,
  `INSERT INTO undangle_calls (thread, entry, place, id, value)
    SELECT key, 0, 0, 'c0-0', '{"version":0}' FROM undangle_threads`,
  `INSERT INTO undangle_events (thread, seq, at, events)
    SELECT key, 4, 1000, '[["said",1],["said",2],["said",3],["said",4]]' FROM undangle_threads`,
  "INSERT INTO undangle_values (key, version, value) VALUES ('k', 3, '[1]')",
];

async function expectMigrated(store: Store): Promise<void> {
  expect(await store.load("old")).toMatchObject({ version: 1, entries: 1, lastEvent: 4, owner: "me", createdAt: 1000 });
  expect(await store.list()).toEqual([await store.load("old")]);
  expect(await store.entries("old")).toEqual([{ seq: 0, value: { version: 0, filling: "" } }]);
  expect(await store.calls("old")).toHaveLength(1);
  expect(await store.events("old", { after: 2 })).toHaveLength(2);
  expect(await store.read("k")).toEqual({ value: [1], version: 3 });
  expect(await store.files("old")).toEqual([]);
  expect(await store.sharedFiles("n")).toEqual([]);
  await store.commit(makeCommit("old", 1));
  await store.writeSharedFiles("n", [{ path: "/a", data: Uint8Array.of(0, 255) }], { at: 1 });
  expect((await store.files("old")).map(({ path }) => path)).toEqual(["/1", "/last"]);
  expect((await store.sharedFile("n", "/a"))?.data).toEqual(Uint8Array.of(0, 255));
  const child = makeCommit("child", 0);
  await store.commit({ ...child, head: { ...child.head, parent: "old" } });
  expect((await store.list()).map(({ id }) => id)).toEqual(["old"]);
  expect((await store.list({ parent: "old" })).map(({ id }) => id)).toEqual(["child"]);
}

test.each([
  ["SQLite", sqliteDialect, ["XVNo4-rS59700ERS", "CBgqc4y3iZmU7WM-"]],
  ["Postgres", postgresDialect(undefined), ["hFzaSWJIQYHisv6Q", "8v-3GJyyUsineZFy"]],
])("the earlier migrations on %s are as they were released", (_, dialect, digests) => {
  const found = migrationsFor(dialect).map(({ statements }) => {
    const text = statements.join(";").replaceAll(/\s+/gu, " ");
    return createHash("sha256").update(text).digest("base64url").slice(0, 16);
  });
  expect(found.slice(0, digests.length)).toEqual(digests);
});

const allMigrations = [{ number: 1 }, { number: 2 }, { number: 3 }];

test.each([1, 2])("a SQLite file of version %i is migrated when it is opened, once", async (version) => {
  const path = join(folder, `old-${version}.db`);
  const database = new DatabaseSync(path);
  for (const statement of statementsOf(version, sqliteDialect)) database.exec(statement);
  const stores = [sqliteStore(path), sqliteStore(path)];
  for (const store of stores.slice(0, 1)) await expectMigrated(store);
  expect((await stores[1]?.files("old"))?.length).toBe(2);
  expect(database.prepare("SELECT number FROM undangle_migrations ORDER BY number").all()).toEqual(allMigrations);
  database.close();
  for (const store of stores) await store.close();
});

test("a migration of a SQLite file that fails changes nothing", () => {
  const path = join(folder, "taken.db");
  const database = new DatabaseSync(path);
  for (const statement of statementsOf(1, sqliteDialect)) database.exec(statement);
  database.exec("CREATE TABLE undangle_shared_files (other TEXT)");
  expect(() => sqliteStore(path)).toThrow(expect.objectContaining({ code: "store/corrupt" }));
  expect(database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'undangle_files'").all()).toEqual([]);
  expect(database.prepare("SELECT number FROM undangle_migrations").all()).toEqual([{ number: 1 }]);
  database.close();
});

describe.skipIf(noPostgres !== undefined)("a Postgres database of an earlier version", () => {
  test.each([1, 2])("%i is migrated before the first use, once, by one of several stores", async (version) => {
    const database = await freshDatabase();
    for (const statement of statementsOf(version, postgresDialect(undefined))) await database.ask(statement);
    const stores = Array.from({ length: 5 }, () => postgresStore(database.pool({ max: 2 })));
    await Promise.all(stores.map((store) => store.files("old")));
    for (const store of stores.slice(0, 1)) await expectMigrated(store);
    expect(await database.ask("SELECT number FROM undangle_migrations ORDER BY number")).toEqual(allMigrations);
    await Promise.all(stores.map((store) => store.close()));
    await database.drop();
  });
});
