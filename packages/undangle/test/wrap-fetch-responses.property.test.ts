import fc from "fast-check";
import { expect, test } from "vitest";

import { passedThrough } from "./clients/passed-through.ts";
import { randomResponse, wrongIn } from "./clients/random-responses.ts";

/** Responses with events that were lost, doubled, moved or put in the wrong place, beside the faults of servers. */
const { FUZZ, FUZZ_RESPONSE } = process.env;
const seeds = FUZZ_RESPONSE === undefined ? fc.noBias(fc.nat()) : fc.constant(Number(FUZZ_RESPONSE)); // of the failure
/** Streams that were read wrong: an event under a wrong index made two calls of one, or mixed up their arguments; or a piece was lost. */
const known = [
  285, 321, 1292, 1357, 1506, 1734, 201_581, 414_740, 637_721, 407_495_569, 851_761_988, 1_826_589_881, 1_933_003_740,
].map((seed): [number, number] => [seed, Infinity]);
const runs = FUZZ ? {} : { numRuns: 200, seed: 1, examples: known };
const tools = ["find_book", "open_file"].map((name) => ({ type: "function", name, parameters: { type: "object" } }));
const asked = {
  url: "https://host.example/v1/responses",
  request: { model: "m", stream: true, input: "Hi.", tools },
};

test("of a damaged stream no call is finished that was not meant, and none twice", async () => {
  const sizes = fc.constantFrom(Infinity, 97);
  const property = fc.asyncProperty(fc.noShrink(seeds), sizes, async (seed, size) => {
    const { body, meant, damage } = randomResponse(seed);
    for (const toolCalls of ["hold", "stream"] as const) {
      const { text } = await passedThrough({ ...asked, toolCalls, size, body });
      const isHealthy = damage.every((each) => each === "side by side");
      const wrong = wrongIn(text, meant) ?? (isHealthy && text !== body ? "changed" : undefined);
      expect({ seed, toolCalls, damage, wrong }).toEqual({ seed, toolCalls, damage, wrong: undefined });
    }
  });
  await fc.assert(property, runs);
});
