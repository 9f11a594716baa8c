/** Several processes on one database, and processes that die. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";

import { sqliteStore } from "../../src/store/sqlite.ts";
import { savedVersions, startProgram } from "./start-program.ts";
import { wholeCommitsIn } from "./whole-commits.ts";

const folder = mkdtempSync(join(tmpdir(), "undangle-processes-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
const newFile = (): string => join(folder, `${(files += 1)}.db`);

/** How many commits of a thread are in a database, each of which is whole. */
async function wholeCommits(path: string, thread: string): Promise<number> {
  const database = new DatabaseSync(path);
  expect(database.prepare("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
  database.close();
  const store = sqliteStore(path);
  const count = await wholeCommitsIn(store, thread);
  await store.close();
  return count;
}

describe("several processes on one file", () => {
  test("all find their tables when they open a new file at once", async () => {
    for (let round = 0; round < 3; round += 1) {
      const path = newFile();
      const begin = Date.now() + 1000;
      const running = ["a", "b", "c", "d"].map((thread) => startProgram([path, thread, 1, 10, begin]));
      for (const { ended } of running) expect(await ended).toEqual(["open", "1", "closed"]);
      const database = new DatabaseSync(path);
      expect(database.prepare("SELECT count(*) AS count FROM undangle_migrations").get()).toEqual({ count: 3 });
      database.close();
    }
  }, 60_000);

  test("append to threads of their own without a loss", async () => {
    const path = newFile();
    const threads = ["a", "b", "c", "d"];
    const running = threads.map((thread) => startProgram([path, thread, 100]));
    for (const { ended } of running) expect((await ended).at(-1)).toBe("closed");
    for (const thread of threads) expect(await wholeCommits(path, thread)).toBe(100);
  }, 60_000);

  test("append to one thread, and those that come too late are told so", async () => {
    const path = newFile();
    await startProgram([path, "t", 1]).ended;
    const running = [1, 2, 3].map(() => startProgram([path, "t", 30]));
    const ends = await Promise.all(running.map(({ ended }) => ended));
    const saved = ends.flatMap(savedVersions);
    expect(new Set(saved).size).toBe(saved.length);
    expect(await wholeCommits(path, "t")).toBe(saved.length + 1);
    expect(ends.map((lines) => lines.at(-1)).filter((line) => line !== "closed" && line !== "store/conflict")).toEqual(
      [],
    );
  }, 60_000);
});

describe("a process that dies", () => {
  test("leaves whole commits only, and all that it was told are saved", async () => {
    const path = newFile();
    let saved = 0;
    for (let round = 0; round < 8; round += 1) {
      const { child, lines, ended } = startProgram([path, "t", 100_000, round % 2 === 0 ? 10 : 200_000]);
      while (savedVersions(lines()).length === 0 && child.exitCode === null) await pause(2);
      await pause(Math.random() * 40);
      child.kill("SIGKILL");
      const last = savedVersions(await ended).at(-1) ?? 0;
      expect(last).toBeGreaterThan(saved);
      saved = await wholeCommits(path, "t");
      expect(saved).toBeGreaterThanOrEqual(last);
      expect(saved).toBeLessThanOrEqual(last + 1);
    }
  }, 60_000);

  test("in the middle of a transaction leaves nothing of it", async () => {
    const path = newFile();
    const dying = `
      import { DatabaseSync } from "node:sqlite";
      const database = new DatabaseSync(${JSON.stringify(path)});
      database.exec("PRAGMA cache_size = 1; BEGIN IMMEDIATE; UPDATE undangle_threads SET version = 99, entries = 7");
      for (let i = 0; i < 2000; i++) database.exec(\`INSERT INTO undangle_entries VALUES (1, \${i + 10}, '', hex(randomblob(500)))\`);
      process.kill(process.pid, "SIGKILL");`;
    await startProgram([path, "t", 3]).ended;
    const child = spawn(process.execPath, ["--no-warnings", "--input-type=module", "-e", dying]);
    expect(await new Promise((resolve) => child.on("close", (_, signal) => resolve(signal)))).toBe("SIGKILL");
    expect(await wholeCommits(path, "t")).toBe(3);
    expect((await startProgram([path, "t", 1]).ended).at(-1)).toBe("closed");
    expect(await wholeCommits(path, "t")).toBe(4);
  }, 60_000);
});

describe.skipIf(process.platform === "win32")("a disk that takes no more", () => {
  test("is an error that says so, and everything before it is there", async () => {
    const path = newFile();
    await startProgram([path, "t", 1]).ended;
    // No file of the process may grow beyond 512 kB: a write fails as it does where a quota is used up.
    const lines = await startProgram([path, "t", 1000, 2000], "trap '' XFSZ; ulimit -f 1024").ended;
    expect(lines.at(-1)).toBe("store/full");
    const last = savedVersions(lines).at(-1) ?? 0;
    expect(last).toBeGreaterThan(1);
    expect(await wholeCommits(path, "t")).toBe(last);
    expect((await startProgram([path, "t", 1]).ended).at(-1)).toBe("closed");
  }, 60_000);
});
