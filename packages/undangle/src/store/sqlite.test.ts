import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, test } from "vitest";

import { testStore } from "#testing";

import { sqliteStore } from "./sqlite.ts";
import { migrations } from "./sqlite/migrate.ts";
import type { Commit } from "./store.ts";

const folder = mkdtempSync(join(tmpdir(), "undangle-store-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
const newFile = (): string => join(folder, `${(files += 1)}.db`);

const makeCommit = (given: Partial<Commit> = {}): Commit => ({
  thread: "t1",
  version: 0,
  at: 1000,
  head: { epoch: 1, owner: undefined, status: "idle", deadline: undefined, title: undefined, data: {} },
  entries: [],
  calls: [],
  events: [],
  ...given,
});

describe("sqliteStore in a file", () => {
  test.each(testStore(() => sqliteStore(newFile())))("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});

describe("sqliteStore in memory", () => {
  test.each(testStore(() => sqliteStore(":memory:", { synchronous: "normal" })))("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});

describe("a file", () => {
  test("is there with its first store, and keeps what was saved when that is closed", async () => {
    const path = newFile();
    const first = sqliteStore(path);
    await first.commit(makeCommit({ entries: [{ value: "hello", text: "hello" }] }));
    await first.close();
    const second = sqliteStore(path);
    expect(await second.entries("t1")).toEqual([{ seq: 0, value: "hello" }]);
    await second.close();
  });

  test("may have several stores, of which each sees what the others saved", async () => {
    const path = newFile();
    const [one, two] = [sqliteStore(path), sqliteStore(path)];
    await one.commit(makeCommit());
    await two.commit(makeCommit({ version: 1 }));
    await expect(one.commit(makeCommit({ version: 1 }))).rejects.toMatchObject({
      code: "store/conflict",
      data: { threadId: "t1", expected: 1, actual: 2 },
    });
    await one.commit(makeCommit({ version: 2 }));
    expect((await two.load("t1"))?.version).toBe(3);
    await one.close();
    await two.close();
  });

  test("may have a thread that another store has removed and begun anew, under the version that the first one knows", async () => {
    const path = newFile();
    const [one, two] = [sqliteStore(path), sqliteStore(path)];
    const head = { ...makeCommit().head, owner: "me", status: "running" as const };
    const saying = (...texts: string[]) => texts.map((text) => ({ value: text, text }));
    await one.commit(makeCommit({ head, entries: saying("before") }));
    await two.delete("t1", 1);
    await two.purge(2);
    await two.commit(makeCommit({ thread: "another" })); // may have the number that is free now
    await two.commit(makeCommit({ entries: saying("anew", "and more"), events: [{ type: "said", data: 1 }] }));
    await one.commit(makeCommit({ version: 1, head, entries: saying("last"), events: [{ type: "said", data: 2 }] }));
    expect((await two.entries("t1")).map(({ value }) => value)).toEqual(["anew", "and more", "last"]);
    expect((await two.events("t1")).map(({ seq, data }) => [seq, data])).toEqual([
      [1, 1],
      [2, 2],
    ]);
    expect(await two.load("t1")).toMatchObject({
      version: 2,
      entries: 3,
      lastEvent: 2,
      owner: "me",
      status: "running",
    });
    expect(await two.load("another")).toMatchObject({ version: 1, entries: 0, owner: undefined });
    await one.close();
    await two.close();
  });

  test("that is deleted while it is open takes nobody who comes to work there: what they do would be lost", async () => {
    const path = newFile();
    const store = sqliteStore(path);
    await store.beat("me", 1);
    rmSync(path);
    await expect(store.beat("me", 2)).rejects.toMatchObject({ code: "store/path", data: { path, reason: "moved" } });
    await store.close();
  });

  test("keeps a value as it was when the commit was asked for", async () => {
    const store = sqliteStore(newFile());
    const value = { said: ["hello"] };
    const commit = store.commit(makeCommit({ entries: [{ value, text: "" }] }));
    value.said.push("changed behind its back");
    await commit;
    const [first] = await store.entries("t1");
    expect(first?.value).toEqual({ said: ["hello"] });
    expect((await store.entries("t1"))[0]?.value).not.toBe(first?.value);
    await store.close();
  });

  test("does not take a value that is not JSON, and the commits beside it are saved", async () => {
    const store = sqliteStore(newFile());
    const cyclic: unknown[] = [];
    cyclic.push(cyclic);
    const [before, bad, worse, behind] = await Promise.allSettled([
      store.commit(makeCommit({ thread: "before" })),
      store.commit(makeCommit({ thread: "bad", entries: [{ value: cyclic, text: "" }] })),
      store.commit(makeCommit({ thread: "worse", events: [{ type: "e", data: 1n }] })),
      store.commit(makeCommit({ thread: "behind" })),
    ]);
    expect([before?.status, behind?.status]).toEqual(["fulfilled", "fulfilled"]);
    for (const outcome of [bad, worse]) {
      expect(outcome).toMatchObject({ reason: { code: "store/failed", data: { canRetry: false } } });
      expect(outcome).toHaveProperty("reason.cause", expect.any(TypeError));
    }
    expect((await store.list()).map(({ id }) => id).sort()).toEqual(["before", "behind"]);
    await store.close();
  });
});

describe("a path that cannot be used is an error at once", () => {
  const open = (path: string) => () => sqliteStore(path, { busyTimeout: 50 });
  const errorOf = (work: () => unknown): unknown => {
    try {
      work();
    } catch (error) {
      return error;
    }
    throw new Error("nothing was refused");
  };

  test("when its folder is not there", () => {
    const path = join(folder, "no/such/folder/a.db");
    expect(errorOf(open(path))).toMatchObject({
      code: "store/path",
      data: { path, reason: "no-folder", canRetry: false },
    });
    expect(open(path)).toThrow("its folder does not exist");
    const inFile = newFile();
    writeFileSync(inFile, "");
    expect(errorOf(open(join(inFile, "a.db")))).toMatchObject({ code: "store/path", data: { reason: "no-folder" } });
  });

  test("when it is a folder", () => {
    const path = newFile();
    mkdirSync(path);
    expect(errorOf(open(path))).toMatchObject({ code: "store/path", data: { path, reason: "is-folder" } });
  });

  test("when it is a device or a pipe", () => {
    expect(errorOf(open("/dev/null"))).toMatchObject({ code: "store/path", data: { reason: "no-file" } });
  });

  test("when its name is too long, or a link leads back to itself", () => {
    const circle = newFile();
    symlinkSync(circle, circle);
    for (const path of [join(folder, "x".repeat(300)), circle]) {
      expect(errorOf(open(path))).toMatchObject({ code: "store/path", data: { reason: "unknown" } });
      expect(errorOf(open(path))).toHaveProperty("cause.message", expect.stringMatching(/ENAMETOOLONG|ELOOP/u));
    }
  });

  test("when it is no path at all", () => {
    expect(errorOf(open(""))).toMatchObject({ code: "options/value", data: { option: "path" } });
    expect(errorOf(open(undefined as unknown as string))).toMatchObject({
      code: "options/value",
      data: { option: "path" },
    }); // as in JavaScript
    expect(errorOf(open("a\0b"))).toMatchObject({ code: "store/failed", data: { canRetry: false } });
  });

  test("when the file is something else, which is left as it is", () => {
    const path = newFile();
    const text = "Dear diary, today I was not a database. ".repeat(200);
    writeFileSync(path, text);
    expect(errorOf(open(path))).toMatchObject({ code: "store/corrupt", data: { path, canRetry: false } });
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  test.each([
    ["lack something", "ALTER TABLE undangle_threads DROP COLUMN title"],
    ["are not all there", "DROP TABLE undangle_values"],
    ["are those of somebody else", "DROP TABLE undangle_migrations"],
  ])("when its tables %s", async (_, damage) => {
    const path = newFile();
    await sqliteStore(path).close();
    const database = new DatabaseSync(path);
    database.exec(damage);
    database.close();
    expect(errorOf(open(path))).toMatchObject({ code: "store/corrupt", data: { path, canRetry: false } });
    rmSync(path); // nobody holds it
  });

  test("when the tables are of a later version, which are left as they are", async () => {
    const path = newFile();
    await sqliteStore(path).close();
    const database = new DatabaseSync(path);
    database.prepare("INSERT INTO undangle_migrations (number, name) VALUES (?, 'later')").run(migrations.length + 1);
    database.close();
    const before = readFileSync(path);
    const facts = { path, found: migrations.length + 1, known: migrations.length };
    expect(errorOf(open(path))).toMatchObject({ code: "store/newer", data: facts });
    expect(open(path)).toThrow("Update undangle");
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test("and so is an option that means nothing", () => {
    const wrong = (options: object) => () => sqliteStore(":memory:", options);
    expect(errorOf(wrong({ timeout: 1 }))).toMatchObject({ code: "options/unknown", data: { option: "timeout" } });
    expect(errorOf(wrong({ busyTimeout: -1 }))).toMatchObject({
      code: "options/value",
      data: { option: "busyTimeout" },
    });
    expect(errorOf(wrong({ busyTimeout: "1; DROP TABLE" }))).toMatchObject({
      code: "options/value",
      data: { option: "busyTimeout" },
    });
    expect(errorOf(wrong({ synchronous: "off" }))).toMatchObject({
      code: "options/value",
      data: { option: "synchronous" },
    });
  });
});
