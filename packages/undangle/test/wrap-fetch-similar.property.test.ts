import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { passedThrough } from "./clients/passed-through.ts";
import {
  callsHeard,
  callsMeant,
  similarBody,
  randomTurns,
  similarFormats,
  similarTurns,
} from "./clients/similar-calls.ts";

/** Arguments that begin with themselves: whether a piece says again what came before, or goes on, shows only later. */
const runs = process.env["FUZZ"] ? {} : { numRuns: 40 };
const sizes = fc.constantFrom(Infinity, 7, 64, 200);

describe.each(similarFormats)("calls of %s whose arguments begin with themselves", (format) => {
  test("pass as they came where they are healthy", async () => {
    const turns = similarTurns(false, false);
    const property = fc.asyncProperty(turns, sizes, async (turn, size) => {
      const sent = similarBody(format, turn);
      expect(await passedThrough({ ...sent, size, toolCalls: "stream" })).toEqual({
        text: sent.body,
        error: undefined,
        told: [],
      });
      const held = await passedThrough({ ...sent, size });
      expect(held).toMatchObject({ error: undefined, told: [] });
      expect(callsHeard(format, held.text)).toEqual(callsMeant(turn));
    });
    await fc.assert(property, runs);
  });

  test.each([
    ["where each piece says once more what came before", true, false],
    ["where they are written anew", false, true],
    ["where both is so", true, true],
  ])("are those that were meant %s", async (_, isAgain, hasNoIds) => {
    const property = fc.asyncProperty(similarTurns(isAgain, hasNoIds), sizes, async (turn, size) => {
      const sent = similarBody(format, turn);
      for (const toolCalls of ["hold", "stream"] as const) {
        const { text, error } = await passedThrough({ ...sent, size, toolCalls });
        expect({ toolCalls, error, calls: callsHeard(format, text) }).toEqual({
          toolCalls,
          error: undefined,
          calls: callsMeant(turn),
        });
      }
    });
    await fc.assert(property, runs);
  });

  test("are those that are held, or the body ends in an error, whatever they are", async () => {
    const property = fc.asyncProperty(randomTurns, sizes, async (turn, size) => {
      const sent = similarBody(format, turn);
      const held = await passedThrough({ ...sent, size });
      const live = await passedThrough({ ...sent, size, toolCalls: "stream" });
      const isHealthy = held.error === undefined && held.text === sent.body;
      const isOver = !isHealthy && live.error === undefined;
      expect(isHealthy ? live : held).toEqual(held);
      expect(isOver ? callsHeard(format, live.text) : undefined).toEqual(
        isOver ? callsHeard(format, held.text) : undefined,
      );
    });
    await fc.assert(property, runs);
  });
});
