/** Connections that are lost, at the worst moments. */
import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

import { createAgent, tool } from "#engine";
import type { Store } from "#store";
import { scriptedModel } from "#testing";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { postgresStore } from "../../src/store/postgres.ts";
import { callsOf } from "../engine/recorded.ts";
import { openProxy } from "../postgres/cutting-proxy.ts";
import type { Cut, CuttingProxy } from "../postgres/cutting-proxy.ts";
import { freshDatabase, noPostgres } from "../postgres/fresh-database.ts";
import type { FreshDatabase } from "../postgres/fresh-database.ts";
import { startServer } from "../postgres/start-server.ts";
import { makeCommit } from "./make-commit.ts";

const cuts: readonly Cut[] = ["before", "after", "late"];

describe.skipIf(noPostgres !== undefined)("a connection that is cut", () => {
  let database: FreshDatabase;
  let proxy: CuttingProxy;
  let pool: Pool;
  let store: Store;
  let direct: Store;
  let count = 0;
  const newName = (): string => `thread ${(count += 1)}`;

  beforeAll(async () => {
    database = await freshDatabase();
    proxy = await openProxy(database.url);
    pool = database.pool({ connectionString: proxy.url });
    store = postgresStore(pool, { patience: 5000 });
    direct = postgresStore(database.pool());
    await store.list();
  });
  afterAll(async () => {
    await store.close();
    await pool.end();
    await proxy.close();
    await database.drop();
  });

  /** What is saved of a thread. */
  const savedIn = async (thread: string) => {
    const { version, entries, lastEvent } = (await direct.load(thread)) ?? {};
    const calls = (await direct.calls(thread)).length;
    return { version, entries, lastEvent, calls, values: (await direct.entries(thread)).map(({ value }) => value) };
  };

  test.each(cuts)("%s the server hears a commit: it is saved, once, and the writer is told so", async (cut) => {
    const thread = newName();
    await store.commit(makeCommit(thread, 0, "first"));
    const mark = `mark of ${thread}`;
    proxy.cutAt(mark, cut);
    const before = proxy.cuts();
    await store.commit(makeCommit(thread, 1, mark));
    expect(proxy.cuts()).toBe(before + 1);
    await pause(cut === "late" ? 400 : 0);
    expect(await savedIn(thread)).toEqual({
      version: 2,
      entries: 2,
      lastEvent: 8,
      calls: 4,
      values: [
        { version: 0, filling: "first" },
        { version: 1, filling: mark },
      ],
    });
    await store.commit(makeCommit(thread, 2));
  });

  test.each(cuts)("%s the server hears the first commit of a thread: there is one thread", async (cut) => {
    const thread = newName();
    proxy.cutAt(`mark of ${thread}`, cut);
    await store.commit(makeCommit(thread, 0, `mark of ${thread}`));
    await pause(cut === "late" ? 400 : 0);
    expect(await savedIn(thread)).toMatchObject({ version: 1, entries: 1, lastEvent: 4, calls: 2 });
  });

  test.each(cuts)("%s the server hears commits of many threads at once: each is saved once", async (cut) => {
    const threads = Array.from({ length: 30 }, newName);
    proxy.cutAt(`mark of ${threads[7]}`, cut);
    const before = proxy.cuts();
    await Promise.all(threads.map((thread) => store.commit(makeCommit(thread, 0, `mark of ${thread}`))));
    expect(proxy.cuts()).toBe(before + 1);
    for (const thread of threads) expect(await savedIn(thread)).toMatchObject({ version: 1, entries: 1, lastEvent: 4 });
  });

  test("and somebody else writes before it is back: the writer is told of the other one", async () => {
    const thread = newName();
    proxy.cutAt("mark of mine", "before", () => direct.commit(makeCommit(thread, 0, "of another")));
    await expect(store.commit(makeCommit(thread, 0, "mark of mine"))).rejects.toMatchObject({
      code: "store/conflict",
      data: { expected: 0, actual: 1 },
    });
    expect(await savedIn(thread)).toMatchObject({ version: 1, values: [{ filling: "of another" }] });
  });

  test("and somebody else goes on behind what was saved: the writer is told that it was saved", async () => {
    const thread = newName();
    const goOn = async (): Promise<void> => {
      for (let version = 1; version < 20; version++) await direct.commit(makeCommit(thread, version));
    };
    let others: Promise<void> | undefined;
    proxy.cutAt("mark of ours", "after", () => (others = goOn()));
    await store.commit(makeCommit(thread, 0, "mark of ours"));
    await others; // on a slow disk they may still write
    expect(await savedIn(thread)).toMatchObject({ version: 20, entries: 20 });
  });

  test.each(cuts)("%s the server hears of a value: it is kept, once", async (cut) => {
    const key = newName();
    await store.write(key, "first", 0);
    proxy.cutAt(`mark of ${key}`, cut);
    await store.write(key, `mark of ${key}`, 1);
    await pause(cut === "late" ? 400 : 0);
    expect(await direct.read(key)).toEqual({ value: `mark of ${key}`, version: 2 });
    await expect(store.write(key, "late", 1)).rejects.toMatchObject({ code: "store/stale", data: { actual: 2 } });
  });

  test.each(cuts)("%s the server receives a shared file: it is written once", async (cut) => {
    const namespace = newName();
    const file = (text: string, version: number) => ({ path: "/a", data: new TextEncoder().encode(text), version });
    await store.writeSharedFiles(namespace, [file("first", 0)], { at: 1 });
    for (const [index, text] of [namespace, "COMMIT"].entries()) {
      const { version = 0 } = (await direct.sharedFile(namespace, "/a")) ?? {};
      proxy.cutAt(text, cut); // the first statement of the transaction, and its last
      const before = proxy.cuts();
      await store.writeSharedFiles(namespace, [file(text, version)], { at: 2 + index });
      expect(proxy.cuts()).toBe(before + 1);
      await pause(cut === "late" ? 400 : 0);
      const found = await direct.sharedFile(namespace, "/a");
      expect(found).toMatchObject({ createdAt: 1, modifiedAt: 2 + index, size: text.length });
      await expect(store.writeSharedFiles(namespace, [file("late", version)], { at: 9 })).rejects.toMatchObject({
        code: "store/stale",
        data: { key: "/a", expected: version, actual: found?.version },
      });
    }
  });

  test.each(cuts)("%s the server receives a stale shared file: the writer gets the error", async (cut) => {
    const namespace = newName();
    const data = new Uint8Array();
    await store.writeSharedFiles(namespace, [{ path: "/a", data }], { at: 1 });
    proxy.cutAt("COMMIT", cut);
    const stale = store.writeSharedFiles(namespace, [{ path: "/a", data, version: 0 }], { at: 2 });
    await expect(stale).rejects.toMatchObject({ code: "store/stale", data: { expected: 0, actual: 1 } });
    await pause(cut === "late" ? 400 : 0);
    expect(await direct.sharedFile(namespace, "/a")).toMatchObject({ version: 1, modifiedAt: 1 });
  });

  test("in the middle of reading: it is read on another one", async () => {
    const thread = newName();
    await store.commit(makeCommit(thread, 0, "first"));
    for (const cut of cuts) {
      proxy.cutAt(thread, cut);
      expect(await store.load(thread)).toMatchObject({ version: 1 });
      proxy.cutAt(thread, cut);
      expect(await store.entries(thread)).toHaveLength(1);
    }
  });

  test("in the middle of deleting: nobody knows whether it was done, and that is what is said", async () => {
    const thread = newName();
    await store.commit({ ...makeCommit(thread, 0, "first"), events: [] }); // of which nobody is told
    proxy.cutAt(thread, "after");
    await expect(store.delete(thread, 5)).rejects.toMatchObject({
      code: "store/failed",
      message: expect.stringContaining("may or may not be saved") as string,
      data: { canRetry: true },
    });
    expect(await direct.load(thread)).toMatchObject({ deletedAt: 5 });
  });

  test("for longer than the patience of a store: nobody knows, and that is what is said", async () => {
    const away = await openProxy(database.url);
    const impatient = postgresStore(database.pool({ connectionString: away.url, connectionTimeoutMillis: 200 }), {
      patience: 300,
    });
    await impatient.list();
    const thread = newName();
    away.cutAt("mark of all", "after", () => pause(2000));
    const error = impatient.commit(makeCommit(thread, 0, "mark of all"));
    await expect(error).rejects.toMatchObject({ code: "store/failed", data: { canRetry: true } });
    await expect(error).rejects.toThrow("may or may not be saved");
    expect(await direct.load(thread)).toMatchObject({ version: 1 });
    await impatient.close();
    await away.close();
  });

  test("by the server, while nobody uses it: the process lives, and the next use has a new one", async () => {
    await Promise.all([store.load("a"), store.load("b"), store.load("c")]);
    await database.ask(terminateOthers);
    const thread = newName();
    await store.commit(makeCommit(thread, 0));
    await database.ask(terminateOthers);
    await pause(50);
    expect(await store.load(thread)).toMatchObject({ version: 1 });
  });

  test("by the server, in the middle of a transaction: nothing of it is left, and it is done again", async () => {
    const thread = newName();
    await store.commit(makeCommit(thread, 0));
    const other = await database.pool().connect();
    await other.query("BEGIN");
    await other.query("SELECT 1 FROM undangle_threads WHERE id = $1 FOR UPDATE", [thread]);
    const commit = store.commit(makeCommit(thread, 1, "waited"));
    const isWaiting =
      "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
    for (let round = 0; round < 2; round++) {
      let waiting: readonly Readonly<Record<string, unknown>>[] = [];
      while (waiting.length === 0) waiting = await database.ask(isWaiting);
      await database.ask("SELECT pg_terminate_backend($1)", [waiting[0]?.["pid"]]);
      while ((await database.ask(`${isWaiting} AND pid = ${String(waiting[0]?.["pid"])}`)).length > 0);
    }
    await other.query("COMMIT");
    other.release();
    await commit;
    expect(await savedIn(thread)).toMatchObject({ version: 2, entries: 2, lastEvent: 8, calls: 4 });
  });
});

describe("a server that ends a connection in the moment in which it is made", () => {
  const message = (type: string, ...parts: readonly Buffer[]): Buffer => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(4 + Buffer.concat(parts).length);
    return Buffer.concat([Buffer.from(type), length, ...parts]);
  };
  const fatal = "SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0";
  const welcome = [message("R", Buffer.alloc(4)), message("Z", Buffer.from("I")), message("E", Buffer.from(fatal))];

  test("does not end the process", async () => {
    const server = createServer((socket) => socket.once("data", () => socket.end(Buffer.concat(welcome))));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const pool = new Pool({ host: "127.0.0.1", port, user: "me", database: "app" });
    const store = postgresStore(pool);
    for (const work of [() => store.load("t"), () => store.commit(makeCommit("t", 0))]) {
      await expect(work()).rejects.toMatchObject({ code: "store/failed", data: { canRetry: true } });
    }
    await store.close();
    await pool.end();
    await new Promise((resolve) => server.close(resolve));
  });
});

const terminateOthers = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`;

describe.skipIf(noPostgres !== undefined)("a server that is killed under a running agent", () => {
  test.each(["while a tool runs", "again and again"])(
    "%s: the result is kept until it is back, and nothing runs twice",
    async (when) => {
      const server = await startServer();
      const pool = new Pool({ connectionString: server.url });
      const store = postgresStore(pool);
      let starts = 0;
      let back: Promise<void> | undefined;
      const execute = async (): Promise<string> => {
        starts++;
        if (when === "again and again") {
          back = server.tell("restart");
          return "did it";
        }
        await server.tell("stop");
        back = pause(300).then(() => server.tell("start"));
        return "did it";
      };
      const model = scriptedModel([{ calls: [{ name: "work" }, { name: "work" }] }, { text: "Done." }]);
      const tools = [tool({ name: "work", description: "Works.", execute })];
      const agent = createAgent({ model, store, tools, limits: { parallel: 1 } });
      const end = await agent.thread("t").send("Go.").result;
      await back;
      expect({ status: end.status, text: end.text, error: end.error }).toEqual({
        status: "done",
        text: "Done.",
        error: undefined,
      });
      expect(starts).toBe(2);
      const calls = await callsOf(store, "t");
      expect(calls.map(({ state }) => state)).toEqual(["succeeded", "succeeded"]);
      await agent.close();
      await store.close();
      await pool.end();
      await server.close();
    },
    30_000,
  );
});

test("a server that cannot be reached is tried three times, before there are tables and not three times each", async () => {
  const pool = new Pool({ connectionString: "postgres://nobody@127.0.0.1:1/none" });
  let count = 0;
  pool.connect = () => Promise.reject(new Error(`timeout ${(count += 1)}`));
  await expect(postgresStore(pool).load("t")).rejects.toMatchObject({ code: "store/failed" });
  expect(count).toBe(3);
  await pool.end();
});
