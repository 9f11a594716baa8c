/** Those who watch threads, on stores that several processes use. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { createAgent } from "#engine";
import type { Store } from "#store";
import { scriptedModel } from "#testing";
import type { Pool, PoolClient } from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";

import { postgresStore } from "../../src/store/postgres.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { freshDatabase, noPostgres } from "../postgres/fresh-database.ts";
import type { FreshDatabase } from "../postgres/fresh-database.ts";
import { makeCommit } from "./make-commit.ts";
import { startProgram } from "./start-program.ts";

const folder = mkdtempSync(join(tmpdir(), "undangle-watching-"));
const file = join(folder, "threads.db");
let database: FreshDatabase;
beforeAll(async () => {
  if (noPostgres === undefined) database = await freshDatabase();
});
afterAll(async () => {
  await database?.drop();
  rmSync(folder, { recursive: true });
});

const opened: Store[] = [];
const kept = (store: Store): Store => {
  opened.push(store);
  return store;
};
afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
});

const places: readonly (readonly [name: string, open: () => Store, place: () => string])[] = [
  ["sqlite", () => kept(sqliteStore(file)), () => file],
  ...(noPostgres === undefined
    ? ([["postgres", () => kept(postgresStore(database.pool())), () => database.url]] as const)
    : []),
];

/** Watches a thread, and says what it was told. */
function watched(store: Store, thread: string): readonly number[] {
  const told: number[] = [];
  store.watch?.(thread, (lastEvent) => told.push(lastEvent));
  return told;
}

const soon = { timeout: 8000, interval: 10 }; // sooner than a database is asked by those who hear

describe.each(places)("whoever watches threads on %s", (name, open, place) => {
  test("is told what another process does", async () => {
    const told = watched(open(), "of another process");
    const other = startProgram([place(), "of another process", 3]);
    await expect.poll(() => told.at(-1), soon).toBe(12);
    expect(await other.ended).toEqual(["open", "1", "2", "3", "closed"]);
  });

  test.each([
    ["any text", "名字 👀 'quoted' \\ %_ \n\t and \u0000"],
    ["halves of characters", "half \ud83d and \udc40"],
    ["a long text", "long ".repeat(400)],
  ])("is told of a thread whose id is %s", async (_, id) => {
    const thread = `${name} ${id}`;
    const [one, other] = [open(), open()];
    const told = watched(one, thread);
    await other.commit(makeCommit(thread, 0));
    await expect.poll(() => told.at(-1), soon).toBe(4);
    await other.commit(makeCommit(thread, 1));
    await expect.poll(() => told.at(-1), soon).toBe(8);
  });

  test("reads the events of a run of another agent as they come", async () => {
    const model = scriptedModel([{ text: "Yes." }]);
    const thread = createAgent({ model: scriptedModel([]), store: open() }).thread("read");
    const types: string[] = [];
    const reading = (async () => {
      for await (const { type } of thread.events()) {
        types.push(type);
        if (type === "run_end") break;
      }
    })();
    await pause(50);
    await createAgent({ model, store: open() }).thread("read").send("Well?").result;
    await reading;
    expect(types).toEqual(["run_start", "model_start", "text_delta", "model_end", "run_end"]);
  });

  test("hears that the store is closed, also in the middle of reading events", async () => {
    const store = open();
    const thread = createAgent({ model: scriptedModel([]), store }).thread("none");
    const first = thread.events()[Symbol.asyncIterator]().next();
    const reading = first.catch((error: unknown) => error);
    await pause(50);
    await store.close();
    expect(await reading).toMatchObject({ code: "store/closed" });
  });
});

describe.skipIf(noPostgres !== undefined)("a thousand who watch threads on Postgres", () => {
  /** A store, and what it has sent. */
  function counted(max: number, spoil: (client: PoolClient) => void = () => undefined) {
    const pool = database.pool({ max });
    const sent: string[] = [];
    pool.on("connect", (client) => {
      spoil(client);
      const query = client.query.bind(client) as (statement: { readonly text: string }) => Promise<never>;
      Object.assign(client, {
        query(statement: { readonly text: string }) {
          sent.push(statement.text);
          return query(statement);
        },
      });
    });
    return { pool, sent, store: kept(postgresStore(pool)) };
  }
  const ids = Array.from({ length: 1000 }, (_, i) => `idle ${i}`);
  const held = ({ totalCount, idleCount }: Pool): number => totalCount - idleCount;

  test("hold one connection, and ask hardly anything while nothing happens", async () => {
    const { pool, store, sent } = counted(10);
    const writer = kept(postgresStore(database.pool()));
    const told = ids.map((id) => watched(store, id));
    await expect.poll(() => sent.filter((text) => text.includes("pg_notify")).length, soon).toBe(1);
    await pause(300);
    const before = sent.length;
    await pause(3000);
    expect(sent.length - before).toBeLessThanOrEqual(2);
    expect(held(pool)).toBe(1);
    await writer.commit(makeCommit("idle 7", 0));
    await writer.commit(makeCommit("idle 999", 0));
    await expect.poll(() => [told[7]?.at(-1), told[999]?.at(-1)], soon).toEqual([4, 4]);
    expect(told.filter(({ length }) => length > 0)).toHaveLength(2);
  });

  test("share one question where nothing can be heard, as behind a pooler that mixes connections", async () => {
    const { store, sent } = counted(10, (client) => {
      const on = client.on.bind(client) as (event: string, listener: () => void) => unknown;
      Object.assign(client, {
        on: (event: string, listener: () => void) => event !== "notification" && on(event, listener),
      });
    });
    const told = ids.map((id) => watched(store, `deaf ${id}`));
    const [before, begin] = [sent.length, performance.now()];
    await kept(postgresStore(database.pool())).commit(makeCommit("deaf idle 5", 0));
    await expect.poll(() => told[5]?.at(-1), soon).toBe(4);
    await pause(2000);
    expect(sent.length - before).toBeLessThanOrEqual(10 + (2 * (performance.now() - begin)) / 500);
  });

  test("hold no connection of a pool that has none to spare", async () => {
    const { pool, store, sent } = counted(1);
    const told = ids.map((id) => watched(store, `small ${id}`));
    await store.commit(makeCommit("another", 0));
    await kept(postgresStore(database.pool())).commit(makeCommit("small idle 5", 0));
    await expect.poll(() => told[5]?.at(-1), soon).toBe(4);
    await expect.poll(() => held(pool), soon).toBe(0);
    expect(sent.filter((text) => text.startsWith("LISTEN"))).toEqual([]);
  });

  test("find out by asking what happens while their connection is lost, and hear again afterwards", async () => {
    const { store, sent } = counted(10);
    const writer = kept(postgresStore(database.pool()));
    const told = watched(store, "cut off");
    const ears = (): number => sent.filter((text) => text.startsWith("LISTEN")).length;
    await expect.poll(ears, soon).toBe(1);
    await pause(200);
    await database.ask(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'",
    );
    await writer.commit(makeCommit("cut off", 0));
    await expect.poll(() => told.at(-1), soon).toBe(4);
    await expect.poll(ears, soon).toBe(2);
    await writer.commit(makeCommit("cut off", 1));
    await expect.poll(() => told.at(-1), soon).toBe(8);
  });

  test("do not keep a pool from ending, and are told", async () => {
    const { pool, store } = counted(10);
    const told = watched(store, "ending");
    await expect.poll(() => held(pool), soon).toBe(1);
    await pause(100);
    await pool.end();
    expect(told.at(-1)).toBe(Infinity);
  });

  test("give the connection back when the last of them leaves", async () => {
    const { pool, store } = counted(10);
    const leaves = ids.map((id) => store.watch?.(id, () => undefined));
    await expect.poll(() => held(pool), soon).toBe(1);
    for (const leave of leaves) leave?.();
    await expect.poll(() => held(pool), soon).toBe(0);
  });
});
