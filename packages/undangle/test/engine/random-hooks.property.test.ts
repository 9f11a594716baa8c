import { memoryStore } from "#store";
import fc from "fast-check";
import { expect, test } from "vitest";

import { allProviders, refusals } from "./all-formats.ts";
import { faultsOf } from "./health.ts";
import { randomMiddleware } from "./random-hooks.ts";
import { createLife, deeds } from "./random-life.ts";

const timeout = process.env["FUZZ"] ? 0 : 120_000;

/**
 * Random lives of a thread behind random middleware, which cuts, turns round and doubles the history, throws, ends runs and goes
 * back to the model: whatever the model is asked is taken by every provider, and no result that was saved is lost.
 */
test("whatever hooks do, what reaches the model is healthy, and the thread is", { timeout }, async () => {
  const property = fc.asyncProperty(deeds, fc.nat(), async (given, seed) => {
    const store = memoryStore();
    const life = createLife(seed, store, () => randomMiddleware(seed));
    for (const deed of given) await life.act(deed);
    await life.end();
    expect(life.wrong).toEqual([]);
    for (const request of life.requests()) expect(refusals(request)).toEqual([]);
    expect(await faultsOf(store)).toEqual([]);
    expect([...life.starts].filter(([, times]) => times > 1)).toEqual([]);
  });
  await fc.assert(property, process.env["FUZZ"] ? {} : { numRuns: 40 });
});

test("and the strict server takes it in every format", { timeout }, async () => {
  const providers = await allProviders();
  try {
    const property = fc.asyncProperty(deeds, fc.nat(), async (given, seed) => {
      const life = createLife(seed, memoryStore(), () => randomMiddleware(seed));
      for (const deed of given) await life.act(deed);
      await life.end();
      for (const request of life.requests()) expect(await providers.refusals(request)).toEqual([]);
    });
    await fc.assert(property, process.env["FUZZ"] ? {} : { numRuns: 10 });
    expect(providers.sent()).toBeGreaterThan(100);
  } finally {
    await providers.close();
  }
});
