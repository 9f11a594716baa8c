/** Whatever is done to them, the store in memory and those in databases say the same. */
import { memoryStore } from "#store";
import type { Commit, FileChange, FileRange, Store, ThreadQuery } from "#store";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { postgresStore } from "../../src/store/postgres.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { freshDatabase, noPostgres } from "../postgres/fresh-database.ts";
import type { FreshDatabase } from "../postgres/fresh-database.ts";

const ids = ["a", "B", "a\0", "%"] as const;
const id = fc.constantFrom(...ids);
const time = fc.nat(5);
const text = fc.constantFrom("", "Rain", "rain in May", "100%", "a\0b", "日本");
const perhaps = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined });

const path = fc.constantFrom("", "/", "/a", "/A", "/a/b", "/a%", "/a\0", "/a\u001a", "/\ud800", "/\uff01", "/😀");
const change: fc.Arbitrary<FileChange> = fc.record({ path, data: fc.option(fc.uint8Array({ maxLength: 4 })) });
const files = fc.array(change, { maxLength: 4 });
const fileRange: fc.Arbitrary<FileRange> = fc
  .record({ prefix: perhaps(path), limit: perhaps(fc.nat(3)), after: perhaps(path) })
  .map((given) => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)));

type Draft = Omit<Commit, "version" | "calls"> & { readonly lag: number; readonly places: readonly number[] };

const draft: fc.Arbitrary<Draft> = fc.record({
  thread: id,
  at: time,
  head: fc.record({
    epoch: fc.nat(3),
    owner: perhaps(text),
    status: fc.constantFrom("idle", "running", "waiting"),
    deadline: perhaps(time),
    title: perhaps(text),
    parent: perhaps(id),
    data: fc.jsonValue(),
  }),
  entries: fc.array(fc.record({ value: fc.jsonValue(), text }), { maxLength: 3 }),
  events: fc.array(fc.record({ type: text, data: fc.jsonValue() }), { maxLength: 3 }),
  files,
  /** How many versions the writer is behind. */
  lag: fc.constantFrom(0, 0, 0, 0, 1, -1),
  places: fc.uniqueArray(fc.nat(3), { maxLength: 3 }),
});

const query: fc.Arbitrary<ThreadQuery> = fc
  .record({
    parent: perhaps(id),
    search: perhaps(text),
    status: perhaps(fc.constantFrom("idle", "running", "waiting")),
    isOwned: perhaps(fc.boolean()),
    dueBefore: perhaps(time),
    isDeleted: perhaps(fc.boolean()),
    limit: perhaps(fc.nat(3)),
    after: perhaps(fc.record({ updatedAt: time, id })),
  })
  .map((given) => JSON.parse(JSON.stringify(given)) as ThreadQuery); // without what is undefined

const operation = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.array(draft, { minLength: 1, maxLength: 3 }).map((drafts) => (store: Store) => save(store, drafts)),
  },
  fc.tuple(id, time).map(
    ([thread, at]) =>
      (store: Store) =>
        store.delete(thread, at),
  ),
  id.map((thread) => (store: Store) => store.restore(thread)),
  time.map((before) => (store: Store) => store.purge(before)),
  id.map((thread) => (store: Store) => store.remove(thread)),
  fc.tuple(id, time).map(
    ([owner, at]) =>
      (store: Store) =>
        store.beat(owner, at),
  ),
  id.map((owner) => (store: Store) => store.leave(owner)),
  fc.tuple(id, fc.jsonValue(), fc.nat(2)).map(
    ([key, value, version]) =>
      (store: Store) =>
        store.write(key, value, version).catch(String),
  ),
  fc.tuple(id, files, fc.array(perhaps(fc.nat(3)), { maxLength: 4 }), time).map(
    ([namespace, changes, versions, at]) =>
      (store: Store) =>
        store
          .writeSharedFiles(
            namespace,
            changes.map((each, index) => ({ ...each, version: versions[index] })),
            { at },
          )
          .catch(String),
  ),
  fc.tuple(id, fileRange).map(([owner, range]) => async (store: Store) => [
    await store.files(owner, range),
    await store.sharedFiles(owner, range),
  ]),
  { weight: 2, arbitrary: query.map((given) => (store: Store) => store.list(given)) },
);

/** Saves all at once; what became of each. */
async function save(store: Store, drafts: readonly Draft[]): Promise<unknown> {
  const heads = new Map(
    await Promise.all(ids.map(async (thread) => [thread as string, await store.load(thread)] as const)),
  );
  const commits = drafts.map(({ lag, places, ...rest }) => {
    const head = heads.get(rest.thread);
    const entry = Math.max(0, (head?.entries ?? 0) + rest.entries.length - 1);
    const hasEntry = (head?.entries ?? 0) + rest.entries.length > 0;
    const calls = hasEntry ? places.map((place) => ({ id: `${entry}-${place}`, entry, place, value: rest.at })) : [];
    return store.commit({ ...rest, version: Math.max(0, (head?.version ?? 0) - lag), calls });
  });
  const outcomes = await Promise.allSettled(commits);
  return outcomes.map((outcome) => (outcome.status === "fulfilled" ? "saved" : String(outcome.reason)));
}

/** Everything that can be read. */
async function everything(store: Store): Promise<unknown> {
  const threads = ids.map(async (thread) => [
    await store.load(thread),
    await store.entries(thread),
    await store.calls(thread),
    await store.events(thread),
    await store.lastBeat(thread),
    await store.read(thread),
    ...(await Promise.all((await store.files(thread)).map((file) => store.file(thread, file.path)))),
    ...(await Promise.all((await store.sharedFiles(thread)).map((file) => store.sharedFile(thread, file.path)))),
  ]);
  const parents = [{}, ...ids.map((parent) => ({ parent }))];
  const lists = parents.flatMap((query) => [store.list(query), store.list({ ...query, isDeleted: true })]);
  return [await Promise.all(threads), await Promise.all(lists)];
}

/** Any list of operations, on a store in a database that is empty at first and on one in memory. */
const comparison = (open: () => Store | Promise<Store>) =>
  fc.asyncProperty(fc.array(operation, { maxLength: 20 }), async (operations) => {
    const [memory, database] = [memoryStore(), await open()];
    for (const act of operations) expect(await act(database)).toEqual(await act(memory));
    expect(JSON.stringify(await everything(database))).toBe(JSON.stringify(await everything(memory)));
    await database.close();
  });

test("memory and SQLite give the same after the same", async () => {
  await expect(fc.assert(comparison(() => sqliteStore(":memory:")))).resolves.toBeUndefined();
});

describe.skipIf(noPostgres !== undefined)("on a server", () => {
  let database: FreshDatabase;
  beforeAll(async () => {
    database = await freshDatabase();
  });
  afterAll(() => database.drop());

  test("memory and Postgres give the same after the same", async () => {
    const pool = database.pool();
    await postgresStore(pool).list(); // makes the tables
    const empty = async (): Promise<Store> => {
      const tables = [
        "threads",
        "entries",
        "calls",
        "events",
        "files",
        "owners",
        "values",
        "namespaces",
        "shared_files",
      ];
      await pool.query(tables.map((table) => `DELETE FROM undangle_${table};`).join(""));
      return postgresStore(pool);
    };
    const asserted = fc.assert(comparison(empty), process.env["FUZZ"] ? {} : { numRuns: 60 });
    await expect(asserted).resolves.toBeUndefined();
  });
});
