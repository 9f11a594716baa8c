import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";

import { check, formats } from "#codecs";
import { createAgent, defineMiddleware, image, tool } from "#engine";
import type { Agent, AgentOptions, LedgerCall, Middleware } from "#engine";
import { subagents } from "#middleware";
import { memoryStore } from "#store";
import type { Store } from "#store";

import { sqliteStore } from "../../src/store/sqlite.ts";
import { mortalAgent } from "./processes.ts";
import { delegating, playModel, resultsIn, textOf } from "./stage.ts";
import type { Plays } from "./stage.ts";

const note = (log: string[], name: string, options = {}) =>
  tool({ name, description: name, ...options, execute: () => void log.push(name) });

/** A task whose agent calls a gated tool, and then has more to do. */
const plays: Plays = {
  go: [delegating("drop it", "read it"), { text: "All done." }, { text: "And that." }],
  "drop it": [{ calls: [{ name: "drop_db" }] }, { calls: [{ name: "look" }] }, { text: "Dropped." }],
  "read it": [{ calls: [{ name: "read_mail" }] }, { text: "Read." }],
};

interface Stage {
  readonly agent: Agent;
  readonly log: string[];
  readonly options: AgentOptions;
}

function stage(options: Partial<AgentOptions> = {}, given = plays): Stage {
  const log: string[] = [];
  const tools = [note(log, "drop_db"), note(log, "read_mail"), note(log, "look")];
  const all: AgentOptions = {
    model: playModel(given),
    tools,
    approvals: [{ tools: ["drop_db", "read_mail"], optional: true }],
    middleware: [subagents()],
    ...options,
  };
  return { agent: createAgent(all), log, options: all };
}

const statesOf = async (store: Store, id: string): Promise<readonly string[]> =>
  (await store.calls(id)).map(({ value }) => (value as LedgerCall).state);

const approve = { type: "approve" } as const;
const ids = (calls: readonly { readonly id: string }[]): readonly string[] => calls.map(({ id }) => id);

describe("decisions for a child thread", () => {
  test("reach a child that has begun to wait before its call does, even if a hook catches every error", async () => {
    const waiting = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    let isFirst = true;
    const slowHook: Middleware = defineMiddleware({
      name: "slow-hook",
      wrapToolCall: (next) => async (run) => {
        try {
          return await next(run);
        } catch {
          if (isFirst) {
            isFirst = false;
            waiting.resolve();
            await released.promise; // its call still runs while the child waits
          }
          return "caught";
        }
      },
    });
    const { agent, log } = stage(
      { middleware: [subagents(), slowHook] },
      { ...plays, go: [delegating("drop it"), { text: "All done." }] },
    );
    const thread = agent.thread("t");
    const run = thread.send("go");
    await waiting.promise;
    const decided = thread.decide({ "call_1/call_1": approve });
    await expect.poll(async () => ids(await thread.pending())).toEqual([]);
    released.resolve();
    expect(await run.result).toMatchObject({ status: "done", text: "All done." });
    expect(await decided.result).toMatchObject({ status: "done" });
    expect(log).toEqual(["drop_db", "look"]);
  });

  test("are given once: a second decision is refused before the child has the first", async () => {
    const { agent, log } = stage();
    const thread = agent.thread("t");
    await thread.send("go").result;
    const [one, other] = await Promise.all([
      thread.decide({ "call_1/call_1": { type: "reject", reason: "no" } }).result,
      thread.decide({ "call_1/call_1": approve }).result,
    ]);
    expect(one).toMatchObject({ status: "waiting" });
    expect(other).toMatchObject({ status: "failed", error: { code: "decision/refused" } });
    expect(ids(await thread.pending())).toEqual(["call_2/call_1"]);
    expect(log).toEqual(["look"]);
  });

  test("have an author and a digest, which the child checks", async () => {
    const { agent, log } = stage();
    const thread = agent.thread("t");
    const { pending } = await thread.send("go").result;
    const stale = await thread.decide({ "call_1/call_1": { ...approve, digest: "of another call" } }).result;
    expect(stale.error).toMatchObject({ code: "decision/refused" });
    const { digest } = pending[0] ?? never();
    await thread.decide({ "call_1/call_1": { ...approve, digest } }, { by: "Ana" }).result;
    expect(log).toEqual(["drop_db", "look"]);
    expect((await agent.thread("t/call_1").calls())[0]).toMatchObject({ decision: { type: "approve", by: "Ana" } });
  });

  test("may come with a message for the parent", async () => {
    const { agent } = stage();
    const thread = agent.thread("t");
    await thread.send("go").result;
    const end = await thread.decide({ "call_1/call_1": approve, "call_2/call_1": approve }, { input: "Hurry." }).result;
    expect(end).toMatchObject({ status: "done", text: "All done." });
    const texts = (await thread.history("openai-chat")).map(({ role }) => role);
    expect(texts).toEqual(["user", "assistant", "tool", "tool", "user", "assistant"]);
  });

  test("survive the process that saved them, with results that are not JSON", async () => {
    const store = sqliteStore(":memory:");
    const { options } = stage();
    const first = mortalAgent({
      ...options,
      store,
      diesAt: ({ thread, calls }) =>
        thread === "t" && calls.some(({ value }) => (value as LedgerCall).child?.decisions !== undefined)
          ? "after"
          : undefined,
    });
    await first.agent.thread("t").send("go").result;
    const picture = image(new Uint8Array([1, 2, 3]), "image/png");
    void first.agent.thread("t").decide({ "call_1/call_1": { type: "respond", result: picture } }, { by: "Ana" });
    await pause(50);
    const { agent } = mortalAgent({ ...options, store });
    expect(ids(await agent.thread("t").pending())).toEqual(["call_2/call_1"]);
    const [run] = await agent.recover();
    expect(await run?.result).toMatchObject({ status: "waiting" });
    const [call] = await agent.thread("t/call_1").calls();
    expect(call).toMatchObject({ status: "responded", decision: { by: "Ana" }, result: [{ mediaType: "image/png" }] });
  });

  test("of two processes at once apply once", async () => {
    const store = memoryStore();
    const log: string[] = [];
    const tools = [note(log, "drop_db"), note(log, "read_mail"), note(log, "look")];
    const one = stage({ store, tools }).agent;
    const other = stage({ store, tools }).agent;
    await one.thread("t").send("go").result;
    const ends = await Promise.all(
      [one, other].map((agent) => agent.thread("t").decide({ "call_1/call_1": approve }).result),
    );
    expect(ends.map(({ status }) => status).sort()).toEqual(["failed", "waiting"]);
    expect(["thread/owned", "decision/refused"]).toContain(ends.find(({ error }) => error !== undefined)?.error?.code);
    expect(log).toEqual(["drop_db", "look"]);
  });

  test("always allow calls in the child, or in all children of the agent, which the parent can revoke", async () => {
    const given: Plays = {
      go: [delegating("twice"), { text: "One." }],
      again: [delegating("once"), { text: "Two." }],
      "and again": [delegating("once"), { text: "Three." }],
      twice: [{ calls: [{ name: "drop_db" }] }, { calls: [{ name: "drop_db" }] }, { text: "Twice." }],
      once: [{ calls: [{ name: "drop_db" }] }, { text: "Once." }],
    };
    const { agent, log } = stage({ name: "main" }, given);
    const thread = agent.thread("t");
    await thread.send("go").result;
    const end = await thread.decide({ "call_1/call_1": { ...approve, always: true } }).result;
    expect(end).toMatchObject({ status: "done", text: "One." });
    expect(log).toEqual(["drop_db", "drop_db"]);
    const next = agent.thread("u");
    expect((await next.send("again").result).status).toBe("waiting");
    await next.decide({ "call_1/call_1": { ...approve, always: { scope: "agent" } } }).result;
    expect(await agent.thread("v").send("again").result).toMatchObject({ status: "done" });
    const [allowance] = await agent.allowed();
    expect(allowance).toMatchObject({ tool: "drop_db", threadId: "u/call_1" });
    await agent.revoke(allowance?.id ?? "");
    expect(await agent.allowed()).toEqual([]);
    expect(await agent.thread("w").send("and again").result).toMatchObject({ status: "waiting" });
  });
});

describe("a child thread that waits", () => {
  test("is settled when its parent is stopped, before stop() resolves", async () => {
    const { agent } = stage();
    const thread = agent.thread("t");
    await thread.send("go").result;
    await thread.stop();
    expect(await statesOf(agent.store, "t")).toEqual(["stopped", "stopped"]);
    expect(await statesOf(agent.store, "t/call_1")).toEqual(["stopped"]);
    expect(await statesOf(agent.store, "t/call_2")).toEqual(["stopped"]);
  });

  test("is settled when its parent regenerates, and before close() resolves", async () => {
    const { agent } = stage();
    const thread = agent.thread("t");
    await thread.send("go").result;
    expect(await thread.regenerate().result).toMatchObject({ status: "done", text: "All done." });
    await agent.close();
    expect(await statesOf(agent.store, "t/call_1")).toEqual(["superseded"]);
  });

  test("keeps waiting while a message is queued, which the model reads after the results", async () => {
    const { agent, options } = stage();
    const thread = agent.thread("t");
    await thread.send("go").result;
    expect(await thread.send("Later.", { onInput: "queue" }).result).toMatchObject({ status: "waiting" });
    expect(ids(await thread.pending())).toEqual(["call_1/call_1", "call_2/call_1"]);
    expect(await thread.approveAll().result).toMatchObject({ status: "done" });
    const { requests } = options.model as ReturnType<typeof playModel>;
    const last = requests.at(-1) ?? never();
    expect(resultsIn(last)).toEqual(["Dropped.", "Read."]);
    expect(textOf(last.messages.at(-1))).toBe("Later.");
    expect((await thread.send("Now.", { onInput: "refuse" }).result).status).toBe("done");
  });

  test("does not use up the time of its parent's run", async () => {
    const { agent } = stage({ limits: { time: 150 } });
    const thread = agent.thread("t");
    await thread.send("go").result;
    await pause(200);
    expect(await thread.approveAll().result).toMatchObject({ status: "done" });
  });

  test("does not lose tokens, and a limit that it reaches later stops it with its parent", async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 };
    const given: Plays = {
      go: [
        { ...delegating("drop it"), usage },
        { text: "All done.", usage },
      ],
      "drop it": [
        { calls: [{ name: "drop_db" }], usage },
        { calls: [{ name: "look" }], usage },
        { calls: [{ name: "look" }], usage },
        { text: "Dropped.", usage },
      ],
    };
    const free = stage({}, given).agent.thread("t");
    expect((await free.send("go").result).usage.totalTokens).toBe(22);
    expect(await free.approveAll().result).toMatchObject({
      usage: { totalTokens: 44 },
      threadUsage: { totalTokens: 66 },
    });
    const { agent } = stage({ limits: { tokens: 23 } }, given);
    const thread = agent.thread("t");
    await thread.send("go").result;
    expect(await thread.approveAll().result).toMatchObject({ status: "stopped", error: { code: "run/limit" } });
    expect(await thread.pending()).toEqual([]);
    expect((await agent.store.load("t/call_1"))?.status).toBe("idle");
  });

  test("is deleted and restored with its parent, and leaves nothing behind", async () => {
    const { agent } = stage();
    const thread = agent.thread("t");
    await thread.send("go").result;
    expect(await agent.delete("t")).toBe(true);
    expect((await agent.store.load("t/call_1"))?.deletedAt).toBeDefined();
    expect(await agent.restore("t")).toBe(true);
    expect(await thread.approveAll().result).toMatchObject({ status: "done" });
    expect(await agent.delete("t", { purge: true })).toBe(true);
    expect(await agent.store.load("t/call_1")).toBeUndefined();
    expect(await agent.thread("t").send("go").result).toMatchObject({ status: "waiting" });
  });

  test("expires three levels down, and every level continues", async () => {
    let now = 1000;
    const given: Plays = {
      go: [delegating("one"), { text: "All done." }],
      one: [delegating("two"), { text: "One done." }],
      two: [{ calls: [{ name: "drop_db" }] }, { text: "Two done." }],
    };
    const { agent, log } = stage(
      {
        approvals: [{ tools: "drop_db", expiresAfter: 50 }],
        middleware: [subagents({ defaults: [subagents()] })],
        now: () => now,
      },
      given,
    );
    const thread = agent.thread("t");
    const { pending } = await thread.send("go").result;
    expect(pending).toMatchObject([{ id: "call_1/call_1/call_1", deadline: 1050 }]);
    expect(pending[0]?.path).toBe("task#call_1 > task#call_1 > drop_db");
    now = 2000;
    const late = await thread.approveAll().result;
    expect(late.error?.code).toBe("decision/none");
    expect(await (await thread.recover())?.result).toMatchObject({ status: "done", text: "All done." });
    expect(log).toEqual([]);
    expect(await statesOf(agent.store, "t/call_1/call_1")).toEqual(["expired"]);
  });

  test("can be decided after its agent is gone: the task fails, and the run continues", async () => {
    const store = memoryStore();
    const spec = { name: "old", description: "d", instructions: "i" };
    const given = { ...plays, go: [delegating(["drop it", "old"]), { text: "All done." }] };
    await stage({ store, middleware: [subagents({ agents: [spec] })] }, given)
      .agent.thread("t")
      .send("go").result;
    for (const middleware of [[subagents()], []]) {
      const { agent, log } = stage({ store, middleware }, given);
      const copy = agent.thread("t");
      expect(ids(await copy.pending())).toEqual(["call_1/call_1"]);
      expect((await copy.decide({ "call_1/call_9": approve }).result).error?.code).toBe("decision/refused");
      if (middleware.length > 0) continue;
      expect(await copy.decide({ "call_1/call_1": approve }).result).toMatchObject({ status: "done" });
      expect(log).toEqual([]);
      expect((await copy.calls()).map(({ status }) => status)).toEqual(["failed"]);
    }
  });

  test("is not copied by fork() and export(): the copy knows that the outcome is unknown", async () => {
    const { agent, log } = stage();
    const thread = agent.thread("t");
    await thread.send("go").result;
    const fork = await thread.fork(undefined, { id: "f" });
    await agent.thread("i").import(await thread.export());
    for (const copy of [fork, agent.thread("i")]) {
      expect(await copy.pending()).toEqual([]);
      expect((await copy.calls()).map(({ status }) => status)).toEqual(["lost", "lost"]);
      for (const format of formats) expect(check(await copy.history(format), { format })).toEqual([]);
      expect((await copy.decide({ "call_1/call_1": approve }).result).error?.code).toBe("decision/refused");
    }
    expect(await thread.approveAll().result).toMatchObject({ status: "done" });
    expect(log).toHaveLength(3);
  });
});

describe("a child thread", () => {
  test("whose last turn was saved without the end of its run has ended", async () => {
    const store = memoryStore();
    const reached = Promise.withResolvers<void>();
    const hook = (isSlow: boolean) =>
      defineMiddleware({
        name: "hook",
        async afterAgent() {
          reached.resolve();
          if (isSlow) await new Promise(() => undefined);
        },
      });
    const processWith = (isSlow: boolean) => {
      const model = playModel({ go: [{ calls: [{ name: "ask" }] }, { text: "All done." }], hi: [{ text: "Hi." }] });
      const made: { inner?: Agent } = {};
      const ask = tool({
        name: "ask",
        description: "",
        agent: () => made.inner,
        execute: async (_args, context) => JSON.stringify(await context.runChild("hi")),
      });
      const mortal = mortalAgent({ model, store, tools: [ask] });
      const inner = createAgent({ model, store: mortal.agent.store, middleware: [hook(isSlow)] });
      made.inner = inner;
      return { ...mortal, inner };
    };
    const first = processWith(true);
    void first.agent.thread("t").send("go");
    await reached.promise;
    await first.inner.thread("t/call_1").describe({ title: "Saves the turn" });
    first.die();
    const { agent } = processWith(false);
    const [run] = await agent.recover();
    expect(await run?.result).toMatchObject({ status: "done", text: "All done." });
    expect((await agent.thread("t").calls())[0]?.result).toBe(JSON.stringify({ status: "done", text: "Hi." }));
  });

  test("is stopped if a message supersedes its call after a crash", async () => {
    const store = memoryStore();
    const never = tool({ name: "look", description: "", execute: () => new Promise(() => undefined) });
    const { options } = stage({ approvals: [], tools: [never] });
    const given = { ...plays, "drop it": [{ calls: [{ name: "look" }] }], "read it": [{ calls: [{ name: "look" }] }] };
    const first = mortalAgent({ ...options, model: playModel(given), store });
    void first.agent.thread("t").send("go");
    await expect.poll(() => statesOf(store, "t/call_2")).toEqual(["running"]);
    first.die();
    const { agent } = mortalAgent({ ...options, model: playModel(given), store });
    expect(await agent.thread("t").send("Leave it.").result).toMatchObject({ status: "done" });
    await agent.close();
    expect(await statesOf(store, "t/call_1")).toEqual(["lost"]);
    expect((await store.load("t/call_2"))?.status).toBe("idle");
  });

  test("can be read by its id, as it is, and takes no commands", async () => {
    const started = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const slow = tool({
      name: "look",
      description: "",
      execute() {
        started.resolve();
        return ended.promise;
      },
    });
    const given = {
      ...plays,
      go: [delegating("look"), { text: "All done." }],
      look: [{ calls: [{ name: "look" }] }, { text: "Seen." }],
    };
    const { agent } = stage({ tools: [slow] }, given);
    const run = agent.thread("t").send("go");
    await started.promise;
    const child = agent.thread("t/call_1");
    expect((await child.calls()).map(({ status }) => status)).toEqual(["running"]);
    ended.resolve();
    expect(await run.result).toMatchObject({ status: "done" });
    expect((await child.calls()).map(({ status }) => status)).toEqual(["succeeded"]);
    const refused = { status: "failed", error: { code: "thread/child" } };
    expect(await child.send("Hello.").result).toMatchObject(refused);
    expect(await child.regenerate().result).toMatchObject(refused);
    expect(await child.decide({ call_1: approve }).result).toMatchObject(refused);
    await expect(child.stop()).rejects.toMatchObject({ code: "thread/child" });
    await expect(child.recover()).rejects.toMatchObject({ code: "thread/child" });
    const fork = await child.fork();
    expect((await fork.calls()).map(({ status }) => status)).toEqual(["succeeded"]);
  });

  test("does not continue a thread of the application that has its id", async () => {
    const { agent, log } = stage({ model: playModel({ ...plays, mine: [{ calls: [{ name: "drop_db" }] }] }) });
    const mine = agent.thread("t/call_1");
    expect(await mine.send("mine").result).toMatchObject({ status: "waiting" });
    const end = await agent.thread("t").send("go").result;
    expect(ids(end.pending)).toEqual(["call_2/call_1"]);
    expect((await agent.thread("t").calls())[0]).toMatchObject({
      status: "failed",
      error: expect.stringContaining("t/call_1"),
    });
    await agent.thread("t").stop();
    expect(ids(await mine.pending())).toEqual(["call_1"]);
    expect(log).toEqual([]);
  });

  test("has the agent of the call that a hook substitutes", async () => {
    const other = defineMiddleware({
      name: "other",
      wrapToolCall: (next) => (run) =>
        run.tool.name === "task"
          ? next({ ...run, arguments: { description: "read it", subagent_type: "reader" } })
          : next(run),
    });
    const reader = {
      name: "reader",
      description: "d",
      instructions: "Read.",
      output: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const,
    };
    const given: Plays = {
      go: [delegating("drop it"), { text: "All done." }],
      "read it": [{ calls: [{ name: "read_mail" }] }, { calls: [{ name: "final_answer", arguments: { n: 1 } }] }],
    };
    const { agent, log, options } = stage({ middleware: [subagents({ agents: [reader] }), other] }, given);
    const thread = agent.thread("t");
    expect(ids((await thread.send("go").result).pending)).toEqual(["call_1/call_1"]);
    expect(await thread.approveAll().result).toMatchObject({ status: "done" });
    expect((await thread.calls())[0]).toMatchObject({ result: '{"n":1}' });
    const { requests } = options.model as ReturnType<typeof playModel>;
    const ofChild = requests.filter(({ messages }) => textOf(messages[0]) === "read it");
    expect(ofChild.map(({ tools }) => tools.at(-1)?.name)).toEqual(["final_answer", "final_answer"]);
    expect(log).toEqual(["read_mail"]);
  });

  test("is not started again by the retries of its tool", async () => {
    const store = memoryStore();
    const model = playModel({ ...plays, go: [{ calls: [{ name: "ask" }] }, { text: "All done." }], "drop it": [] });
    const inner = createAgent({ model, store });
    const ask = tool({
      name: "ask",
      description: "",
      retries: 3,
      agent: () => inner,
      async execute(_args, context) {
        const { status, error } = await context.runChild("drop it");
        if (status !== "done") throw new Error(error?.message);
        return "ok";
      },
    });
    const agent = createAgent({ model, store, tools: [ask] });
    expect(await agent.thread("t").send("go").result).toMatchObject({ status: "done" });
    expect(model.requests.filter(({ messages }) => textOf(messages[0]) === "drop it")).toHaveLength(1);
  });

  test("must be in the store of its parent", async () => {
    const model = playModel({ go: [{ calls: [{ name: "ask" }] }, { text: "All done." }], hi: [{ text: "Hi." }] });
    const inner = createAgent({ model });
    const ask = tool({
      name: "ask",
      description: "",
      agent: () => inner,
      execute: async (_args, context) => (await context.runChild("hi")).text,
    });
    const agent = createAgent({ model, tools: [ask] });
    const thread = agent.thread("t");
    expect(await thread.send("go").result).toMatchObject({ status: "done" });
    expect((await thread.calls())[0]).toMatchObject({ status: "failed", error: expect.stringContaining("store") });
  });

  test("that runs is stopped by deleting its parent, and writes nothing afterwards", async () => {
    const started = Promise.withResolvers<void>();
    const deaf = tool({
      name: "look",
      description: "",
      async execute() {
        started.resolve();
        await pause(100); // it ignores its signal
        return "late";
      },
    });
    const given = { ...plays, "drop it": [{ calls: [{ name: "look" }] }, { text: "Done." }] };
    const { agent } = stage({ tools: [deaf], model: playModel(given) });
    void agent.thread("t").send("go");
    await started.promise;
    expect(await agent.delete("t", { purge: true })).toBe(true);
    await pause(150);
    await agent.close();
    expect(await agent.store.load("t")).toBeUndefined();
    expect(await agent.store.load("t/call_1")).toBeUndefined();
    expect(await agent.store.list({ parent: "t" })).toEqual([]);
  });

  test("has stored events, which a reader resumes by the id of an event and the path", async () => {
    const { agent } = stage();
    const thread = agent.thread("t");
    await thread.send("go").result;
    await thread.approveAll().result;
    const types = async (after?: string): Promise<readonly (readonly [string, string])[]> => {
      const found: (readonly [string, string])[] = [];
      for await (const { id, type } of thread.events({ path: ["call_1"], ...(after !== undefined && { after }) })) {
        found.push([id, type]);
        if (type === "text_delta") break;
      }
      return found;
    };
    const all = await types();
    expect(all.map(([, type]) => type)).toContain("approval_required");
    const [middle] = all[3] ?? never();
    expect(await types(middle)).toEqual(all.slice(4));
  });
});

function never(): never {
  throw new Error("There is none.");
}
