import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "undangle/config";
import { sqliteStore } from "undangle/store/sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

let folder = "";
let umask = 0;
beforeEach(() => {
  umask = process.umask(0o022); // what most machines have
  folder = mkdtempSync(join(tmpdir(), "undangle-owner-"));
});
afterEach(() => {
  process.umask(umask);
  rmSync(folder, { recursive: true });
});

const modeOf = (...path: string[]): string => (statSync(join(folder, ...path)).mode & 0o777).toString(8);
const modesIn = (path: string): Readonly<Record<string, string>> =>
  Object.fromEntries(readdirSync(join(folder, path)).map((name) => [name, modeOf(path, name)]));

/** Windows has no such permissions. */
describe.skipIf(process.platform === "win32")("what holds conversations is for its owner only", () => {
  test("the folder of threads and all that is in it", async () => {
    const store = await openStore(undefined, { folder });
    await store.beat("me", 1);
    expect(modeOf(".undangle")).toBe("700");
    expect(modesIn(".undangle")).toEqual({
      ".gitignore": "600",
      "threads.db": "600",
      "threads.db-shm": "600",
      "threads.db-wal": "600",
    });
    await store.close();
  });

  test("a database at any other path", async () => {
    const store = sqliteStore(join(folder, "mine.db"));
    await store.beat("me", 1);
    expect(modesIn(".")).toEqual({ "mine.db": "600", "mine.db-shm": "600", "mine.db-wal": "600" });
    await store.close();
  });

  test("a folder that others could enter is closed, and gets its note for Git", async () => {
    mkdirSync(join(folder, ".undangle"));
    writeFileSync(join(folder, ".undangle", "server.log"), "");
    await (await openStore(undefined, { folder })).close();
    expect(modeOf(".undangle")).toBe("700");
    expect(readFileSync(join(folder, ".undangle", ".gitignore"), "utf8")).toBe("*\n");
  });

  test("a note that somebody has changed, and permissions of a database that somebody has chosen, stay", async () => {
    const store = sqliteStore(join(folder, "shared.db"));
    await store.close();
    chmodSync(join(folder, "shared.db"), 0o660);
    await sqliteStore(join(folder, "shared.db")).close();
    expect(modeOf("shared.db")).toBe("660");
    mkdirSync(join(folder, ".undangle"));
    writeFileSync(join(folder, ".undangle", ".gitignore"), "threads.db*\n");
    await (await openStore(undefined, { folder })).close();
    expect(readFileSync(join(folder, ".undangle", ".gitignore"), "utf8")).toBe("threads.db*\n");
  });

  test("a URI leaves no file that has its name", async () => {
    await sqliteStore(`file:${join(folder, "by-uri.db")}`).close();
    expect(readdirSync(folder)).toEqual(["by-uri.db"]);
    await sqliteStore("file:none?mode=memory").close();
    expect(existsSync("file:none?mode=memory")).toBe(false);
  });

  test("nothing is left behind where there is no folder for a database", () => {
    expect(() => sqliteStore(join(folder, "missing", "a.db"))).toThrow(/folder does not exist/u);
    expect(readdirSync(folder)).toEqual([]);
  });
});
