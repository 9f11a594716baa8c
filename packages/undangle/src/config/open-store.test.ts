import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeEach, describe, expect, test } from "vitest";

import { memoryStore } from "#store";
import type { Store } from "#store";

import type { Config } from "./config.ts";
import type { LoadedConfig } from "./load-config.ts";
import { defaultStorePath, openStore } from "./open-store.ts";

const root = mkdtempSync(join(tmpdir(), "undangle-stores-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let folder = "";
let folders = 0;
beforeEach(() => {
  folder = join(root, String((folders += 1)));
  mkdirSync(folder);
});

const loadedWith = (store: Config["store"], inFolder = folder): LoadedConfig => ({
  config: { store },
  path: join(inFolder, "undangle.config.ts"),
  folder: inFolder,
  placeOf: () => "undangle.config.ts",
});

/** Says something in a store, so that its file is written. */
async function use(store: Store): Promise<void> {
  await store.beat("me", 1);
  await store.close();
}

describe("openStore", () => {
  test("keeps threads in .undangle when nobody says where, out of the sight of Git", async () => {
    await use(await openStore(undefined, { folder }));
    expect(existsSync(defaultStorePath(folder))).toBe(true);
    expect(readFileSync(join(folder, ".undangle", ".gitignore"), "utf8")).toBe("*\n");
  });

  test("says what is wrong where the folder for threads cannot be made", async () => {
    writeFileSync(join(folder, "file"), "");
    await expect(openStore(undefined, { folder: join(folder, "file") })).rejects.toMatchObject({
      code: "store/path",
      data: { reason: "no-folder" },
    });
    writeFileSync(join(folder, ".undangle"), "");
    await expect(openStore(undefined, { folder })).rejects.toThrow("its folder does not exist, or is a file");
  });

  test("makes nothing where there is nothing, if it must not", async () => {
    for (const choice of [undefined, "other.db", "sqlite:other.db"])
      await expect(openStore(choice, { folder, create: false })).rejects.toMatchObject({ code: "store/missing" });
    expect(readdirSync(folder)).toEqual([]);
  });

  test("makes no tables in a database of something else, if it must not", async () => {
    const path = join(folder, "other.db");
    const database = new DatabaseSync(path);
    database.exec("CREATE TABLE recipes (name TEXT)");
    database.close();
    const before = readFileSync(path);
    await expect(openStore(path, { folder, create: false })).rejects.toMatchObject({ code: "store/foreign" });
    expect(readFileSync(path)).toEqual(before);
    await use(await openStore("own.db", { folder }));
    await (await openStore("own.db", { folder, create: false })).close();
  });

  test.each(["threads.db", "./threads.db", "sqlite:threads.db"])("%s is a file in the folder", async (choice) => {
    await use(await openStore(choice, { folder }));
    expect(existsSync(join(folder, "threads.db"))).toBe(true);
  });

  test("sqlite:///… is a path from the root", async () => {
    await use(await openStore(`sqlite://${join(folder, "threads.db")}`, { folder: root }));
    expect(existsSync(join(folder, "threads.db"))).toBe(true);
  });

  test.each(["memory", ":memory:"])("%s leaves nothing behind", async (choice) => {
    await use(await openStore(choice, { folder }));
    expect(readdirSync(folder)).toEqual([]);
  });

  test("what the config names by a relative path stands beside the config", async () => {
    mkdirSync(join(folder, "project"));
    await use(await openStore(undefined, { folder, loaded: loadedWith("threads.db", join(folder, "project")) }));
    expect(readdirSync(join(folder, "project"))).toContain("threads.db");
  });

  test("takes a store of the config, or what opens one; a choice comes first", async () => {
    const store = memoryStore();
    expect(await openStore(undefined, { folder, loaded: loadedWith(store) })).toBe(store);
    expect(await openStore(undefined, { folder, loaded: loadedWith(async () => store) })).toBe(store);
    expect(await openStore("memory", { folder, loaded: loadedWith(store) })).not.toBe(store);
  });

  test("names the line of the config where that is what cannot be opened", async () => {
    const opened = (store: unknown): Promise<Store> =>
      openStore(undefined, { folder, loaded: loadedWith(store as Config["store"]) }); // programs without types
    await expect(opened("mysql://me:secret@host/db")).rejects.toThrow("undangle.config.ts: store cannot be");
    await expect(opened(() => "threads.db")).rejects.toMatchObject({ code: "config/value" });
    const failing = opened(() => Promise.reject(new Error("no route to host")));
    await expect(failing).rejects.toThrow("undangle.config.ts: store: no route to host");
  });

  test("refuses databases that it does not know, without what may be secret", async () => {
    const opening = openStore("mysql://me:secret@host/db", { folder });
    await expect(opening).rejects.toMatchObject({ code: "options/value" });
    await expect(opening).rejects.not.toThrow("secret");
  });

  test("says what to install for Postgres, without the password", async () => {
    const opening = openStore("postgres://me:secret@host:5432/db", { folder });
    await expect(opening).rejects.toThrow("postgres://me@host:5432/db needs the package pg");
    await expect(opening).rejects.not.toThrow("secret");
  });

  test("does not wait forever for a server of Postgres that does not answer", async () => {
    const driver = join(folder, "node_modules", "pg");
    mkdirSync(driver, { recursive: true });
    writeFileSync(
      join(driver, "index.js"),
      `exports.Pool = class {
        constructor(options) { this.options = options; globalThis.givenToPool = options; }
        connect() { return Promise.reject(new Error("timeout")); }
        on() {}
        async end() {}
      };`,
    );
    const url = "postgres://me:secret@host/db";
    await (await openStore(url, { folder })).close();
    expect(Reflect.get(globalThis, "givenToPool")).toEqual({
      connectionString: url,
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
    });
  });

  test("refuses a path whose folder is not there", async () => {
    await expect(openStore("none/threads.db", { folder })).rejects.toMatchObject({ code: "store/path" });
  });
});
