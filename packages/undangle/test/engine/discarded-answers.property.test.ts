import fc from "fast-check";
import { createAgent, tool } from "#engine";
import { memoryStore } from "#store";
import { faultNames, scriptedModel } from "#testing";
import type { ScriptedTurn } from "#testing";
import { expect, test } from "vitest";

import { faultsOf } from "./health.ts";

const tools = ["quick", "other"].map((name) =>
  tool({ name, description: name, input: { type: "object" }, execute: () => `${name} result` }),
);

const call = fc.oneof(
  fc.record({ name: fc.constantFrom("quick", "other", "none"), arguments: fc.constantFrom({}, { a: 1 }) }),
  fc.record({ name: fc.constantFrom("quick", "other"), raw: fc.constantFrom("{", "[]", '{"a":1}', "nonsense") }),
);

const answer: fc.Arbitrary<ScriptedTurn> = fc.record(
  {
    text: fc.string({ maxLength: 12 }),
    reasoning: fc.string({ maxLength: 12 }),
    calls: fc.array(call, { maxLength: 3 }),
  },
  { requiredKeys: [] },
);

/** What is taken back may be broken in any way. */
const lost: fc.Arbitrary<ScriptedTurn> = fc
  .tuple(answer, fc.option(fc.constantFrom(...faultNames("openai-chat"))), fc.boolean())
  .map(([turn, fault, fails]) => ({
    ...turn,
    ...(fault !== null && { faults: [fault] }),
    ...(fails && { error: { status: 500, message: "no" } }),
  }));

const script = fc.array(fc.record({ discarded: fc.array(lost, { maxLength: 2 }), answer }), {
  minLength: 1,
  maxLength: 4,
});

/** What is left of a thread when a script is over. */
async function lived(turns: Parameters<typeof scriptedModel>[0]) {
  const store = memoryStore();
  const model = scriptedModel([...turns, { text: "Done." }, { text: "Done." }]);
  const thread = createAgent({ model, tools, store, limits: { faulty: 99 } }).thread("t");
  const { status } = await thread.send("Go.").result;
  return { status, history: await thread.history("openai-chat"), faults: await faultsOf(store, model.requests) };
}

test("a thread is the same whatever answers were taken back in it", async () => {
  await fc.assert(
    fc.asyncProperty(script, async (answers) => {
      const plain = await lived(answers.map(({ answer: turn }) => turn));
      const discarding = await lived(
        answers.flatMap(({ discarded, answer: turn }) => [
          ...discarded.flatMap((each) => [each, { discard: "why" }]),
          turn,
        ]),
      );
      expect(discarding).toEqual(plain);
      expect(plain.faults).toEqual([]);
    }),
  );
});
