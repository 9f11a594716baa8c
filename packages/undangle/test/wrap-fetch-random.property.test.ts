import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { holdConversation } from "./clients/random-conversation.ts";
import { createTally, lineFor } from "./clients/tally.ts";
import { waitingServer } from "./clients/waiting-server.ts";
import type { WaitingServer } from "./clients/waiting-server.ts";

// FUZZ_CONVERSATION repeats the one conversation whose number a failure names.
const { FUZZ, FUZZ_CONVERSATION } = process.env;
const seeds = FUZZ_CONVERSATION === undefined ? fc.noBias(fc.nat()) : fc.constant(Number(FUZZ_CONVERSATION));
const runs = FUZZ_CONVERSATION !== undefined ? { numRuns: 1 } : FUZZ ? {} : { numRuns: 300 };
const timeout = FUZZ ? 0 : 120_000;

const rejections: unknown[] = [];
const note = (reason: unknown): void => void rejections.push(reason);
let server: WaitingServer;

beforeAll(async () => {
  process.on("unhandledRejection", note);
  server = await waitingServer();
});

afterAll(async () => {
  process.off("unhandledRejection", note);
  await server.close();
});

test(
  "random conversations are not refused, do not hang, and run nothing that was not called",
  { timeout },
  async () => {
    const tally = createTally();
    const property = fc.asyncProperty(fc.noShrink(seeds), (seed) => holdConversation(seed, { server, tally }));
    await fc.assert(property, runs);
    if (FUZZ) process.stdout.write(`${lineFor(tally)}\n`);
    expect(rejections).toEqual([]);
    await expect.poll(() => server.connections(), { timeout: 5000 }).toBe(0);
  },
);

test.skipIf(FUZZ)("most of them break a law without wrapFetch", { timeout }, async () => {
  const own = await waitingServer(); // what goes wrong stays open
  const setting = { server: own, tally: createTally(), isBare: true, patience: 150 };
  const laws: string[] = []; // that were broken
  for (let seed = 0; seed < 80; seed += 1) {
    const error = await holdConversation(seed, setting).then(() => undefined, String);
    if (error !== undefined) laws.push(/(?<=: Error: )\w+/u.exec(error)?.[0] ?? error);
  }
  await own.close();
  expect(laws.length).toBeGreaterThan(40);
  expect(laws).toEqual(expect.arrayContaining(["refused", "unsafe", "lost"]));
});
