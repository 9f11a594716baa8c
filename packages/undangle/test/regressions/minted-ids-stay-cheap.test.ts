import { assemble } from "#codecs";
import type { AssembledTurn } from "#core";
import { createAgent, tool } from "#engine";
import type { Model } from "#model";
import { describe, expect, test } from "vitest";

/** A set that counts how often it is looked into. */
class CountingSet extends Set<string> {
  looks = 0;

  override has(value: string): boolean {
    this.looks++;
    return super.has(value);
  }
}

/** The same call again and again, in responses that have one id; `id` is that of the call. */
async function turnWith(known: CountingSet, id?: string): Promise<AssembledTurn> {
  const call = { index: 0, ...(id !== undefined && { id }), function: { name: "look", arguments: '{"at":"it"}' } };
  const frames = [
    { id: "chatcmpl-1", choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }] },
    { id: "chatcmpl-1", choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
  ];
  return assemble(frames, { format: "openai-chat", knownIds: known }).turn();
}

describe("an id for a call that is made again and again", () => {
  test.each([
    ["without an id", undefined],
    ["with an id that repeats", "call_0"],
  ])("takes as many looks late as early: %s", async (_, id) => {
    const known = new CountingSet();
    const looks: number[] = [];
    for (let i = 0; i < 600; i++) {
      known.looks = 0;
      const { calls } = await turnWith(known, id);
      looks.push(known.looks);
      const [given] = calls.map((call) => call.id);
      expect(known.has(given ?? "")).toBe(false);
      known.add(given ?? "");
    }
    expect(known.size).toBe(600);
    expect(Math.max(...looks)).toBeLessThan(6);
  });

  test("is the same for the same stream and the same known ids", async () => {
    const known = new CountingSet(["call_0", "call_1"]);
    const [one, other] = [await turnWith(known, "call_0"), await turnWith(known, "call_0")];
    expect(one.calls).toEqual(other.calls);
  });
});

test("calls of a model by hand that have one id get the ids that follow", async () => {
  const call = { id: "same", name: "look", arguments: {}, raw: "{}", state: "ready" as const, idGenerated: false };
  let left = 40;
  const model: Model = {
    name: "mine",
    stream() {
      const calls = left-- > 0 ? [call] : [];
      const parts = calls.length > 0 ? [{ type: "call" as const, call }] : [{ type: "text" as const, text: "Done." }];
      const finish = calls.length > 0 ? ("tool_calls" as const) : ("stop" as const);
      const turn = { text: "", reasoning: "", complete: true, anomalies: [], usage: undefined, calls, parts, finish };
      return {
        turn: () => Promise.resolve(turn),
        turns: () => Promise.resolve([turn]),
        async *[Symbol.asyncIterator]() {},
      };
    },
  };
  const look = tool({ name: "look", description: "Looks.", execute: () => "seen" });
  const thread = createAgent({ model, tools: [look] }).thread("t");
  await thread.send("Go.").result;
  const chat = (await thread.history("openai-chat")) as readonly { readonly tool_call_id?: string }[];
  const ids = chat.flatMap(({ tool_call_id: id }) => (id === undefined ? [] : [id]));
  expect(ids).toEqual(["same", ...Array.from({ length: 39 }, (_, i) => `same_${i + 2}`)]);
});
