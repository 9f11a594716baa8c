import { describe, expect, test } from "vitest";

import { createAgent, defineMiddleware, tool } from "#engine";
import type { AgentOptions, Thread, ThreadTrace } from "#engine";
import { subagents } from "#middleware";
import { memoryStore } from "#store";
import type { Head, StoredCall } from "#store";
import { scriptedModel } from "#testing";
import type { ScriptedTurn } from "#testing";

import { mortalAgent } from "../subagents/processes.ts";
import { delegating, playModel } from "../subagents/stage.ts";
import { until } from "./promised.ts";
import { expectTraceLaws } from "./trace-laws.ts";

/** A clock that a test moves, and turns and tools that take their time. */
function clock() {
  let at = 0;
  const now = (): number => at;
  const advance = (ms: number): void => void (at += ms);
  const after = (ms: number, turn: ScriptedTurn) => (): ScriptedTurn => {
    advance(ms);
    return turn;
  };
  const taking = (name: string, ms: number, options: Partial<Parameters<typeof tool>[0]> = {}) =>
    tool({ name, description: "Takes time.", execute: () => advance(ms), ...options });
  return { now, advance, after, taking };
}

/** The trace in lines, in the order of the spans: `call pay 100–120 succeeded`. */
const lines = ({ spans }: ThreadTrace): readonly string[] =>
  spans.map(({ type, name, start, end, status, path, purpose }) =>
    [
      path === undefined ? "" : `${path.join("/")}: `,
      type,
      ` ${name}${purpose === undefined ? "" : ` (${purpose})`} ${start}–${end ?? ""} ${status}`,
    ].join(""),
  );

async function traceOf(thread: Thread, now: () => number): Promise<ThreadTrace> {
  const trace = await thread.trace();
  expect(trace.at).toBe(now());
  expectTraceLaws(trace);
  return trace;
}

type Time = ReturnType<typeof clock>;

const threadWith = (options: (time: Time) => AgentOptions): Time & { readonly thread: Thread } => {
  const time = clock();
  const thread = createAgent({ store: memoryStore(), now: time.now, ...options(time) }).thread("t");
  return { ...time, thread };
};

describe("the trace of a thread", () => {
  test("is empty before its first run", async () => {
    const { thread } = threadWith(() => ({ model: scriptedModel([]) }));
    const tokens = { inputTokens: 0, outputTokens: 0, totalTokens: 0, cachedTokens: 0 };
    expect(await thread.trace()).toEqual({
      at: 0,
      spans: [],
      marks: [],
      totals: { runs: 0, model: 0, tools: 0, waits: 0, tokens },
    });
  });

  test("has the responses and calls of a run, which fill it, with tokens and entries", async () => {
    const { thread, now } = threadWith(({ after, taking }) => ({
      model: scriptedModel([
        after(100, { calls: [{ name: "look" }], usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 } }),
        after(50, { text: "Done." }),
      ]),
      tools: [taking("look", 30)],
    }));
    await thread.send("Go.").result;
    const trace = await traceOf(thread, now);
    expect(lines(trace)).toEqual([
      "run message 0–180 done",
      "model scripted 0–100 tool_calls",
      "call look 100–130 succeeded",
      "model scripted 130–180 stop",
    ]);
    const tokens = { inputTokens: 7, outputTokens: 3, totalTokens: 10, cachedTokens: 0 };
    expect(trace.totals).toEqual({ runs: 180, model: 150, tools: 30, waits: 0, tokens });
    expect(trace.spans).toMatchObject([
      { mode: "ask", tokens },
      { entry: 1, tokens },
      { callId: "call_1" },
      { entry: 2 },
    ]);
  });

  test("names the turn of each call and wait, also if nothing takes time", async () => {
    const { thread } = threadWith(({ taking }) => ({
      model: scriptedModel([{ calls: [{ name: "look" }, { name: "pay" }] }, { calls: [{ name: "look" }] }, {}]),
      tools: [taking("look", 0), taking("pay", 0, { approval: true })],
    }));
    await thread.send("Go.").result;
    await thread.approveAll().result;
    const { spans } = await thread.trace();
    const turns = spans
      .filter(({ callId }) => callId !== undefined)
      .map(({ callId, type, entry }) => `${callId} ${type} ${entry}`);
    expect(turns.toSorted()).toEqual(["call_1 call 1", "call_2 call 1", "call_2 wait 1", "call_3 call 2"]);
  });

  test("has waits for people between runs, until the decision", async () => {
    const { thread, now, advance } = threadWith(({ after, taking }) => ({
      model: scriptedModel([
        after(100, { calls: ["pay", "look", "pay", "unknown"].map((name) => ({ name })) }),
        after(50, { text: "Done." }),
      ]),
      tools: [taking("pay", 20, { approval: true }), taking("look", 30)],
    }));
    await thread.send("Go.").result;
    advance(1000);
    expect(lines(await traceOf(thread, now))).toEqual([
      "run message 0–130 waiting",
      "model scripted 0–100 tool_calls",
      "wait pay 100– awaiting",
      "wait pay 100– awaiting",
      "call unknown 100–100 failed",
      "call look 100–130 succeeded",
    ]);
    await thread.decide({ call_1: { type: "approve" } }, { by: "ann" }).result;
    advance(500);
    await thread.decide({ call_3: { type: "reject", reason: "Too much." } }).result;
    const trace = await traceOf(thread, now);
    expect(lines(trace)).toEqual([
      "run message 0–130 waiting",
      "model scripted 0–100 tool_calls",
      "wait pay 100–1130 approve",
      "wait pay 100–1650 reject",
      "call unknown 100–100 failed",
      "call look 100–130 succeeded",
      "run decision 1130–1150 waiting",
      "call pay 1130–1150 succeeded",
      "run decision 1650–1700 done",
      "model scripted 1650–1700 stop",
    ]);
    expect(trace.spans.find(({ id }) => id === "wait_call_1")).toMatchObject({
      callId: "call_1",
      decision: { by: "ann" },
    });
    expect(trace.totals).toMatchObject({ runs: 200, model: 150, tools: 50, waits: 1500 });
  });

  test.each([
    ["expires", "expired", 700, (thread: Thread) => thread.recover().then((run) => run?.result)],
    ["is stopped", "stopped", 300, (thread: Thread) => thread.stop()],
    ["is superseded", "superseded", 300, (thread: Thread) => thread.send("Something else.").result],
  ])("a wait that %s ends with the state of its call", async (_name, status, ms, settle) => {
    const { thread, now, advance } = threadWith(({ taking }) => ({
      model: scriptedModel([{ calls: [{ name: "pay" }] }, { text: "Done." }]),
      approvals: [{ tools: "pay", expiresAfter: 700 }],
      tools: [taking("pay", 20)],
    }));
    await thread.send("Go.").result;
    advance(ms);
    await settle(thread);
    const { spans, totals } = await traceOf(thread, now);
    expect(spans.find(({ type }) => type === "wait")).toMatchObject({ start: 0, end: ms, status });
    expect(totals.waits).toBe(ms);
  });

  test("a run after an expiry is not named after a crash", async () => {
    const { thread, now, advance } = threadWith(({ taking }) => ({
      model: scriptedModel([{ calls: [{ name: "pay" }] }, { text: "Done." }]),
      approvals: [{ tools: "pay", expiresAfter: 700 }],
      tools: [taking("pay", 20)],
    }));
    await thread.send("Go.").result;
    advance(700);
    await thread.recover().then((run) => run?.result);
    const { spans } = await traceOf(thread, now);
    expect(spans.filter(({ type }) => type === "run").map(({ name }) => name)).toEqual(["message", "expiry"]);
  });

  test("has discarded responses, requests of middleware, and marks for repairs", async () => {
    const { thread, now, advance } = threadWith(({ after }) => ({
      model: scriptedModel([
        after(60, { text: "Hel" }),
        { discard: "the connection broke" },
        after(40, { calls: [{ name: "look" }], faults: ["id-never"] }),
        after(30, { text: "Done." }),
      ]),
      middleware: [
        defineMiddleware({
          name: "titles",
          async beforeModel(_request, context) {
            advance(5);
            const model = scriptedModel([after(15, { text: "A title." })], { name: "small" });
            await context.complete({ messages: [] }, { purpose: "title", model });
            context.warn("There is a title.");
            return undefined;
          },
        }),
      ],
    }));
    await thread.send("Go.").result;
    const trace = await traceOf(thread, now);
    expect(lines(trace)).toEqual([
      "run message 0–170 done",
      "model small (title) 5–20 stop",
      "model scripted 20–80 discarded",
      "model scripted 80–120 tool_calls",
      "call look 120–120 failed",
      "model small (title) 125–140 stop",
      "model scripted 140–170 stop",
    ]);
    expect(trace.spans[2]).toMatchObject({ discarded: true, error: "the connection broke" });
    expect(trace.marks).toMatchObject([
      { at: 20, type: "warning", message: "There is a title." }, // saved with the response, at 120
      { at: 120, type: "repair", rule: "id-missing", source: "response" },
      { at: 120, type: "warning" },
      { at: 140, type: "warning" },
    ]);
    expect(trace.totals).toMatchObject({ runs: 170, model: 160, tools: 0 }); // the hook takes the rest
  });

  test("of a run that lasts has no end yet", async () => {
    const never = new Promise<never>(() => undefined);
    const { thread, now, advance } = threadWith(({ after }) => ({
      model: scriptedModel([after(10, { calls: [{ name: "slow" }] })]),
      tools: [tool({ name: "slow", description: "Slow.", execute: () => never })],
    }));
    const run = thread.send("Go.");
    await until(async () => (await thread.trace()).spans.length === 3);
    advance(25);
    const trace = await traceOf(thread, now);
    expect(lines(trace)).toEqual(["run message 0– running", "model scripted 0–10 tool_calls", "call slow 10– running"]);
    expect(trace.totals).toMatchObject({ runs: 35, model: 10, tools: 25 });
    await run.stop();
    expect(lines(await traceOf(thread, now))).toEqual([
      "run message 0–35 stopped",
      "model scripted 0–10 tool_calls",
      "call slow 10–35 stopped",
    ]);
  });

  test("of a response that lasts has no end yet, and if it is stopped, it was discarded", async () => {
    const { thread, now, advance } = threadWith(() => ({
      model: scriptedModel([() => new Promise<never>(() => undefined)]),
    }));
    const run = thread.send("Go.");
    await until(async () => (await thread.trace()).spans.length === 2);
    advance(25);
    expect(lines(await traceOf(thread, now))).toEqual(["run message 0– running", "model scripted 0– running"]);
    await run.stop();
    const trace = await traceOf(thread, now);
    expect(lines(trace)).toEqual(["run message 0–25 stopped", "model scripted 0–25 stopped"]);
    expect(trace.spans[1]).toMatchObject({ discarded: true });
  });

  test("of a failed run has its error", async () => {
    const { thread, now } = threadWith(({ after }) => ({
      model: scriptedModel([after(10, { error: { status: 400, message: "No." } })]),
    }));
    await thread.send("Go.").result;
    const trace = await traceOf(thread, now);
    expect(lines(trace)).toEqual(["run message 0–10 failed", "model scripted 0–10 discarded"]);
    expect(trace.spans[0]).toMatchObject({ code: expect.any(String) as string, error: expect.any(String) as string });
  });

  test("of a crashed run ends with the last event before the recovery", async () => {
    const { now, advance, after } = clock();
    const store = memoryStore();
    const started = Promise.withResolvers<void>();
    const options = (isFirst: boolean) => ({
      model: playModel({
        Go: [after(10, { calls: [{ name: "once" }, { name: "again" }] }), after(20, { text: "Done." })],
      }),
      tools: ["once", "again"].map((name) =>
        tool({
          name,
          description: "",
          idempotent: name === "again",
          execute() {
            if (name === "again") started.resolve();
            return isFirst ? new Promise(() => undefined) : advance(5);
          },
        }),
      ),
      store,
      now,
    });
    const first = mortalAgent(options(true));
    void first.agent.thread("t").send("Go");
    await started.promise;
    first.die();
    advance(60_000);
    const { agent } = mortalAgent(options(false));
    await (
      await agent.thread("t").recover()
    )?.result;
    expect(lines(await traceOf(agent.thread("t"), now))).toEqual([
      "run message 0–10 crashed",
      "model play 0–10 tool_calls",
      "call once 10–10 lost",
      "call again 10–10 lost",
      "run recovery 60010–60035 done",
      "call again 60010–60015 succeeded",
      "model play 60015–60035 stop",
    ]);
  });
});

describe("the trace of child threads", () => {
  const nested = (time: Time) => {
    const { after, taking, now } = time;
    const model = playModel({
      go: [after(10, delegating(["plan", "planner"])), after(10, { text: "All done." })],
      plan: [after(20, delegating("search")), after(20, { text: "Planned." })],
      search: [after(40, { calls: [{ name: "pay" }] }), after(40, { text: "Found." })],
    });
    const store = memoryStore();
    const shared = { model, store, now };
    const inner = createAgent({
      ...shared,
      name: "inner",
      tools: [taking("pay", 5, { approval: true })],
      middleware: [subagents()],
    });
    const planner = { name: "planner", description: "Plans.", agent: inner };
    return createAgent({ ...shared, middleware: [subagents({ agents: [planner] })] });
  };

  test("is under the calls that run them, three levels deep, and their waits are waits of the thread", async () => {
    const time = clock();
    const thread = nested(time).thread("t");
    await thread.send("go").result;
    time.advance(1000);
    expect(lines(await traceOf(thread, time.now))).toEqual([
      "run message 0–70 waiting",
      "model play 0–10 tool_calls",
      "call task 10–70 delegated",
      "call_1: run message 10–70 waiting",
      "call_1: model play 10–30 tool_calls",
      "call_1: call task 30–70 delegated",
      "call_1/call_1: run message 30–70 waiting",
      "call_1/call_1: model play 30–70 tool_calls",
      "call_1/call_1: wait pay 70– awaiting",
    ]);
    await thread.approveAll().result;
    const trace = await traceOf(thread, time.now);
    expect(lines(trace).slice(8)).toEqual([
      "call_1/call_1: wait pay 70–1070 approve",
      "run decision 1070–1145 done",
      "call task 1070–1135 succeeded",
      "call_1: run decision 1070–1135 done",
      "call_1: call task 1070–1115 succeeded",
      "call_1/call_1: run decision 1070–1115 done",
      "call_1/call_1: call pay 1070–1075 succeeded",
      "call_1/call_1: model play 1075–1115 stop",
      "call_1: model play 1115–1135 stop",
      "model play 1135–1145 stop",
    ]);
    expect(trace.totals).toMatchObject({ runs: 145, model: 20, tools: 125, waits: 1000 });
    const parents = trace.spans.filter(({ type }) => type === "run").map(({ parent }) => parent);
    expect(parents).toEqual([undefined, "call_1", "call_1/call_1", undefined, "call_1~2", "call_1/call_1~2"]);
    const agents = trace.spans.filter(({ type }) => type === "run").map(({ agent }) => agent);
    expect(agents).toEqual([undefined, "inner", "inner/general-purpose", undefined, "inner", "inner/general-purpose"]);
  });

  test("of a fork contains no child threads: they belong to the original", async () => {
    const time = clock();
    const thread = nested(time).thread("t");
    await thread.send("go").result;
    await thread.approveAll().result;
    const fork = await thread.fork();
    expect(await traceOf(fork, time.now)).toMatchObject({ spans: [], marks: [], totals: { waits: 0 } });
    expect((await fork.calls()).map(({ status, thread: child }) => [status, child])).toEqual([
      ["succeeded", undefined],
    ]);
  });

  test.each(["another thread", "copy"])("of an import contains no thread that its calls name: %j", async (named) => {
    const time = clock();
    const agent = nested(time);
    await agent.thread("another thread").send("go").result;
    await agent.thread("another thread").approveAll().result;
    const exported = await agent.thread("another thread").export();
    const entries = exported.entries.map(({ entry, calls }) => ({
      entry,
      calls: calls.map((call) => ({ ...(call as object), child: { thread: named } })),
    }));
    await agent.thread("copy").import({ ...exported, entries });
    expect(await traceOf(agent.thread("copy"), time.now)).toMatchObject({ spans: [], marks: [] });
  });

  test("of a thread that was stored with the name of another thread does not contain that thread", async () => {
    const time = clock();
    const agent = nested(time);
    await agent.thread("t").send("go").result;
    const { store } = agent;
    const head = await store.load("t");
    const [stored] = await store.calls("t");
    const call = { ...stored, value: { ...(stored?.value as object), child: { thread: "t/call_1/call_1" } } };
    await store.commit({
      thread: "t",
      version: head?.version ?? 0,
      at: 1,
      head: head as Head,
      entries: [],
      calls: [call as StoredCall],
      events: [],
    });
    const paths = (await agent.thread("t").trace()).spans.map(({ path }) => path);
    expect(new Set(paths)).toEqual(new Set([undefined]));
  });

  test("of a crashed run lasts as long as its child thread was seen", async () => {
    const { now, advance, after } = clock();
    const store = memoryStore();
    const started = Promise.withResolvers<void>();
    const options = (isFirst: boolean) => ({
      model: playModel({
        go: [after(10, delegating("search")), after(10, { text: "All done." })],
        search: [after(40, { calls: [{ name: "slow" }] }), after(40, { text: "Found." })],
      }),
      tools: [
        tool({
          name: "slow",
          description: "",
          idempotent: true,
          execute() {
            started.resolve();
            return isFirst ? new Promise(() => undefined) : advance(5);
          },
        }),
      ],
      middleware: [subagents()],
      store,
      now,
    });
    const first = mortalAgent(options(true));
    void first.agent.thread("t").send("go");
    await started.promise;
    first.die();
    advance(1000);
    const { agent } = mortalAgent(options(false));
    await (
      await agent.thread("t").recover()
    )?.result;
    expect(lines(await traceOf(agent.thread("t"), now))).toEqual([
      "run message 0–50 crashed",
      "model play 0–10 tool_calls",
      "call task 10–50 lost",
      "call_1: run message 10–50 crashed",
      "call_1: model play 10–50 tool_calls",
      "call_1: call slow 50–50 lost",
      "run recovery 1050–1105 done",
      "call task 1050–1095 succeeded",
      "call_1: run recovery 1050–1095 done",
      "call_1: call slow 1050–1055 succeeded",
      "call_1: model play 1055–1095 stop",
      "model play 1095–1105 stop",
    ]);
  });
});
