import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";

import { createAgent, defineMiddleware, tool } from "#engine";
import type { Agent, LedgerCall } from "#engine";
import { subagents } from "#middleware";
import { memoryStore } from "#store";

import { mortalAgent } from "./processes.ts";
import { delegating, never, playModel, textOf } from "./stage.ts";
import type { Plays } from "./stage.ts";
import { approve, ids, plays, stage, statesOf } from "./waiting-stage.ts";

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
      error: expect.stringContaining("t/call_1") as string,
    });
    await agent.thread("t").stop();
    expect(ids(await mine.pending())).toEqual(["call_1"]);
    expect(log).toEqual([]);
  });

  describe("that was replaced by a thread of the application", () => {
    const given = {
      ...plays,
      go: [delegating("drop it"), { text: "All done." }],
      mine: [{ calls: [{ name: "drop_db" }] }],
    };
    /** Purges the child thread of `call_1`, and takes its id for a thread that waits for a decision, too. */
    const replace = async (agent: Agent) => {
      await agent.delete("t/call_1", { purge: true });
      await pause(2); // threads with one id and version are told apart by the millisecond in which they were created
      const mine = agent.thread("t/call_1");
      expect((await mine.send("mine").result).status).toBe("waiting");
      return mine;
    };

    test("gets no decisions: its call fails", async () => {
      const { agent, log } = stage({}, given);
      const thread = agent.thread("t");
      await thread.send("go").result;
      const mine = await replace(agent);
      await expect(thread.entries({ path: ["call_1"] })).rejects.toMatchObject({ code: "options/value" });
      expect(await thread.decide({ "call_1/call_1": approve }).result).toMatchObject({ status: "done" });
      expect([log, ids(await mine.pending())]).toEqual([[], ["call_1"]]);
      expect((await thread.calls()).map(({ status }) => status)).toEqual(["failed"]);
    });

    test("gets no decisions that a dead process has saved", async () => {
      const store = memoryStore();
      const { options, log } = stage({ store }, given);
      const first = mortalAgent({
        ...options,
        store,
        diesAt: ({ calls }) =>
          calls.some(({ value }) => (value as LedgerCall).child?.decisions !== undefined) ? "after" : undefined,
      });
      await first.agent.thread("t").send("go").result;
      void first.agent.thread("t").decide({ "call_1/call_1": approve });
      await expect.poll(() => statesOf(store, "t")).toEqual(["approved"]);
      const { agent } = mortalAgent({ ...options, store });
      const mine = await replace(agent);
      for (const run of await agent.recover()) await run.result;
      expect([log, ids(await mine.pending())]).toEqual([[], ["call_1"]]);
      expect((await agent.thread("t").calls()).map(({ status }) => status)).toEqual(["failed"]);
    });
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
    expect((await thread.calls())[0]).toMatchObject({
      status: "failed",
      error: expect.stringContaining("store") as string,
    });
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
