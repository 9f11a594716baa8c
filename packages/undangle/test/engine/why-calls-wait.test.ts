import { createAgent, defineMiddleware, tool } from "#engine";
import type { AgentOptions, ApprovalRule, LedgerCall, PendingCall, ShownRule, ToolApproval } from "#engine";
import { loopGuard, subagents } from "#middleware";
import { memoryStore } from "#store";
import type { Store } from "#store";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";

import { digestOf } from "../../src/engine/approvals/rules.ts";
import { delegating, playModel } from "../subagents/stage.ts";
import { input } from "./approval-stage.ts";

const at = 1_700_000_000_000;

const pay = (approval: ToolApproval = false, schema: object = input) =>
  tool({ name: "pay", description: "Pays.", input: { ...input, ...schema }, approval, execute: () => "paid" });

const onePayment = () => scriptedModel([{ calls: [{ name: "pay", arguments: { n: 1 } }] }, { text: "Paid." }]);

/** The pending call of an agent whose model requests one payment. */
async function pendingOf(options: Partial<AgentOptions>): Promise<PendingCall | undefined> {
  const agent = createAgent({ name: "clerk", model: onePayment(), now: () => at, tools: [pay()], ...options });
  return (await agent.thread("t").send("Go.").result).pending[0];
}

describe("a pending call has", () => {
  test("the time at which it began to wait, and the agent that requests it", async () => {
    expect(await pendingOf({ approvals: [{ tools: "pay" }] })).toMatchObject({ since: at, agent: "clerk" });
  });

  test("no agent, if the agent has no name", async () => {
    expect(await pendingOf({ name: undefined, approvals: [{ tools: "pay" }] })).not.toHaveProperty("agent");
  });

  test("the description and the schema of its tool, without the schema if that is long", async () => {
    const own = { tools: [pay(true)] };
    expect(await pendingOf(own)).toMatchObject({ description: "Pays.", schema: input });
    const long = await pendingOf({ tools: [pay(true, { description: "x".repeat(20_000) })] });
    expect(long).toMatchObject({ description: "Pays." });
    expect(long).not.toHaveProperty("schema");
  });

  test("the digest of its name and arguments alone", async () => {
    const reason = "Payments are final.";
    const digest = digestOf("pay", '{"n":1}');
    expect(await pendingOf({ tools: [pay(true)] })).toMatchObject({ digest });
    expect(await pendingOf({ name: "other", approvals: [{ tools: "*", reason }] })).toMatchObject({ digest });
  });
});

describe("the rule of a pending call", () => {
  const when = (): boolean => true;
  const rules = (list: readonly ApprovalRule[]) => defineMiddleware({ name: "guard", approvals: list });

  test.each<[string, Partial<AgentOptions>, ShownRule]>([
    ["the tool", { tools: [pay(true)] }, { from: "tool", tools: ["pay"], conditional: false }],
    [
      "the tool, with a condition and a reason",
      { tools: [pay({ when, reason: "Final." })] },
      { from: "tool", tools: ["pay"], conditional: true, reason: "Final." },
    ],
    ["the agent", { approvals: [{ tools: "p*" }] }, { from: "agent", tools: ["p*"], conditional: false }],
    [
      "the agent, before the tool",
      { tools: [pay(true)], approvals: [{ tools: ["pay", "*"], reason: "All of it." }] },
      { from: "agent", tools: ["pay", "*"], conditional: false, reason: "All of it." },
    ],
    [
      "a middleware",
      { middleware: [rules([{ tools: "pay", when }])], approvals: [{ tools: "*" }] },
      { from: "guard", tools: ["pay"], conditional: true },
    ],
    [
      "the agent, if the condition of the middleware does not hold",
      { middleware: [rules([{ tools: "pay", when: () => false }])], approvals: [{ tools: "*" }] },
      { from: "agent", tools: ["*"], conditional: false },
    ],
  ])("is that of %s", async (_, options, rule) => {
    expect((await pendingOf(options))?.rule).toEqual(rule);
  });

  test("says that a model repeats its calls, in the language of the agent", async () => {
    const calls = [{ name: "pay", arguments: { n: 1 } }];
    const model = scriptedModel([{ calls }], { loop: true });
    const approvals = [{ tools: "pay", when: () => false }];
    const agent = createAgent({ model, language: "zh", tools: [pay()], approvals, middleware: [loopGuard()] });
    const { pending } = await agent.thread("t").send("Go.").result;
    expect(pending[0]?.rule).toMatchObject({ from: "loop-guard", conditional: true });
    expect(pending[0]?.rule?.reason).toContain("重复");
  });
});

test("a reason must be a text", () => {
  expect(() => pay(JSON.parse('{"reason":5}') as ToolApproval)).toThrow(/pay\.approval\.reason/u);
});

describe("what a pending call shows", () => {
  const approvals = [{ tools: "pay", reason: "Final." }];
  const waiting = async (store: Store): Promise<PendingCall | undefined> => {
    const agent = createAgent({ name: "clerk", model: onePayment(), store, tools: [pay()], approvals, now: () => at });
    await agent.thread("t").send("Go.").result;
    const [call] = await agent.thread("t").pending();
    await agent.close();
    return call;
  };
  const later = (store: Store) =>
    createAgent({
      name: "clerk",
      model: scriptedModel([{ text: "Paid." }]),
      store,
      tools: [pay()],
      now: () => at + 60_000,
    });

  test("is the same in another process, and in a fork", async () => {
    const store = memoryStore();
    const call = await waiting(store);
    const thread = later(store).thread("t");
    expect(await thread.pending()).toEqual([call]);
    expect(await (await thread.fork()).pending()).toEqual([call]);
  });

  test("is that of the agent which imports the thread", async () => {
    const store = memoryStore();
    await waiting(store);
    const exported = await later(store).thread("t").export();
    const importing = createAgent({ name: "other", model: onePayment(), tools: [pay(true)], now: () => at + 5 });
    await importing.thread("t").import(exported);
    expect(await importing.thread("t").pending()).toMatchObject([
      { since: at + 5, agent: "other", rule: { from: "tool" }, description: "Pays.", schema: input },
    ]);
  });

  test("is not stored any more with a call that is decided", async () => {
    const store = memoryStore();
    await waiting(store);
    const stored = async (): Promise<LedgerCall["gate"]> =>
      ((await store.calls("t"))[0]?.value as LedgerCall | undefined)?.gate;
    expect(await stored()).toHaveProperty("display.schema");
    await later(store).thread("t").rejectAll().result;
    expect(await stored()).toMatchObject({ since: at, rule: { reason: "Final." } });
    expect(await stored()).not.toHaveProperty("display");
  });

  test("may be missing in a thread of an earlier version", async () => {
    const store = memoryStore();
    await waiting(store);
    const older = (value: LedgerCall): LedgerCall => {
      const { digest = "", decisions = [] } = value.gate ?? {};
      return { ...value, gate: { digest, decisions } };
    };
    const calls: Store["calls"] = async (...range) =>
      (await store.calls(...range)).map((call) => ({ ...call, value: older(call.value as LedgerCall) }));
    const thread = later({ ...store, calls }).thread("t");
    const [pending] = await thread.pending();
    expect(Object.keys(pending ?? {})).toEqual(["id", "name", "arguments", "digest", "decisions", "always"]);
    expect(await thread.approveAll().result).toMatchObject({ status: "done" });
  });
});

test("a pending call of a sub-agent shows its own agent and rule in the parent", async () => {
  const plays = { go: [delegating("pay it")], "pay it": [{ calls: [{ name: "pay", arguments: { n: 1 } }] }] };
  const agent = createAgent({
    name: "clerk",
    model: playModel(plays),
    tools: [pay({ reason: "Final." })],
    middleware: [subagents()],
    now: () => at,
  });
  const { pending } = await agent.thread("t").send("go").result;
  expect(pending).toMatchObject([
    {
      id: "call_1/call_1",
      since: at,
      agent: "clerk/general-purpose",
      rule: { from: "tool", tools: ["pay"], conditional: false, reason: "Final." },
      description: "Pays.",
      schema: input,
    },
  ]);
  expect(await agent.thread("t").pending()).toEqual(pending);
});
