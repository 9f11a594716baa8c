import { describe, expect, test } from "vitest";
import { check } from "#codecs";
import { createAgent, tool } from "#engine";
import type { AgentOptions } from "#engine";
import { subagents } from "#middleware";
import type { Subagent } from "#middleware";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";
import type { ScriptedTurn } from "#testing";
import { agentWith, delegating } from "./stage.ts";
import type { Plays } from "./stage.ts";

const note = (log: string[], name: string, options = {}) =>
  tool({ name, description: name, ...options, execute: () => void log.push(name) });

describe("approvals inside tasks", () => {
  const plays: Plays = {
    go: [delegating("drop it", "read it"), { text: "All done." }],
    "drop it": [{ calls: [{ name: "drop_db" }] }, { text: "Dropped." }],
    "read it": [{ calls: [{ name: "read_mail" }] }, { text: "Read." }],
  };
  const stage = (options: Partial<AgentOptions> = {}) => {
    const log: string[] = [];
    const tools = [note(log, "drop_db"), note(log, "read_mail")];
    return { log, ...agentWith(plays, { tools, approvals: [{ tools: ["drop_db", "read_mail"] }], ...options }) };
  };

  test("S12: each pending call has a path, and a decision about one affects no other", async () => {
    const { agent, log } = stage();
    const thread = agent.thread("t");
    const end = await thread.send("go").result;
    expect(end.status).toBe("waiting");
    expect(end.pending.map(({ id, path, name }) => [id, path, name])).toEqual([
      ["call_1/call_1", "task#call_1 > drop_db", "drop_db"],
      ["call_2/call_1", "task#call_2 > read_mail", "read_mail"],
    ]);
    expect(await thread.pending()).toEqual(end.pending);
    const next = await thread.decide({ "call_2/call_1": { type: "approve" } }).result;
    expect(log).toEqual(["read_mail"]);
    expect(next).toMatchObject({ status: "waiting" });
    expect(next.pending.map(({ id }) => id)).toEqual(["call_1/call_1"]);
    const last = await thread.decide({ "call_1/call_1": { type: "reject", reason: "no" } }).result;
    expect(log).toEqual(["read_mail"]);
    expect(last).toMatchObject({ status: "done", text: "All done." });
  });

  test("a call in a task of another agent is marked, and can only be rejected or responded to", async () => {
    const store = memoryStore();
    const named = (name: string) => stage({ name, store }).agent.thread("t");
    const [own] = (await named("office").send("go").result).pending;
    expect(await named("office").pending()).toContainEqual(own);
    expect(await named("field").pending()).toContainEqual({
      ...own,
      foreign: true,
      decisions: ["reject", "respond"],
      always: [],
    });
    const outcome = await named("field").decide({ "call_1/call_1": { type: "approve" } }).result;
    expect(outcome).toMatchObject({ status: "failed", error: { code: "decision/refused" } });
  });

  test.each([
    ["of an agent with another name", "field", true],
    ["of an agent without the sub-agent", "field", false],
    ["of an agent that has lost the sub-agent", "office", false],
  ])("a call in a task within a task is marked in a thread %s", async (_, name, hasClerk) => {
    const store = memoryStore();
    const task = (to: string) => [{ name: "task", arguments: { description: "Do it.", subagent_type: to } }];
    const agentOf = (who: string, calls: ScriptedTurn["calls"], helpers: readonly Subagent[]) => ({
      name: who,
      instructions: who,
      model: scriptedModel([{ calls: calls ?? [] }, { text: "Done." }], { loop: true }),
      tools: [note([], "drop_db", { approval: true })],
      middleware: helpers.length === 0 ? [] : [subagents({ agents: helpers, generalPurpose: false })],
    });
    const helper = (who: string, calls: ScriptedTurn["calls"], helpers: readonly Subagent[]): Subagent => ({
      ...agentOf(who, calls, helpers),
      description: who,
    });
    const clerk = helper("clerk", task("deep"), [helper("deep", [{ name: "drop_db" }], [])]);
    const thread = (agent: string, helpers: readonly Subagent[]) =>
      createAgent({ ...agentOf(agent, task("clerk"), helpers), store }).thread("t");
    const [own] = (await thread("office", [clerk]).send("go").result).pending;
    expect(own).toMatchObject({ id: "call_1/call_1/call_1", agent: "office/clerk/deep" });
    expect(await thread("office", [clerk]).pending()).toEqual([own]);
    const refusing = { foreign: true, decisions: ["reject", "respond"], always: [] };
    expect(await thread(name, hasClerk ? [clerk] : []).pending()).toEqual([{ ...own, ...refusing }]);
  });

  test("a decided call is not pending while its decision is on the way to the task", async () => {
    const { agent } = stage();
    const thread = agent.thread("t");
    await thread.send("go").result;
    const seen = new Set<string>();
    for await (const _ of thread.decide({ "call_1/call_1": { type: "approve" } }))
      for (const { id } of await thread.pending()) seen.add(id);
    expect([...seen]).toEqual(["call_2/call_1"]);
  });

  test("S14: edits and responses in a child are checked with the tools of its agent", async () => {
    const given: unknown[] = [];
    const pay = tool({
      name: "pay",
      description: "",
      input: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
      execute: (args) => void given.push(args),
    });
    const { agent } = agentWith(
      {
        go: [delegating("pay"), { text: "Done." }],
        pay: [
          {
            calls: [
              { name: "pay", arguments: { amount: 1 } },
              { name: "pay", arguments: { amount: 2 } },
            ],
          },
          { text: "Paid." },
        ],
      },
      { middleware: [subagents({ agents: [], generalPurpose: { tools: [pay], approvals: [{ tools: "pay" }] } })] },
    );
    const thread = agent.thread("t");
    const { pending } = await thread.send("go").result;
    expect(pending).toHaveLength(2);
    const bad = await thread.decide({ "call_1/call_1": { type: "edit", arguments: { amount: "much" } } }).result;
    expect(bad).toMatchObject({ status: "failed", error: { code: "decision/refused" } });
    expect(String(bad.error?.message)).toContain("call_1/call_1");
    expect((await thread.pending()).map(({ id }) => id)).toEqual(["call_1/call_1", "call_1/call_2"]);
    const end = await thread.decide({
      "call_1/call_1": { type: "edit", arguments: { amount: 5 } },
      "call_1/call_2": { type: "respond", result: "paid by hand" },
    }).result;
    expect(end).toMatchObject({ status: "done" });
    expect(given).toEqual([{ amount: 5 }]);
  });

  test("S15: a message supersedes the child and its pending calls, and both histories are healthy", async () => {
    const { agent, log } = stage();
    const thread = agent.thread("t");
    await thread.send("go").result;
    const end = await thread.send("Stop that.").result;
    expect(end).toMatchObject({ status: "done", text: "All done." });
    expect(log).toEqual([]);
    expect((await thread.calls()).map(({ status }) => status)).toEqual(["stopped", "stopped"]);
    expect(await thread.pending()).toEqual([]);
    await expect
      .poll(async () => (await agent.store.calls("t/call_1")).map(({ value }) => (value as { state: string }).state))
      .toEqual(["superseded"]);
    for (const format of ["openai-chat", "anthropic", "gemini"] as const)
      expect(check(await thread.history(format), { format })).toEqual([]);
  });

  test("an unknown id, a decided id and an id of a settled child are refused with a reason", async () => {
    const { agent } = stage();
    const thread = agent.thread("t");
    await thread.send("go").result;
    for (const id of ["call_9/call_1", "call_1/call_9", "call_1", "call_1/call_1/call_1"]) {
      const end = await thread.decide({ [id]: { type: "approve" } }).result;
      expect({ id, code: end.error?.code }).toEqual({ id, code: "decision/refused" });
    }
    expect((await thread.approveAll().result).status).toBe("done");
    expect((await thread.decide({ "call_1/call_1": { type: "approve" } }).result).error?.code).toBe("decision/refused");
  });

  test("approvals in a child expire while its parent waits, and the task continues", async () => {
    let now = 1000;
    const { agent, log } = stage({
      approvals: [{ tools: ["drop_db", "read_mail"], expiresAfter: 50 }],
      now: () => now,
    });
    const thread = agent.thread("t");
    expect((await thread.send("go").result).status).toBe("waiting");
    expect((await agent.store.load("t"))?.deadline).toBe(1050);
    now = 2000;
    const run = await thread.recover();
    expect(await run?.result).toMatchObject({ status: "done", text: "All done." });
    expect(log).toEqual([]);
  });

  test("a pending call of a running child can be decided at once", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const log: string[] = [];
    const slow = tool({ name: "slow", description: "", execute: () => promise });
    const { agent } = agentWith(
      {
        go: [delegating("both"), { text: "Done." }],
        both: [{ calls: [{ name: "gated" }, { name: "slow" }] }, { text: "Both." }],
      },
      { tools: [note(log, "gated"), slow], approvals: [{ tools: "gated" }] },
    );
    const thread = agent.thread("t");
    const run = thread.send("go");
    await expect.poll(async () => (await thread.pending()).map(({ id }) => id)).toEqual(["call_1/call_1"]);
    void thread.decide({ "call_1/call_1": { type: "approve" } });
    await expect.poll(() => log).toEqual(["gated"]);
    resolve();
    expect(await run.result).toMatchObject({ status: "done", text: "Done." });
  });
});
