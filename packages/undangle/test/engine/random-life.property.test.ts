import { memoryStore } from "#store";
import type { Store } from "#store";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";

import { postgresStore } from "../../src/store/postgres.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { freshDatabase, noPostgres } from "../postgres/fresh-database.ts";
import type { FreshDatabase } from "../postgres/fresh-database.ts";
import { faultsOf } from "./health.ts";
import { createLife, deeds } from "./random-life.ts";
import type { Deed, Life } from "./random-life.ts";
import { callsOf, messagesIn } from "./recorded.ts";

/**
 * Random lives of one thread on real agents: messages, decisions, stops, tools that end in any order, processes that die or are
 * taken for dead, stores that fail. Whatever happens, the laws of the ledger hold.
 */
async function live(given: readonly Deed[], seed: number, store: Store): Promise<Life> {
  const life = createLife(seed, store);
  for (const deed of given) await life.act(deed);
  return life;
}

let database: FreshDatabase | undefined;
afterAll(() => database?.drop());

/** A store in a database of its own. */
async function emptyPostgres(): Promise<Store> {
  await database?.drop();
  database = await freshDatabase();
  return postgresStore(database.pool());
}

const stores: readonly (readonly [name: string, open: () => Store | Promise<Store>, numRuns: number])[] = [
  ["memory", memoryStore, 60],
  ["sqlite", () => sqliteStore(":memory:"), 20],
  ...(noPostgres === undefined ? ([["postgres", emptyPostgres, 10]] as const) : []),
];

test.each(stores)(
  "whatever is done to a thread, it stays healthy, tells the truth, loses nothing and can go on (%s)",
  async (_, open, numRuns) => {
    const property = fc.asyncProperty(deeds, fc.nat(), async (given, seed) => {
      const store = await open();
      const life = await live(given, seed, store);
      await life.end();
      expect(await breachesOf(life)).toEqual([]);
    });
    await fc.assert(property, process.env["FUZZ"] ? {} : { numRuns });
  },
  process.env["FUZZ"] ? 0 : 60_000,
);

/** Everything that must not be, at the end of a life. */
async function breachesOf({ store, wrong, starts, said }: Life): Promise<readonly string[]> {
  const texts = (await messagesIn(store, "t")).flatMap((message) =>
    message.role === "user" ? message.parts.map((part) => (part.type === "text" ? part.text : "")) : [],
  );
  const answered = said.filter(({ isOrphan }) => !isOrphan());
  const lost = await Promise.all(
    answered.map(async ({ text, run }) => {
      const { status } = await run.result;
      const mustBeThere = status === "done" || status === "waiting";
      return mustBeThere && !texts.includes(text) ? [`${text} was said, and is not there`] : [];
    }),
  );
  const head = await store.load("t");
  const unasked = (await callsOf(store, "t")).filter(
    ({ name, attempts, decision, allowance }) =>
      name === "pay" && attempts > 0 && decision === undefined && allowance === undefined,
  );
  return [
    ...wrong,
    ...(await faultsOf(store)),
    ...[...starts].filter(([, times]) => times > 1).map(([id, times]) => `${id} was started ${times} times`),
    ...lost.flat(),
    ...unasked.map(({ id }) => `${id} ran, and nobody had approved or allowed it`),
    ...(texts.at(-1) === "The end." ? [] : ["the last message is missing"]),
    ...(new Set(texts).size === texts.length ? [] : ["something was said twice"]),
    ...(head?.owner === undefined ? [] : ["somebody owns it still"]),
  ];
}
