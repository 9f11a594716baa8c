/** Several processes on one database of Postgres, and processes that die. */
import type { Store } from "#store";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { postgresStore } from "../../src/store/postgres.ts";
import { freshDatabase, noPostgres } from "../postgres/fresh-database.ts";
import type { FreshDatabase } from "../postgres/fresh-database.ts";
import { savedVersions, startProgram } from "./start-program.ts";
import { wholeCommitsIn } from "./whole-commits.ts";

describe.skipIf(noPostgres !== undefined)("several processes on one database", () => {
  let database: FreshDatabase;
  let store: Store;
  beforeAll(async () => {
    database = await freshDatabase();
    store = postgresStore(database.pool());
  });
  afterAll(() => database.drop());

  test("all find their tables when they come to a new database at once", async () => {
    const fresh = await freshDatabase();
    const begin = Date.now() + 2000;
    const running = ["a", "b", "c", "d"].map((thread) => startProgram([fresh.url, thread, 1, 10, begin]));
    for (const { ended } of running) expect(await ended).toEqual(["open", "1", "closed"]);
    expect(await fresh.ask("SELECT number FROM undangle_migrations")).toEqual([1, 2, 3].map((number) => ({ number })));
    await fresh.drop();
  }, 60_000);

  test("find their tables when some of them name the schema that the others are in anyway", async () => {
    const fresh = await freshDatabase();
    const stores = Array.from({ length: 12 }, (_, i) =>
      postgresStore(fresh.pool({ max: 1 }), i % 2 === 0 ? {} : { schema: "public" }),
    );
    await expect(Promise.all(stores.map((store) => store.load("t")))).resolves.toHaveLength(12);
    await fresh.drop();
  });

  test("find their tables when many stores of one process come at once", async () => {
    const fresh = await freshDatabase();
    const stores = Array.from({ length: 10 }, () => postgresStore(fresh.pool({ max: 2 })));
    const found = await Promise.all(stores.map((each) => each.list()));
    expect(found).toEqual(stores.map(() => []));
    expect(await fresh.ask("SELECT number FROM undangle_migrations")).toEqual([1, 2, 3].map((number) => ({ number })));
    await fresh.drop();
  });

  test("append to one thread, and those that come too late are told so", async () => {
    await startProgram([database.url, "one", 1]).ended;
    const running = [1, 2, 3].map(() => startProgram([database.url, "one", 30]));
    const ends = await Promise.all(running.map(({ ended }) => ended));
    const saved = ends.flatMap(savedVersions);
    expect(new Set(saved).size).toBe(saved.length);
    expect(await wholeCommitsIn(store, "one")).toBe(saved.length + 1);
    const lasts = ends.map((lines) => lines.at(-1));
    expect(lasts.filter((line) => line !== "closed" && line !== "store/conflict")).toEqual([]);
  }, 60_000);

  test("leave whole commits only when they die, and all that they were told are saved", async () => {
    let saved = 0;
    for (let round = 0; round < 4; round += 1) {
      const { child, lines, ended } = startProgram([database.url, "dying", 100_000, round % 2 === 0 ? 10 : 200_000]);
      while (savedVersions(lines()).length === 0 && child.exitCode === null) await pause(2);
      await pause(Math.random() * 40);
      child.kill("SIGKILL");
      const last = savedVersions(await ended).at(-1) ?? 0;
      expect(last).toBeGreaterThan(saved);
      // What was under way may still be done by the server, which does not know that nobody waits for it.
      await pause(100);
      saved = await wholeCommitsIn(store, "dying");
      expect(saved).toBeGreaterThanOrEqual(last);
      expect(saved).toBeLessThanOrEqual(last + 1);
    }
  }, 60_000);
});
