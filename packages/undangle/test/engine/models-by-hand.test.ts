import type { AssembledCall, AssembledTurn } from "#core";
import { createAgent, tool } from "#engine";
import type { Model } from "#model";
import { memoryStore } from "#store";
import { describe, expect, test } from "vitest";

import { faultsAfterwards, faultsOf } from "./health.ts";
import { soon } from "./promised.ts";
import { callsOf, eventsOf, messagesIn, shapeOf } from "./recorded.ts";

/** A model that says so much of a turn, and then that it is done. */
function modelOf(...turns: readonly unknown[]): Model {
  const rest = [...turns];
  return {
    name: "mine",
    stream() {
      const turn = (rest.shift() ?? saying("Done.")) as AssembledTurn; // it breaks its promise
      return {
        turn: async () => turn,
        turns: async () => [turn],
        [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: undefined }) }),
      };
    },
  };
}

const whole = { text: "", reasoning: "", complete: true, anomalies: [], usage: undefined } as const;
const saying = (text: string): AssembledTurn => ({
  ...whole,
  text,
  calls: [],
  parts: [{ type: "text", text }],
  finish: "stop",
});
const call = (id: string, more: object = {}): AssembledCall => ({
  id,
  name: "any",
  arguments: {},
  raw: "{}",
  state: "ready",
  idGenerated: false,
  ...more,
});
const any = tool({ name: "any", description: "Any.", execute: () => "ran" });

describe("a model by hand", () => {
  const [a, b, c] = [call("a"), call("b"), call("c")];
  test.each<[string, Partial<AssembledTurn>]>([
    ["does not name its calls", { calls: [a, b], parts: [] }],
    ["names one of its calls only", { calls: [a, b, c], parts: [{ type: "call", call: b }] }],
    [
      "names its calls in another order",
      {
        calls: [a, b, c],
        parts: [
          { type: "call", call: c },
          { type: "text", text: "and" },
          { type: "call", call: a },
          { type: "call", call: b },
        ],
      },
    ],
    [
      "names a call that is not among its calls",
      {
        calls: [a],
        parts: [
          { type: "call", call: b },
          { type: "call", call: c },
        ],
      },
    ],
    ["gives calls without ids", { calls: [call(""), call(" ")], parts: [] }],
    ["gives an id of ours", { calls: [call("call_1"), call("")], parts: [] }],
  ])("that %s: each call runs once and stands before its result", async (_, turn) => {
    const store = memoryStore();
    const model = modelOf({ ...whole, finish: "tool_calls", ...turn });
    const agent = createAgent({ model, store, tools: [any] });
    expect(await soon(agent.thread("t").send("Go.").result)).toMatchObject({ status: "done", text: "Done." });
    const calls = await callsOf(store, "t");
    expect(calls.map(({ state, attempts }) => [state, attempts])).toEqual(turn.calls?.map(() => ["succeeded", 1]));
    const [, answer] = await messagesIn(store, "t");
    const named = answer?.role === "assistant" ? answer.parts.filter(({ type }) => type === "call") : [];
    expect(named).toHaveLength(calls.length);
    expect(await faultsOf(store)).toEqual([]);
    expect(await faultsAfterwards(store)).toEqual([]);
  });

  test.each<[string, unknown, RegExp]>([
    ["without calls", { finish: "stop", complete: true, parts: [] }, /`calls` is no list/u],
    ["without parts", { finish: "stop", complete: true, calls: [] }, /`parts` is no list/u],
    ["without an end", { calls: [], parts: [], complete: true }, /`finish` is none of stop/u],
    ["of which nobody says whether it is whole", { finish: "stop", calls: [], parts: [] }, /`complete` is neither/u],
    ["that is a text", "Hello.", /it is no object/u],
    ["with a call that is none", { ...saying(""), calls: [null] }, /`calls\[0\]` is no object/u],
    ["with a call without an id", { ...saying(""), calls: [{ ...a, id: undefined }] }, /`calls\[0\]\.id` is no text/u],
    ["with arguments for text", { ...saying(""), calls: [a, { ...b, raw: {} }] }, /`calls\[1\]\.raw` is no text/u],
    ["with a text for arguments", { ...saying(""), calls: [{ ...a, arguments: "{}" }] }, /\.arguments` is neither/u],
    ["with a state that is none", { ...saying(""), calls: [{ ...a, state: "done" }] }, /\.state` is none of ready/u],
    ["with a part of no type", { ...saying(""), parts: [{ text: "Hi." }] }, /`parts\[0\]\.type` is none of text/u],
    ["with a part without its text", { ...saying(""), parts: [{ type: "text" }] }, /`parts\[0\]\.text` is no text/u],
    ["whose arguments are no JSON", { ...saying(""), calls: [{ ...a, raw: "{a" }] }, /`raw`\) is no JSON/u],
  ])("that gives a turn %s fails with an error that names what is wrong", async (_, turn, words) => {
    const store = memoryStore();
    const agent = createAgent({ model: modelOf(turn), store, tools: [any] });
    const run = agent.thread("t").send("Go.");
    const end = await soon(run.result);
    expect(end).toMatchObject({ status: "failed", error: { code: "model/failed" } });
    expect(end.error?.message).toMatch(words);
    expect(end.error?.message).toContain("mine");
    expect((await eventsOf(run)).map(({ type }) => type)).toContain("model_discarded");
    expect(await shapeOf(agent.thread("t"))).toBe("H:Go.");
    expect(await faultsAfterwards(store)).toEqual([]);
  });

  test.each<[string, unknown, string]>([
    ["a string", "no network", "no network"],
    ["null", null, "null"],
    ["a number", 42, "42"],
    ["an object with a message", { message: "no network" }, "no network"],
    ["nothing", undefined, "The response ended too early."],
  ])("that throws %s: the error says it", async (_, thrown, words) => {
    const store = memoryStore();
    const model: Model = {
      name: "mine",
      stream() {
        throw thrown; // anything can be thrown
      },
    };
    const end = await soon(createAgent({ model, store }).thread("t").send("Go.").result);
    expect(end).toMatchObject({ status: "failed", error: { code: "model/failed" } });
    expect(end.error?.message).toContain(words);
    expect(await faultsAfterwards(store)).toEqual([]);
  });
});
