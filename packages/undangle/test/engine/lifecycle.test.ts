import { createAgent, defineMiddleware, tool } from "#engine";
import type { Middleware, Thread } from "#engine";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";
import { describe, expect, expectTypeOf, test } from "vitest";

import { unpaired } from "./all-formats.ts";
import { faultsOf } from "./health.ts";
import { soon } from "./promised.ts";
import { eventsOf, shapeOf, statesOf } from "./recorded.ts";

const pay = tool({ name: "pay", description: "Pays.", execute: () => "paid" });

/** A thread of an agent with this middleware. */
function threadWith(
  middleware: readonly Middleware[],
  script: Parameters<typeof scriptedModel>[0] = [{ calls: [{ name: "pay" }] }, { text: "Done." }],
) {
  const model = scriptedModel(script);
  const store = memoryStore();
  const agent = createAgent({ model, store, middleware, tools: [pay] });
  return { agent, store, model, thread: agent.thread("t") as Thread };
}

describe("the state of a middleware", () => {
  test("is its own, has a type, and is saved with the thread", async () => {
    const counter = defineMiddleware({
      name: "counter",
      state: {
        initial: { asked: 0, last: "" },
        reduce: (value, more: number) => ({ ...value, asked: value.asked + more }),
      },
      beforeModel(_request, { state }) {
        expectTypeOf(state.get()).toEqualTypeOf<{ asked: number; last: string }>();
        expectTypeOf<Parameters<typeof state.update>>().toEqualTypeOf<[update: number]>();
        state.update(1);
      },
    });
    const { thread, store } = threadWith([counter]);
    await thread.send("Go.").result;
    expect(await thread.state()).toEqual({ counter: { asked: 2, last: "" } });
    const later = createAgent({ model: scriptedModel([{ text: "On." }]), store, middleware: [counter] });
    await later.thread("t").send("Again.").result;
    expect(await later.thread("t").state()).toEqual({ counter: { asked: 3, last: "" } });
  });

  test("is merged where there is no reducer, and what it holds is nobody's to change", async () => {
    const initial = { list: [1], name: "" };
    const merging = defineMiddleware({
      name: "merging",
      state: { initial },
      beforeAgent({ state }) {
        state.get().list.push(9);
        state.update({ name: "given" });
        expectTypeOf<Parameters<typeof state.update>[0]>().toEqualTypeOf<Partial<{ list: number[]; name: string }>>();
      },
    });
    const { thread } = threadWith([merging]);
    await thread.send("Go.").result;
    expect(await thread.state()).toEqual({ merging: { list: [1], name: "given" } });
    expect(initial).toEqual({ list: [1], name: "" });
  });

  test("is reached by its tools, which may run side by side", async () => {
    const list = defineMiddleware({
      name: "list",
      state: { initial: [] as number[], reduce: (value, add: number) => [...value, add] },
      tools: (own) => [
        tool({
          name: "add",
          description: "Adds a number.",
          input: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
          async execute({ n }, context) {
            await Promise.resolve();
            own(context).update(n);
            return own(context).get().length;
          },
        }),
      ],
    });
    const { thread } = threadWith(
      [list],
      [{ calls: [1, 2, 3].map((n) => ({ name: "add", arguments: { n } })) }, { text: "Done." }],
    );
    expect((await thread.send("Go.").result).text).toBe("Done.");
    expect(await thread.state()).toEqual({ list: [1, 2, 3] });
  });

  test("cannot be overwritten by a tool, which keeps its own under other names", async () => {
    const keep = tool({
      name: "keep",
      description: "Keeps.",
      execute(_: unknown, { state }) {
        state.set("kept", state.get("counter"));
        state.set("plain", 1); // that middleware keeps nothing
        state.set("counter", "mine");
      },
    });
    const counter = defineMiddleware({
      name: "counter",
      state: { initial: 0, reduce: (value, more: number) => value + more },
      tools: (own) => [
        tool({
          name: "count",
          description: "Counts.",
          execute: (_: unknown, context) => own(context).update(10),
        }),
      ],
      beforeModel: (_request, { state }) => state.update(1),
    });
    const agent = createAgent({
      model: scriptedModel([{ calls: [{ name: "keep" }, { name: "count" }] }, { text: "Done." }]),
      tools: [keep],
      middleware: [counter, { name: "plain" }],
    });
    await agent.thread("t").send("Go.").result;
    expect(await agent.thread("t").state()).toEqual({ counter: 12, kept: 1, plain: 1 });
    expect((await agent.thread("t").calls()).map(({ status, error = "" }) => [status, error.slice(0, 48)])).toEqual([
      ["failed", expect.stringContaining("The state counter of a thread")],
      ["succeeded", ""],
    ]);
  });

  test("that was not declared cannot be used", async () => {
    const { thread } = threadWith([{ name: "none", beforeAgent: ({ state }) => void state.get() }]);
    expect((await thread.send("Go.").result).error?.message).toMatch(/none failed: .*declares no state/u);
  });
});

describe("a hook may end the run:", () => {
  test("beforeAgent, before the model is asked at all", async () => {
    const { thread, model } = threadWith([
      { name: "closed", beforeAgent: () => ({ type: "end", text: "We are closed." }) },
    ]);
    expect(await thread.send("Go.").result).toMatchObject({ status: "done", text: "We are closed." });
    expect(model.calls).toBe(0);
    expect(await shapeOf(thread)).toBe("H:Go. A:We are closed.");
  });

  test("beforeModel, without a word", async () => {
    let asked = 0;
    const { thread, model } = threadWith([
      { name: "once", beforeModel: () => (asked++ === 0 ? undefined : { type: "end" }) },
    ]);
    expect(await thread.send("Go.").result).toMatchObject({ status: "done" });
    expect(model.calls).toBe(1);
    expect(await shapeOf(thread)).toBe("H:Go. A(pay) T");
  });

  test("afterModel, and calls that are open are told as not executed", async () => {
    const { thread, model, store } = threadWith([
      {
        name: "no calls",
        afterModel: ({ answer }) => (answer.calls.length > 0 ? { type: "end", text: "I may not." } : undefined),
      },
    ]);
    const run = thread.send("Go.");
    expect(await run.result).toMatchObject({ status: "done", text: "I may not." });
    expect(await statesOf(store, "t")).toEqual({ pay: "stopped" });
    expect(await shapeOf(thread)).toBe("H:Go. A(pay) T A:I may not.");
    expect((await eventsOf(run)).filter(({ type }) => type === "tool_call_end").length).toBe(1);
    expect(await faultsOf(store, model.requests)).toEqual([]);
  });
});

describe("a hook may go back to the model:", () => {
  test("afterModel, in place of calls", async () => {
    let isFirst = true;
    const { thread, store, model } = threadWith([
      {
        name: "think",
        afterModel() {
          if (!isFirst) return undefined;
          isFirst = false;
          return { type: "again", message: "Think first." };
        },
      },
    ]);
    expect((await thread.send("Go.").result).text).toBe("Done.");
    expect(await statesOf(store, "t")).toEqual({ pay: "stopped" });
    expect(await shapeOf(thread)).toBe("H:Go. A(pay) T H:Think first. A:Done.");
    expect(await faultsOf(store, model.requests)).toEqual([]);
  });

  test("afterAgent, until it is content; limits hold all the same", async () => {
    let left = 2;
    const { thread, model } = threadWith(
      [
        {
          name: "tests",
          afterAgent: ({ status }) =>
            status === "done" && left-- > 0 ? { type: "again", message: "The tests fail." } : undefined,
        },
      ],
      [{ text: "One." }, { text: "Two." }, { text: "Three." }],
    );
    expect((await thread.send("Go.").result).text).toBe("Three.");
    expect(await shapeOf(thread)).toBe("H:Go. A:One. H:The tests fail. A:Two. H:The tests fail. A:Three.");
    expect(model.calls).toBe(3);
    const endless = createAgent({
      model: scriptedModel([{ text: "No." }], { loop: true }),
      limits: { steps: 5 },
      middleware: [{ name: "endless", afterAgent: () => ({ type: "again" }) }],
    });
    expect((await endless.thread("t").send("Go.").result).error).toMatchObject({ code: "run/limit" });
  });

  test("without a message the model is told to go on, for nobody answers their own answer", async () => {
    let isFirst = true;
    const { thread } = threadWith(
      [{ name: "more", afterModel: () => (isFirst ? ((isFirst = false), { type: "again" }) : undefined) }],
      [{ text: "One." }, { text: "Two." }],
    );
    await thread.send("Go.").result;
    expect(await shapeOf(thread)).toBe("H:Go. A:One. H:Go on. A:Two.");
    expect((await thread.export()).entries.map(({ entry }) => (entry as { by?: string }).by)).toContain("engine");
  });
});

test("hooks that let the run neither end nor go on do not keep it for ever", async () => {
  const { thread, model } = threadWith([
    { name: "both", beforeModel: () => ({ type: "end" }), afterAgent: () => ({ type: "again" }) },
  ]);
  expect((await soon(thread.send("Go.").result)).status).toBe("done");
  expect(model.calls).toBe(0);
  const agent = createAgent({
    model: scriptedModel([{ calls: [{ name: "final_answer", arguments: { n: 1 } }] }], { loop: true }),
    output: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
    limits: { steps: 4 },
    middleware: [{ name: "more", afterAgent: () => ({ type: "again" }) }],
  });
  expect((await soon(agent.thread("t").send("Go.").result)).error).toMatchObject({ code: "run/limit" });
});

test.each<[string, unknown]>([
  ["is async", async (next: unknown) => next],
  ["returns nothing", () => undefined],
  [
    "throws",
    () => {
      throw new Error("no");
    },
  ],
])("a wrapping hook that %s fails the run with its name, and the thread goes on", async (_, wrap) => {
  for (const hook of ["wrapModelCall", "wrapToolCall"]) {
    const broken = { name: "broken", [hook]: wrap } as unknown as Middleware; // without types
    const { agent, thread, store } = threadWith([broken]);
    const { error } = await soon(thread.send("Go.").result);
    expect(error?.message).toMatch(new RegExp(`${hook} of the middleware broken failed: `, "u"));
    await soon(agent.close());
    const later = createAgent({ model: scriptedModel([{ text: "On." }]), store });
    expect((await later.thread("t").send("And?").result).text).toBe("On.");
  }
});

test("a hook that starts a tool twice gets what came of the first start, unless the tool may run twice", async () => {
  for (const idempotent of [false, true]) {
    let starts = 0;
    const once = tool({ name: "once", description: "Runs.", idempotent, execute: () => `start ${++starts}` });
    const twice: Middleware = {
      name: "twice",
      wrapToolCall: (next) => async (call) => {
        await next(call);
        return next(call);
      },
    };
    const model = scriptedModel([{ calls: [{ name: "once" }] }, { text: "Done." }]);
    const agent = createAgent({ model, tools: [once], middleware: [twice] });
    await agent.thread("t").send("Go.").result;
    expect((await agent.thread("t").calls())[0]?.result).toBe(idempotent ? "start 2" : "start 1");
  }
});

test.each([
  ["beforeAgent", { type: "again" }],
  ["beforeModel", { messages: 5 }],
  ["afterModel", "end"],
  ["afterAgent", { type: "end" }],
])("what %s returns and means nothing fails the run with its name", async (hook, returned) => {
  const { thread } = threadWith([{ name: "odd", [hook]: () => returned }]);
  expect((await thread.send("Go.").result).error?.message).toMatch(
    new RegExp(`${hook} of the middleware odd failed: it returned`, "u"),
  );
});

test("a run that goes on after a decision runs the hooks that a fresh one would", async () => {
  const notes: string[] = [];
  const noting: Middleware = {
    name: "noting",
    beforeAgent: () => void notes.push("beforeAgent"),
    beforeModel: () => void notes.push("beforeModel"),
    wrapToolCall: (next) => (call) => (notes.push("wrapToolCall"), next(call)),
    afterModel: () => void notes.push("afterModel"),
    afterAgent: ({ status }) => void notes.push(`afterAgent ${status}`),
  };
  const agent = createAgent({
    model: scriptedModel([{ calls: [{ name: "pay" }] }, { text: "Done." }]),
    tools: [pay],
    approvals: [{ tools: "pay" }],
    middleware: [noting],
  });
  await agent.thread("t").send("Go.").result;
  const first = notes.splice(0);
  await agent.thread("t").approveAll().result;
  expect(first).toEqual(["beforeAgent", "beforeModel", "afterModel", "afterAgent waiting"]);
  expect(notes).toEqual(["beforeAgent", "wrapToolCall", "beforeModel", "afterModel", "afterAgent done"]);
});

describe("what hooks make of the messages", () => {
  test.each<[string, Middleware]>([
    [
      "cut in the middle of a turn",
      { name: "cut", beforeModel: (request) => ({ ...request, messages: request.messages.slice(-1) }) },
    ],
    [
      "turned round",
      {
        name: "turn",
        wrapModelCall: (next) => (request) => next({ ...request, messages: request.messages.toReversed() }),
      },
    ],
    [
      "doubled",
      {
        name: "double",
        beforeModel: (request) => ({ ...request, messages: [...request.messages, ...request.messages] }),
      },
    ],
    ["all cut away", { name: "none", beforeModel: (request) => ({ ...request, messages: [] }) }],
  ])("reaches the model healthy: %s", async (_, middleware) => {
    const { thread, model, store } = threadWith([middleware]);
    const run = thread.send("Go.");
    expect((await run.result).text).toBe("Done.");
    for (const { messages } of model.requests) expect(unpaired(messages)).toEqual([]);
    expect(await faultsOf(store, model.requests)).toEqual([]);
    expect(await shapeOf(thread)).toBe("H:Go. A(pay) T A:Done.");
  });

  test("is mended with a word to those who watch", async () => {
    const { thread } = threadWith([
      { name: "cut", beforeModel: (request) => ({ ...request, messages: request.messages.slice(-1) }) },
    ]);
    const run = thread.send("Go.");
    await run.result;
    expect((await eventsOf(run)).filter(({ type }) => type === "repair").length).toBeGreaterThan(0);
  });

  test("is refused where they are no messages", async () => {
    const broken = { name: "broken", beforeModel: () => ({ messages: [{ role: "user" }] }) } as unknown as Middleware; // without types
    expect((await threadWith([broken]).thread.send("Go.").result).error?.message).toMatch(/messages\[0\]/u);
  });
});
