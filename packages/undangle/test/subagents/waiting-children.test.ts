import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";

import { check, formats } from "#codecs";
import { defineMiddleware, image } from "#engine";
import type { LedgerCall, Middleware } from "#engine";
import { subagents } from "#middleware";
import { memoryStore } from "#store";

import { sqliteStore } from "../../src/store/sqlite.ts";
import { mortalAgent } from "./processes.ts";
import { delegating, never, resultsIn, textOf } from "./stage.ts";
import type { Plays, playModel } from "./stage.ts";
import { approve, ids, note, plays, stage, statesOf } from "./waiting-stage.ts";

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

describe("an allowance of a child thread", () => {
  const given: Plays = {
    go: [delegating("all"), { text: "Done." }],
    all: [
      { calls: [{ name: "drop_db" }] },
      { calls: [{ name: "drop_db" }, { name: "read_mail" }] },
      { calls: [{ name: "drop_db" }] },
      { text: "Dropped." },
    ],
  };

  test("is listed while the child is open, and revoked by the parent", async () => {
    const { agent, log } = stage({ name: "main" }, given);
    const thread = agent.thread("t");
    await thread.send("go").result;
    const { pending } = await thread.decide({ "call_1/call_1": { ...approve, always: true } }).result;
    expect([log, ids(pending)]).toEqual([["drop_db", "drop_db"], ["call_1/call_3"]]);
    const [allowance, ...others] = await thread.allowed();
    expect([allowance, others]).toMatchObject([{ tool: "drop_db", scope: "thread", threadId: "t/call_1" }, []]);
    await thread.revoke(allowance?.id ?? "", { by: "Ana" });
    expect(await thread.allowed()).toEqual([]);
    const end = await thread.decide({ "call_1/call_3": approve }).result;
    expect(ids(end.pending)).toEqual(["call_1/call_4"]);
    await expect(thread.revoke(allowance?.id ?? "")).rejects.toMatchObject({ code: "allowance/unknown" });
  });

  test("is gone with the child", async () => {
    const { agent } = stage({ name: "main" }, given);
    const thread = agent.thread("t");
    await thread.send("go").result;
    await thread.decide({ "call_1/call_1": { ...approve, always: true } }).result;
    expect(await thread.decide({ "call_1/call_3": approve }).result).toMatchObject({ status: "done" });
    expect(await thread.allowed()).toEqual([]);
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
    expect(await statesOf(agent.store, "t/call_1")).toEqual(["stopped"]);
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
