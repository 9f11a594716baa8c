import { streamFormats } from "#codecs";
import type { AssembledCall } from "#core";
import { createAgent, tool } from "#engine";
import type { Model } from "#model";
import { memoryStore } from "#store";
import { faultNames, scriptedModel } from "#testing";
import type { FaultName, ScriptedAnswer } from "#testing";
import { describe, expect, test } from "vitest";

import { faultsAfterwards, faultsOf } from "./health.ts";
import { soon } from "./promised.ts";
import { callsOf, eventsOf, shapeOf } from "./recorded.ts";

/** Throws anything, as an arrow cannot. */
function fail(thrown: unknown): never {
  throw thrown;
}

describe("a model", () => {
  test.each<[string, ScriptedAnswer]>([
    ["nothing at all", {}],
    ["white space", { text: " \n" }],
    ["calls without names", { calls: [{ name: "" }, { name: " " }] }],
    ["only reasoning", { reasoning: "Hm." }],
    ["a text that was cut off", { text: "And so", finish: "length" }],
    ["a refusal by a filter", { text: "", finish: "content_filter" }],
    ["a half character", { text: "half \ud83d" }],
  ])("that answers %s: the run ends, and the thread is healthy", async (_, answer) => {
    const store = memoryStore();
    const agent = createAgent({ model: scriptedModel([answer, { text: "Sorry." }]), store });
    const end = await soon(agent.thread("t").send("Go.").result);
    expect(["done", "failed"]).toContain(end.status);
    expect((await agent.thread("t").send("And?").result).text).toBe("Sorry.");
    expect(await faultsAfterwards(store)).toEqual([]);
  });

  test.each<[string, ScriptedAnswer]>([
    ["calls of tools that do not exist", { calls: [{ name: "nope" }, { name: "__proto__" }, { name: "toString" }] }],
    ["calls with names that no format takes", { calls: [{ name: "名字 with spaces" }, { name: "x".repeat(300) }] }],
    [
      "only malformed calls",
      {
        calls: [
          { name: "any", raw: "{" },
          { name: "any", raw: "not json" },
          { name: "any", raw: "]" },
        ],
      },
    ],
    ["arguments of 1 MB", { calls: [{ name: "any", arguments: { text: "x".repeat(1_000_000) } }] }],
    [
      "arguments that would change prototypes",
      { calls: [{ name: "any", raw: '{"__proto__":{"isAdmin":true},"constructor":1}' }] },
    ],
    ["a hundred calls", { calls: Array.from({ length: 100 }, (_, n) => ({ name: "any", arguments: { n } })) }],
    [
      "the same call twice",
      {
        calls: [
          { id: "x", name: "any" },
          { id: "x", name: "any" },
        ],
      },
    ],
    [
      "ids that no format takes",
      {
        calls: [
          { id: " ", name: "any" },
          { id: "é 工具 \u0000", name: "any" },
          { id: "y".repeat(200), name: "any" },
        ],
      },
    ],
  ])("that makes %s: each is answered, and it hears of them", async (_, answer) => {
    const store = memoryStore();
    const model = scriptedModel([answer, { text: "Sorry." }]);
    const agent = createAgent({
      model,
      store,
      tools: [tool({ name: "any", description: "Any.", execute: () => "ran" })],
    });
    expect(await soon(agent.thread("t").send("Go.").result, 5000)).toMatchObject({ status: "done", text: "Sorry." });
    expect(await faultsOf(store, model.requests)).toEqual([]);
    expect(await faultsAfterwards(store)).toEqual([]);
  });

  test("that is no stream of bytes, and says the same ids in every turn: each call has an id of its own", async () => {
    const store = memoryStore();
    const make = (id: string): AssembledCall => ({
      id,
      name: "any",
      arguments: {},
      raw: "{}",
      state: "ready",
      idGenerated: false,
    });
    let asked = 0;
    const model: Model = {
      name: "by hand",
      stream() {
        const calls = ([["x"], ["x", "x_2", "x"], ["x_2", "x"]][asked++] ?? []).map(make);
        const parts = calls.map((call) => ({ type: "call" as const, call }));
        const text = "";
        const finish = calls.length > 0 ? "tool_calls" : "stop";
        const turn = {
          text,
          reasoning: "",
          calls,
          parts,
          finish,
          complete: true,
          anomalies: [],
          usage: undefined,
        } as const;
        return {
          turn: async () => turn,
          turns: async () => [turn],
          [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: undefined }) }),
        };
      },
    };
    const agent = createAgent({
      model,
      store,
      tools: [tool({ name: "any", description: "Any.", execute: () => "ran" })],
    });
    expect((await agent.thread("t").send("Go.").result).status).toBe("done");
    expect((await callsOf(store, "t")).length).toBe(6);
    expect(await faultsAfterwards(store)).toEqual([]);
  });

  test("that makes calls without names, and with arguments: it hears what is wrong with them", async () => {
    const store = memoryStore();
    const turn: ScriptedAnswer = { calls: [{ name: " ", arguments: { n: 1 } }, { name: "any" }] };
    const agent = createAgent({
      model: scriptedModel([turn, { text: "Done." }]),
      store,
      tools: [tool({ name: "any", description: "Any.", execute: () => "ran" })],
    });
    const thread = agent.thread("t");
    expect((await thread.send("Go.").result).text).toBe("Done.");
    expect(await thread.calls()).toMatchObject([
      { status: "failed", error: "The call does not say which tool it is for, try one of [any]." },
      { status: "succeeded" },
    ]);
    expect(await faultsAfterwards(store)).toEqual([]);
  });

  test("that calls a tool of an agent without any hears so", async () => {
    const thread = createAgent({ model: scriptedModel([{ calls: [{ name: "any" }] }, { text: "Oh." }]) }).thread("t");
    await thread.send("Go.").result;
    expect(await thread.calls()).toMatchObject([{ error: "any is not a valid tool, and there are none." }]);
  });

  test("that makes phantom calls beside real ones: every call of the thread has an id of its own", async () => {
    const store = memoryStore();
    const turn: ScriptedAnswer = { calls: [{ name: "" }, { name: "any" }, { name: "" }, { name: "any" }] };
    const model = scriptedModel([turn, turn, { calls: [{ name: "any" }] }, { text: "Done." }]);
    const agent = createAgent({
      model,
      store,
      tools: [tool({ name: "any", description: "Any.", execute: () => "ran" })],
    });
    expect((await agent.thread("t").send("Go.").result).text).toBe("Done.");
    expect((await callsOf(store, "t")).length).toBe(5);
    expect(await faultsAfterwards(store)).toEqual([]);
  });

  const lost = new Error("no network");
  const streams: readonly (readonly [name: string, stream: () => unknown])[] = [
    ["throws", () => fail(lost)],
    ["throws no error", () => fail("no network")],
    ["gives no stream", () => undefined],
    ["gives nothing", () => null],
    ["gives a text", () => "Hello."],
    ["gives what cannot be iterated", () => ({ turn: async () => undefined })],
    ["gives a stream that breaks", () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(lost) }) })],
    [
      "gives a stream without a turn",
      () => ({
        [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true }) }),
        turn: async () => undefined,
      }),
    ],
  ];

  test.each(streams)(
    "that %s fails the run with an error that names it, and the thread can go on",
    async (_, stream) => {
      const store = memoryStore();
      const model = { name: "bad", stream: stream as Model["stream"] }; // it breaks its promise
      const agent = createAgent({ model, store });
      const end = await soon(agent.thread("t").send("Go.").result);
      expect(end).toMatchObject({ status: "failed", error: { code: "model/failed" } });
      expect(end.error?.message).toContain("bad");
      expect(end.error?.message).not.toMatch(/Cannot read|is not a function|is not (?:async )?iterable/u);
      expect(await faultsAfterwards(store)).toEqual([]);
    },
  );

  test.each<FaultName>(["cut", "cut-quietly", "error-in-stream", "error-text"])(
    "whose stream breaks off (%s): the run fails, what it had said is given up, and nothing of it runs",
    async (fault) => {
      const store = memoryStore();
      const ran: string[] = [];
      const any = tool({ name: "any", description: "Any.", execute: () => void ran.push("any") });
      const text = "abcdefghij".repeat(20);
      const model = scriptedModel([
        { text, calls: [{ name: "any" }, { name: "any" }], faults: [fault] },
        { text: "Sorry." },
      ]);
      const agent = createAgent({ model, store, tools: [any] });
      const run = agent.thread("t").send("Go.");
      expect(await run.result).toMatchObject({ status: "failed", error: { code: "model/failed" } });
      expect((await eventsOf(run)).map(({ type }) => type)).toContain("model_discarded");
      expect([ran, await callsOf(store, "t"), await shapeOf(agent.thread("t"))]).toEqual([[], [], "H:Go."]);
      expect((await agent.thread("t").send("And?").result).text).toBe("Sorry.");
      expect(await faultsAfterwards(store)).toEqual([]);
    },
  );

  test("that a provider refuses: the run fails with its words", async () => {
    const store = memoryStore();
    const agent = createAgent({
      model: scriptedModel([{ error: { status: 429, message: "Rate limit reached" } }]),
      store,
    });
    const end = await agent.thread("t").send("Go.").result;
    expect(end.error?.message).toContain("Rate limit reached");
    expect(end.error?.cause).toMatchObject({ status: 429 });
    expect(await faultsAfterwards(store)).toEqual([]);
  });

  describe.each(streamFormats)("whose %s stream has", (format) => {
    test.each(faultNames(format))(
      "%s: no tool runs with wrong arguments or twice, and the thread stays healthy",
      async (fault) => {
        const store = memoryStore();
        const ran: string[] = [];
        const input = {
          type: "object",
          properties: { n: { type: "number" }, text: { type: "string" } },
          required: ["n"],
        } as const;
        const faulty: ScriptedAnswer = {
          text: "Let me see. 我看看",
          calls: [1, 2, 3].map((n) => ({ name: "count", arguments: { n, text: '工具 👀 "quoted"' } })),
          faults: [fault],
        };
        const model = scriptedModel([faulty, { ...faulty, faults: [] }, { text: "Sorry." }], { format });
        const agent = createAgent({
          model,
          store,
          tools: [
            tool({
              name: "count",
              description: "Counts.",
              input,
              execute: (args, { callId }) => void ran.push(`${callId} ${JSON.stringify(args)}`),
            }),
          ],
        });
        const end = await soon(agent.thread("t").send("Go.").result, 5000);
        expect(["done", "failed"]).toContain(end.status);
        expect(new Set(ran).size).toBe(ran.length);
        const whole = [1, 2, 3].map((n) => JSON.stringify({ n, text: '工具 👀 "quoted"' }));
        for (const each of ran) expect(whole).toContain(each.slice(each.indexOf(" ") + 1));
        expect(await faultsOf(store, model.requests)).toEqual([]);
        expect(await faultsAfterwards(store)).toEqual([]);
      },
    );
  });
});
