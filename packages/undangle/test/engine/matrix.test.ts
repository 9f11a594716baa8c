import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { memoryStore } from "#store";
import type { Store } from "#store";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { postgresStore } from "../../src/store/postgres.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { freshDatabase, noPostgres } from "../postgres/fresh-database.ts";
import type { FreshDatabase } from "../postgres/fresh-database.ts";
import { allProviders } from "./all-formats.ts";
import type { AllProviders } from "./all-formats.ts";
import { casesOf, orders, play } from "./matrix-case.ts";
import type { MatrixCase } from "./matrix-case.ts";

const folder = mkdtempSync(join(tmpdir(), "undangle-matrix-"));
let providers: AllProviders;
let database: FreshDatabase | undefined;

beforeAll(async () => {
  providers = await allProviders();
});

afterAll(async () => {
  await providers.close();
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
});

const stores: Readonly<Record<string, () => Store | Promise<Store>>> = {
  memory: memoryStore,
  sqlite: () => sqliteStore(join(folder, "threads.db")),
  ...(noPostgres === undefined && {
    postgres: async () => {
      database = await freshDatabase();
      return postgresStore(database.pool());
    },
  }),
};

/** So many threads at a time, so that their commits are made together. */
const atOnce = 64;

describe.each(Object.entries(stores))("every call gets one true outcome, with the %s store", (name, open) => {
  let store: Store;

  beforeAll(async () => {
    store = await open();
  });

  afterAll(() => store.close());

  for (const size of [2, 3]) {
    test.each(orders)(
      `turns of ${size} calls, decisions in %s`,
      async (order) => {
        const cases = casesOf(size, order);
        const wrong: string[] = [];
        for (let from = 0; from < cases.length; from += atOnce) {
          const some = cases.slice(from, from + atOnce);
          wrong.push(
            ...(await Promise.all(some.map((each) => faultsOf(each, store, `${name} ${nameOf(each)}`)))).flat(),
          );
        }
        expect(wrong).toEqual([]);
      },
      60_000,
    );
  }
});

const nameOf = ({ kinds, order, slowEnds }: MatrixCase): string => `${kinds.join(" + ")}, ${order}, slow ${slowEnds}`;

/** What goes wrong in a case, and what of it a provider would refuse. */
async function faultsOf(given: MatrixCase, store: Store, id: string): Promise<readonly string[]> {
  try {
    const { wrong, requests } = await play(given, store, id);
    const refused = await Promise.all(requests.map((request) => providers.refusals(request)));
    return [...wrong, ...refused.flat()].map((each) => `${id}: ${each}`);
  } catch (error) {
    return [`${id}: ${error instanceof Error ? error.message : String(error)}`];
  }
}
