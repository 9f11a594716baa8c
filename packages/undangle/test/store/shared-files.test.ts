/** Several stores that write the files of one namespace. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { UndangleError } from "#core";
import type { Store } from "#store";
import { afterAll, describe, expect, test } from "vitest";

import { postgresStore } from "../../src/store/postgres.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { freshDatabase, noPostgres } from "../postgres/fresh-database.ts";

const folder = mkdtempSync(join(tmpdir(), "undangle-shared-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const path = "/count";

/** Increments the number in a file, until no other writer was faster. */
async function increment(store: Store): Promise<void> {
  for (;;) {
    const file = await store.sharedFile("n", path);
    const count = Number(new TextDecoder().decode(file?.data)) + 1;
    const data = new TextEncoder().encode(String(count));
    try {
      // The second file is part of the same write, so it has the same number.
      const changes = [
        { path, data, version: file?.version ?? 0 },
        { path: "/copy", data },
      ];
      await store.writeSharedFiles("n", changes, { at: count });
      return;
    } catch (error) {
      if (!(error instanceof UndangleError && error.is("store/stale"))) throw error;
    }
  }
}

const rounds = 15;

/** Lets all stores increment at once. Returns the numbers that each reads afterwards in both files. */
async function countWith(stores: readonly Store[]): Promise<readonly number[]> {
  await Promise.all(
    stores.map(async (store) => {
      for (let round = 0; round < rounds; round += 1) await increment(store);
    }),
  );
  const read = stores.flatMap((store) => [path, "/copy"].map((each) => store.sharedFile("n", each)));
  const files = await Promise.all(read);
  await Promise.all(stores.map((store) => store.close()));
  return files.map((file) => Number(new TextDecoder().decode(file?.data)));
}

test("stores of one SQLite file lose no update", async () => {
  const file = join(folder, "shared.db");
  const counts = await countWith(Array.from({ length: 4 }, () => sqliteStore(file)));
  expect(new Set(counts)).toEqual(new Set([4 * rounds]));
});

describe.skipIf(noPostgres !== undefined)("on a server", () => {
  test("stores of one Postgres database lose no update", async () => {
    const database = await freshDatabase();
    const counts = await countWith(Array.from({ length: 6 }, () => postgresStore(database.pool({ max: 2 }))));
    expect(new Set(counts)).toEqual(new Set([6 * rounds]));
    await database.drop();
  });
});
