import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { openStore } from "#config";
import { runIn } from "../src/cli/memory-io.fixture.ts";
import { freshDatabase, noPostgres } from "./postgres/fresh-database.ts";
import type { FreshDatabase } from "./postgres/fresh-database.ts";

/** A folder from which the package `pg` can be found. */
const folder = fileURLToPath(new URL("../", import.meta.url));

describe.skipIf(noPostgres !== undefined)("undangle threads --store postgres://…", () => {
  let database: FreshDatabase;
  beforeAll(async () => {
    database = await freshDatabase();
  });
  afterAll(() => database.drop());

  const run = (...argv: readonly string[]) =>
    runIn({ stdin: JSON.stringify([{ role: "user", content: "Hello?" }]), folder }, "threads", ...argv);

  test("makes nothing in a database of something else, unless it is to take something over", async () => {
    for (const argv of [["list"], ["show", "t1"], ["recover"]]) {
      const { exitCode, stderr } = await run(...argv, "--store", database.url);
      expect({ exitCode, stderr }).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining("it is the database of another program") as unknown,
      });
    }
    await expect(openStore(database.url, { folder, create: false })).rejects.toMatchObject({ code: "store/foreign" });
  });

  test("takes a history over, and every later process finds it", async () => {
    expect(await run("import", "--id", "t1", "--store", database.url)).toMatchObject({ exitCode: 0, stderr: "" });
    expect((await run("list", "--store", database.url)).stdout).toMatch(/^t1\tidle\t\S+\t2\t0\tHello\?\n$/u);
    const deleted = await run(
      "delete",
      "t1",
      "--store",
      Object.assign(new URL(database.url), { password: "secret" }).href,
    );
    expect(deleted.stderr).not.toContain("secret");
  });

  test("closes its connections with the store", async () => {
    const store = await openStore(database.url, { folder });
    expect((await store.load("t1"))?.entries).toBe(2);
    await store.close();
    await expect(store.load("t1")).rejects.toMatchObject({ code: "store/closed" });
  });
});
