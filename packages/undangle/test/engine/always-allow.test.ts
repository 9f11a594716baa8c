import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { UndangleError } from "#core";
import type { Always, Decision, Thread } from "#engine";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";
import type { ScriptedTurn } from "#testing";
import { afterAll, describe, expect, test } from "vitest";

import { sqliteStore } from "../../src/store/sqlite.ts";
import { afterDeath } from "./after-death.ts";
import { comesOf, createAllowStage } from "./allow-stage.ts";
import { promised, quiet, soon, until } from "./promised.ts";
import { callsOf, eventsOf, shapeOf, statesOf } from "./recorded.ts";
import { everythingOf, watchedStore } from "./watched-store.ts";

const folder = mkdtempSync(join(tmpdir(), "undangle-always-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The id of the first allowance that holds in a thread. */
const firstOf = async (thread: Thread): Promise<string> => (await thread.allowed())[0]?.id ?? "none";

const approve = (always: Always): Decision => ({ type: "approve", always });
const forAgent = approve({ scope: "agent" });

describe("what is allowed in a thread", () => {
  test("runs without a decision from the next call on: that tool, in that thread, and no other", async () => {
    const { agent, thread, ran } = createAllowStage();
    await thread.send('pay {"n":1}').result;
    expect((await thread.decide({ call_1: approve(true) }).result).status).toBe("done");
    expect(await comesOf(thread, 'pay {"n":2}')).toBe("ran");
    expect(ran).toEqual(['pay {"n":1}', 'pay {"n":2}']);
    expect(await comesOf(thread, "delete {}")).toBe("waits");
    expect(await comesOf(agent.thread("other"), 'pay {"n":1}')).toBe("waits");
  });

  test("is listed, and stands in the events and with the calls that run by it", async () => {
    const { thread } = createAllowStage();
    await thread.send('pay {"n":1}').result;
    const decided = thread.decide({ call_1: approve(true) }, { by: "ann" });
    const always = { scope: "thread", match: "tool" };
    expect((await eventsOf(decided)).flatMap(({ type, data }) => (type === "tool_call_running" ? data : []))).toEqual([
      { id: "call_1", name: "pay", attempt: 1, startedAt: 5, decision: { type: "approve", at: 5, by: "ann", always } },
    ]);
    const allowed = await thread.allowed();
    const id = await firstOf(thread);
    expect(allowed).toEqual([{ id, tool: "pay", ...always, threadId: "t", callId: "call_1", at: 5, by: "ann" }]);
    const allowance = { id, scope: "thread", at: 5, by: "ann" };
    const events = await eventsOf(thread.send('pay {"n":2}'));
    expect(events.filter(({ type }) => type.startsWith("tool_call_r") || type === "approval_required")).toMatchObject([
      { type: "tool_call_ready", data: { id: "call_2", name: "pay", arguments: { n: 2 }, allowance } },
      { type: "tool_call_running", data: { id: "call_2", name: "pay", attempt: 1, allowance } },
    ]);
    expect(await thread.calls()).toMatchObject([
      { id: "call_1", decision: { always } },
      { id: "call_2", status: "succeeded", allowance },
    ]);
  });

  test("may be for the same arguments only, however they are written", async () => {
    const { thread } = createAllowStage();
    await thread.send('pay {"n":1,"to":{"a":[1,2],"b":null}}').result;
    await thread.decide({ call_1: approve({ match: "arguments" }) }).result;
    expect(await comesOf(thread, 'pay { "to": {"b":null, "a":[1.0,2]},\n "n": 1e0 }')).toBe("ran");
    for (const other of ['{"n":1}', '{"n":1,"to":{"a":[2,1],"b":null}}', '{"n":"1","to":{"a":[1,2],"b":null}}']) {
      expect([other, await comesOf(thread, `pay ${other}`)]).toEqual([other, "waits"]);
    }
    expect(await thread.allowed()).toMatchObject([
      { tool: "pay", match: "arguments", arguments: { n: 1, to: { a: [1, 2], b: null } } },
    ]);
  });

  test("is what the person has made of the call, where they edited it", async () => {
    const { thread, ran } = createAllowStage();
    await thread.send('pay {"n":1}').result;
    await thread.decide({ call_1: { type: "edit", arguments: { n: 2 }, always: { match: "arguments" } } }).result;
    expect(await comesOf(thread, 'pay {"n":1}')).toBe("waits");
    expect(await comesOf(thread, 'pay {"n":2}')).toBe("ran");
    expect(ran).toEqual(['pay {"n":2}', 'pay {"n":2}']);
    expect(await thread.allowed()).toMatchObject([{ callId: "call_1", arguments: { n: 2 } }]);
  });

  test("touches no sibling that waits, and is there once when two allow the same", async () => {
    const { thread, ran } = createAllowStage();
    await thread.send('pay {"n":1}; pay {"n":2}; pay {"n":3}').result;
    const { status, pending } = await thread.decide({ call_1: approve(true) }).result;
    expect([status, pending.map(({ id }) => id), ran]).toEqual(["waiting", ["call_2", "call_3"], ['pay {"n":1}']]);
    await thread.decide({ call_2: approve(true), call_3: { type: "reject" } }).result;
    expect(await thread.allowed()).toMatchObject([{ callId: "call_1" }]);
  });

  test("is saved with the decision, and holds after a restart and in another process", async () => {
    const path = join(folder, "thread.db");
    const first = createAllowStage({ store: sqliteStore(path) });
    await first.thread.send("pay").result;
    await first.thread.decide({ call_1: approve(true) }).result;
    const allowed = await first.thread.allowed();
    await first.agent.close();
    await first.store.close();
    const [second, third] = [
      createAllowStage({ store: sqliteStore(path) }),
      createAllowStage({ store: sqliteStore(path) }),
    ];
    expect(await second.thread.allowed()).toEqual(allowed);
    expect(await comesOf(second.thread, "pay")).toBe("ran");
    await third.thread.revoke(allowed[0]?.id ?? "");
    expect(await comesOf(second.thread, "pay")).toBe("waits");
    for (const { store } of [second, third]) await store.close();
  });

  test("is in no fork, and in no export", async () => {
    const { agent, thread } = createAllowStage();
    await thread.send("pay").result;
    await thread.decide({ call_1: approve(true) }).result;
    const fork = await thread.fork();
    const copy = agent.thread("copy");
    await copy.import(await thread.export());
    for (const each of [fork, copy]) {
      expect(await each.allowed()).toEqual([]);
      expect(await comesOf(each, "pay")).toBe("waits");
    }
    expect(await comesOf(thread, "pay")).toBe("ran");
  });
});

describe("what is revoked", () => {
  test("waits for a decision again; those who watch are told, and nothing else happens", async () => {
    const { thread, model } = createAllowStage();
    await thread.send("pay").result;
    await thread.decide({ call_1: approve(true) }).result;
    const asked = model.calls;
    const id = await firstOf(thread);
    await thread.revoke(id, { by: "bob" });
    expect([await thread.allowed(), model.calls]).toEqual([[], asked]);
    expect(await comesOf(thread, "pay")).toBe("waits");
    const told: string[] = [];
    for await (const { type, data } of thread.events()) {
      if (type === "warning") told.push(data.message);
      if (told.length > 0) break;
    }
    expect(told).toEqual(["pay is not allowed any more without a decision (bob)"]);
  });

  test("has to be there: the error says what is", async () => {
    const { agent, thread, store } = createAllowStage({ name: "clerk" });
    await expect(thread.revoke("nothing")).rejects.toMatchObject({
      code: "allowance/unknown",
      data: { id: "nothing", scope: "thread", known: [] },
    });
    await thread.send("pay; delete").result;
    await thread.decide({ call_1: approve(true), call_2: forAgent }).result;
    const [ofThread, ofAgent] = (await thread.allowed()).map(({ id }) => id);
    const before = await everythingOf(store, "t");
    await expect(thread.revoke(ofAgent ?? "")).rejects.toMatchObject({ data: { known: [ofThread] } });
    await expect(agent.revoke(ofThread ?? "")).rejects.toMatchObject({ data: { scope: "agent", known: [ofAgent] } });
    await expect(createAllowStage({ store }).agent.revoke(ofAgent ?? "")).rejects.toMatchObject({
      data: { known: [] },
    });
    await expect(thread.revoke(ofThread ?? "", { bye: 1 } as object)).rejects.toMatchObject({
      code: "options/unknown",
    });
    expect(await everythingOf(store, "t")).toEqual(before);
    expect((await thread.allowed()).length).toBe(2);
  });

  test("while a run goes on holds for its next call", async () => {
    const { thread, slow } = createAllowStage();
    await thread.send("pay").result;
    await thread.decide({ call_1: approve(true) }).result;
    const run = thread.send("slow; pay");
    await until(async () => (await thread.calls()).some(({ id, status }) => id === "call_3" && status === "succeeded"));
    const id = await firstOf(thread);
    await soon(thread.revoke(id));
    slow.resolve("ok");
    expect((await run.result).status).toBe("done");
    expect(await thread.allowed()).toEqual([]);
    expect(await comesOf(thread, "pay")).toBe("waits");
  });

  test("while the model speaks does not let a message in between that waits", async () => {
    const store = memoryStore();
    const first = createAllowStage({ store });
    await first.thread.send("pay").result;
    await first.thread.decide({ call_1: approve(true) }).result;
    const answer = promised<ScriptedTurn>();
    const model = scriptedModel([() => answer.promise, { text: "Two." }]);
    const thread = createAllowStage({ store, model, onInput: "queue" }).thread;
    const run = thread.send("First.");
    await until(() => model.calls === 1);
    const queued = thread.send("Second.");
    await soon(thread.revoke(await firstOf(thread)));
    answer.resolve({ text: "One." });
    expect([(await run.result).status, (await queued.result).status]).toEqual(["done", "done"]);
    expect(await shapeOf(thread)).toMatch(/H:First. A:One. H:Second. A:Two.$/u);
  });

  test("while calls wait leaves them waiting", async () => {
    const { thread, ran } = createAllowStage();
    await thread.send("pay").result;
    await thread.decide({ call_1: approve(true) }).result;
    await thread.send("pay; delete").result;
    const id = await firstOf(thread);
    await thread.revoke(id);
    expect((await thread.pending()).map(({ name }) => name)).toEqual(["delete"]);
    expect((await thread.approveAll().result).status).toBe("done");
    expect(ran).toEqual(["pay {}", "pay {}", "delete {}"]);
  });
});

describe("what is allowed in all threads of an agent", () => {
  test("holds in every thread, for agents of the same name on the same store, and for no others", async () => {
    const path = join(folder, "agent.db");
    const open = (name: string) => createAllowStage({ name, store: sqliteStore(path) });
    const [one, same, other] = [open("clerk"), open("clerk"), open("cook")];
    await one.thread.send('pay {"n":1}').result;
    await one.thread.decide({ call_1: forAgent }, { by: "ann" }).result;
    expect(await comesOf(one.agent.thread("second"), 'pay {"n":2}')).toBe("ran");
    expect(await comesOf(same.agent.thread("third"), 'pay {"n":3}')).toBe("ran");
    expect(await comesOf(other.agent.thread("fourth"), 'pay {"n":4}')).toBe("waits");
    expect(await comesOf(createAllowStage({ name: "clerk" }).thread, 'pay {"n":5}')).toBe("waits");
    const allowed = await one.agent.allowed();
    expect(allowed).toEqual([
      {
        id: expect.any(String) as string,
        tool: "pay",
        scope: "agent",
        match: "tool",
        threadId: "t",
        callId: "call_1",
        at: 5,
        by: "ann",
      },
    ]);
    expect(await same.agent.thread("third").allowed()).toEqual(allowed);
    expect(await same.agent.thread("third").calls()).toMatchObject([
      { status: "succeeded", allowance: { id: allowed[0]?.id, scope: "agent", at: 5, by: "ann" } },
    ]);
    await same.agent.revoke(allowed[0]?.id ?? "");
    expect(await one.agent.allowed()).toEqual([]);
    expect(await comesOf(one.agent.thread("second"), 'pay {"n":6}')).toBe("waits");
    for (const { store } of [one, same, other]) await store.close();
  });

  test("may be for the same arguments only, which are listed", async () => {
    const { agent, thread } = createAllowStage({ name: "clerk" });
    await thread.send('pay {"n":1,"to":"a"}').result;
    await thread.decide({ call_1: approve({ scope: "agent", match: "arguments" }) }).result;
    expect(await agent.allowed()).toMatchObject([{ match: "arguments", arguments: { n: 1, to: "a" } }]);
    expect(await comesOf(agent.thread("second"), 'pay {"to":"a","n":1}')).toBe("ran");
    expect(await comesOf(agent.thread("second"), 'pay {"to":"b","n":1}')).toBe("waits");
  });

  test("holds for the next call of the same run", async () => {
    const { thread, slow } = createAllowStage({ name: "clerk", onInput: "queue" });
    const run = thread.send("slow; pay");
    await until(async () => (await thread.pending()).length === 1);
    void thread.decide({ call_2: forAgent });
    void thread.send('pay {"n":2}');
    await until(async () => (await thread.allowed()).length === 1);
    slow.resolve("ok");
    expect((await run.result).status).toBe("done");
    expect(await thread.calls()).toMatchObject([
      { id: "call_1" },
      { id: "call_2", status: "succeeded" },
      { id: "call_3", name: "pay", status: "succeeded", allowance: { scope: "agent" } },
    ]);
  });

  test("is not lost when many allow something at once", async () => {
    const store = memoryStore();
    const names = Array.from({ length: 12 }, (_, n) => `thread ${n}`);
    const stages = names.map((name) => ({ name, ...createAllowStage({ name: "clerk", store }) }));
    for (const { agent, name } of stages) await agent.thread(name).send(`pay {"to":"${name}"}`).result;
    await Promise.all(
      stages.map(
        ({ agent, name }) =>
          agent.thread(name).decide({ call_1: approve({ scope: "agent", match: "arguments" }) }).result,
      ),
    );
    const allowed = (await stages[0]?.agent.allowed()) ?? [];
    expect(new Set(allowed.map(({ threadId }) => threadId))).toEqual(new Set(names));
    await Promise.all(allowed.map(async ({ id }, i) => stages[i]?.agent.revoke(id)));
    expect(await stages[0]?.agent.allowed()).toEqual([]);
  });

  test("needs an agent with a name, also the one that decides", async () => {
    expect(() => createAllowStage({ name: "" })).toThrow(/not a value of the option name/u);
    const { thread, store } = createAllowStage();
    const { pending } = await thread.send("pay").result;
    expect(pending).toMatchObject([{ always: ["thread"] }]);
    const { error } = await thread.decide({ call_1: forAgent }).result;
    expect(error?.message).toMatch(/without a name; set the option name of createAgent/u);
    const clerk = createAllowStage({ name: "clerk", store }).agent;
    expect((await clerk.thread("t").decide({ call_1: forAgent }).result).error?.code).toBe("decision/refused"); // as it was shown
    const named = clerk.thread("u");
    expect((await named.send("pay").result).pending).toMatchObject([{ always: ["thread", "agent"] }]);
    expect((await createAllowStage({ store }).agent.thread("u").decide({ call_1: forAgent }).result).error?.code).toBe(
      "decision/refused",
    );
  });
});

describe("what a rule does not let be allowed", () => {
  const strict = [
    ["by the agent", { approvals: [{ tools: "*", always: false }] }],
    ["because nobody may approve it", { approvals: [{ tools: "*", decisions: ["edit", "respond"] }] }],
  ] as const;

  test.each(strict)("is refused (%s), and the pending call says so", async (_, options) => {
    const { thread, ran } = createAllowStage(options);
    const { pending } = await thread.send("pay").result;
    expect(pending).toMatchObject([{ always: [] }]);
    const decisions = options.approvals.some((rule) => "decisions" in rule);
    const decision: Decision = decisions ? { type: "edit", arguments: {}, always: true } : approve(true);
    const { status, error } = await thread.decide({ call_1: decision }).result;
    expect([status, error?.message]).toEqual([
      "failed",
      "Nothing was decided: call_1: pay cannot be always allowed, because every call needs a decision.",
    ]);
    expect([(await thread.pending()).length, ran, await thread.allowed()]).toEqual([1, [], []]);
  });

  test.each(strict)("waits, although it was allowed before (%s)", async (_, options) => {
    const { thread, agent, store } = createAllowStage({ name: "clerk" });
    await thread.send("pay; pay").result;
    await thread.decide({ call_1: approve(true), call_2: forAgent }).result;
    expect((await thread.allowed()).length).toBe(2);
    const stricter = createAllowStage({ ...options, name: "clerk", store });
    expect((await stricter.thread.send("pay").result).status).toBe("waiting");
    await stricter.thread.stop();
    expect(await comesOf(agent.thread("t"), "pay")).toBe("ran");
  });
});

describe("a decision that cannot be taken", () => {
  const wrong: readonly [problem: string, decision: unknown][] = [
    ["always must be true, or an object with scope and match", { type: "approve", always: "yes" }],
    ["always must be true, or an object with scope and match", { type: "approve", always: null }],
    ["always must be true, or an object with scope and match", { type: "approve", always: [] }],
    [
      'always must be true, or an object with scope and match, and no "for"',
      { type: "approve", always: { for: "ever" } },
    ],
    ["the scope of always is one of thread, agent", { type: "approve", always: { scope: "world" } }],
    ["the match of always is one of tool, arguments", { type: "approve", always: { match: "name" } }],
    ['reject has no "always"', { type: "reject", always: true }],
    ['respond has no "always"', { type: "respond", result: 1, always: true }],
    ["always applies only to the proposed tool", { type: "edit", arguments: {}, name: "look", always: true }],
  ];

  test.each(wrong)("changes nothing: %s", async (problem, decision) => {
    const { thread, store, ran } = createAllowStage({ name: "clerk" });
    await thread.send("pay; delete").result;
    const before = await everythingOf(store, "t");
    const decisions = { call_1: decision as Decision, call_2: approve(true) };
    expect((await thread.decide(decisions).result).error?.message).toContain(`call_1: ${problem}`);
    expect([await everythingOf(store, "t"), ran, await thread.allowed()]).toEqual([before, [], []]);
  });

  test("is none where always is false, or left out", async () => {
    const { thread } = createAllowStage();
    await thread.send("pay; delete").result;
    await thread.decide({ call_1: approve(false), call_2: { type: "approve", always: undefined } }).result;
    expect([await thread.allowed(), await comesOf(thread, "pay")]).toEqual([[], "waits"]);
  });

  test("allows nothing when it cannot be saved, also while a run goes on", async () => {
    let isAway = false;
    const fault = new UndangleError("store/failed", { path: "x", reason: "away", canRetry: false });
    const store = watchedStore(memoryStore(), { before: () => (isAway ? Promise.reject(fault) : undefined) });
    const { agent, thread, ran } = createAllowStage({ name: "clerk", store });
    const run = thread.send("slow; pay");
    await until(async () => (await thread.pending()).length === 1);
    isAway = true;
    expect((await thread.decide({ call_2: approve(true) }).result).status).toBe("failed");
    await run.result;
    isAway = false;
    await agent.close();
    expect([ran, await thread.allowed(), await agent.allowed()]).toEqual([[], [], []]);
    expect(await comesOf(thread, "pay")).toBe("waits");
  });
});

describe("when the process, or the store, dies in the middle", () => {
  test("of the two writes the decision comes first: it holds, and nothing is allowed", async () => {
    const store = memoryStore();
    let isWritten = false;
    const dying = {
      ...store,
      write: () => {
        isWritten = true;
        return new Promise<never>(() => undefined);
      },
    };
    const dead = createAllowStage({ name: "clerk", store: dying });
    await dead.thread.send("pay").result;
    void dead.thread.decide({ call_1: forAgent });
    await until(() => isWritten);
    expect(await statesOf(store, "t")).toEqual({ pay: "approved" });
    await quiet();
    expect(dead.ran).toEqual([]);
    const { agent, thread, ran } = createAllowStage({ name: "clerk", store: afterDeath(store) });
    for (const run of await agent.recover()) await run.result;
    expect(ran).toEqual(["pay {}"]);
    expect(await agent.allowed()).toEqual([]);
    expect(await comesOf(thread, "pay")).toBe("waits");
  });

  test("a stop does not wait for what is being allowed", async () => {
    const store = { ...memoryStore(), write: () => new Promise<never>(() => undefined) };
    const { thread, ran } = createAllowStage({ name: "clerk", store });
    await thread.send("pay").result;
    const run = thread.decide({ call_1: forAgent });
    await until(async () => (await statesOf(store, "t"))["pay"] === "approved");
    await soon(thread.stop());
    expect([(await soon(run.result)).status, ran, await statesOf(store, "t")]).toEqual([
      "stopped",
      [],
      { pay: "stopped" },
    ]);
  });

  test("an allowance that cannot be saved is told, and the call runs", async () => {
    const fault = new UndangleError("store/full", { path: "x", canRetry: false });
    const store = { ...memoryStore(), write: () => Promise.reject(fault) };
    const { agent, thread, ran } = createAllowStage({ name: "clerk", store });
    await thread.send("pay").result;
    const run = thread.decide({ call_1: forAgent });
    const warnings = (await eventsOf(run)).flatMap(({ type, data }) => (type === "warning" ? data : []));
    expect(warnings).toEqual([
      { id: "call_1", message: expect.stringMatching(/^pay was approved this once/u) as string },
    ]);
    expect([(await run.result).status, ran, await agent.allowed()]).toEqual(["done", ["pay {}"], []]);
  });

  test("what cannot be read is not allowed", async () => {
    const store = memoryStore();
    const { thread } = createAllowStage({ name: "clerk", store });
    await thread.send("pay").result;
    await thread.decide({ call_1: forAgent }).result;
    const fault = new UndangleError("store/busy", { path: "x", canRetry: true });
    const away = createAllowStage({ name: "clerk", store: { ...store, read: () => Promise.reject(fault) } });
    expect(await comesOf(away.thread, "pay")).toBe("waits");
    const odd = createAllowStage({ name: "clerk", store: { ...store, read: async () => ({ value: 1, version: 1 }) } });
    expect(await comesOf(odd.thread, "pay")).toBe("waits");
    expect(await comesOf(thread, "pay")).toBe("ran");
  });

  test.each(["thread", "agent"] as const)(
    "a call that was allowed (%s) and had not begun starts only if it still is",
    async (scope) => {
      for (const isRevoked of [false, true]) {
        const store = memoryStore();
        const dead = createAllowStage({ name: "clerk", store, limits: { parallel: 1 } });
        await dead.thread.send("pay").result;
        await dead.thread.decide({ call_1: approve({ scope }) }).result;
        void dead.thread.send("slow; pay");
        await until(async () => (await callsOf(store, "t")).some(({ id }) => id === "call_3"));
        expect((await callsOf(store, "t"))[2]).toMatchObject({ state: "proposed", allowance: { scope } });
        const { agent, thread, ran } = createAllowStage({ name: "clerk", store: afterDeath(store) });
        const id = await firstOf(thread);
        if (isRevoked) await (scope === "thread" ? thread : agent).revoke(id);
        for (const run of await agent.recover()) await run.result;
        await until(async () => (await store.load("t"))?.owner === undefined);
        expect(ran).toEqual(isRevoked ? [] : ["pay {}"]);
        const [, lost, call] = await callsOf(store, "t");
        expect([lost?.state, call?.state]).toEqual(["lost", isRevoked ? "awaiting" : "succeeded"]);
        expect(call?.allowance?.scope).toBe(isRevoked ? undefined : scope);
      }
    },
  );
});
