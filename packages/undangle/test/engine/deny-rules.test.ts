import { createAgent, tool } from "#engine";
import type { ApprovalRule, Middleware } from "#engine";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";

import { createApprovalStage, input, names } from "./approval-stage.ts";

const denied = (name: string, reason?: string): string =>
  `${name} was not executed - a rule denies this call${reason === undefined ? "." : `: ${reason}`}`;

describe("deny rules", () => {
  test.each<[string, readonly ApprovalRule[], readonly string[]]>([
    ["refuse a call", [{ tools: "pay", deny: true }], ["pay"]],
    ["refuse calls by wildcard", [{ tools: "delete_*", deny: true }], ["delete_file", "delete_all"]],
    [
      "win over a rule before them that exempts the tool",
      [
        { tools: "pay", required: false },
        { tools: "pay", deny: true },
      ],
      ["pay"],
    ],
    ["win over a rule before them that asks", [{ tools: "pay" }, { tools: "pay", deny: true }], ["pay"]],
    [
      "leave calls that their condition excludes",
      [{ tools: "*", deny: true, when: ({ name }) => name === "look" }],
      ["look"],
    ],
    ["with deny: false are ordinary rules", [{ tools: "look", required: false, deny: false }], []],
    [
      "all count, not only the first",
      [
        { tools: "*", deny: true, when: () => false },
        { tools: "pay", deny: true },
      ],
      ["pay"],
    ],
  ])("%s", async (_, approvals, refused) => {
    const { agent, ran } = createApprovalStage({ calls: names, approvals });
    const thread = agent.thread("t");
    expect((await thread.send("Go.").result).pending).toEqual([]);
    const calls = await thread.calls();
    expect(calls.filter(({ status }) => status === "failed").map(({ name }) => name)).toEqual(refused);
    expect(ran).toHaveLength(names.length - refused.length);
  });

  test("their reason reaches the model, in its language", async () => {
    const pay = tool({ name: "pay", description: "Pays.", input, execute: () => "paid" });
    const rule = { tools: "pay", deny: true, reason: "payments are closed" };
    const told = async (language: "en" | "zh"): Promise<string | undefined> => {
      const model = scriptedModel([{ calls: [{ name: "pay", arguments: { n: 1 } }] }, { text: "Done." }]);
      const agent = createAgent({ model, tools: [pay], approvals: [rule], language });
      const thread = agent.thread("t");
      await thread.send("Go.").result;
      return (await thread.calls())[0]?.error;
    };
    expect(await told("en")).toBe(denied("pay", "payments are closed"));
    expect(await told("zh")).toBe("pay 未被执行——规则不允许此调用：payments are closed");
  });

  test("a condition that throws denies, and the log says so", async () => {
    const warned: string[] = [];
    const logger = {
      info: () => undefined,
      warn: (_: object, line: string) => void warned.push(line),
      error: () => undefined,
    };
    const model = scriptedModel([{ calls: [{ name: "pay", arguments: { n: 1 } }] }, { text: "Done." }]);
    const pay = tool({ name: "pay", description: "Pays.", input, execute: () => "paid" });
    const when = (): boolean => {
      throw new Error("no idea");
    };
    const agent = createAgent({ model, tools: [pay], approvals: [{ tools: "pay", deny: true, when }], logger });
    const thread = agent.thread("t");
    await thread.send("Go.").result;
    expect((await thread.calls())[0]?.error).toBe(denied("pay"));
    expect(warned).toEqual(["An approval rule failed; the call is denied"]);
  });

  test("an allowance does not help", async () => {
    const store = memoryStore();
    const first = createApprovalStage({ calls: ["pay"], approvals: [{ tools: "pay" }], store });
    await first.agent.thread("t").send("Go.").result;
    await first.agent.thread("t").decide({ call_1: { type: "approve", always: true } }).result;
    await first.agent.close();
    const second = createApprovalStage({ calls: ["pay"], approvals: [{ tools: "pay", deny: true }], store });
    await second.agent.thread("t").send("Again.").result;
    expect(second.ran).toEqual([]);
  });

  test("a call that waits when a rule begins to deny it does not run after an approval", async () => {
    const store = memoryStore();
    const first = createApprovalStage({ calls: ["pay"], approvals: [{ tools: "pay" }], store });
    await first.agent.thread("t").send("Go.").result;
    await first.agent.close();
    const second = createApprovalStage({ approvals: [{ tools: "pay", deny: true }], store });
    const thread = second.agent.thread("t");
    await thread.decide({ call_1: { type: "approve" } }).result;
    expect(second.ran).toEqual([]);
    expect((await thread.calls())[0]).toMatchObject({ status: "failed", error: denied("pay") });
  });

  test("an edit into denied arguments does not run", async () => {
    const when: ApprovalRule["when"] = ({ arguments: { n } }) => n === 9;
    const { agent, ran } = createApprovalStage({
      calls: ["pay"],
      approvals: [{ tools: "pay", deny: true, when }, { tools: "pay" }],
    });
    const thread = agent.thread("t");
    await thread.send("Go.").result;
    await thread.decide({ call_1: { type: "edit", arguments: { n: 9 } } }).result;
    expect(ran).toEqual([]);
    expect((await thread.calls())[0]?.error).toBe(denied("pay"));
  });

  test("a hook cannot switch to a denied tool", async () => {
    const ran: string[] = [];
    const [look, pay] = ["look", "pay"].map((name) =>
      tool({ name, description: "Does it.", input, execute: () => void ran.push(name) }),
    );
    if (look === undefined || pay === undefined) throw new Error("two tools");
    const middleware: Middleware = { name: "switch", wrapToolCall: (next) => (call) => next({ ...call, tool: pay }) };
    const model = scriptedModel([{ calls: [{ name: "look", arguments: { n: 1 } }] }, { text: "Done." }]);
    const approvals = [{ tools: "pay", deny: true }];
    const agent = createAgent({ model, tools: [look, pay], approvals, middleware: [middleware] });
    const thread = agent.thread("t");
    await thread.send("Go.").result;
    expect(ran).toEqual([]);
    expect((await thread.calls())[0]?.error).toBe(denied("pay"));
  });

  test.each<[string, object, RegExp]>([
    ["decisions", { deny: true, decisions: ["approve"] }, /approvals\[0\]\.decisions/u],
    ["required", { deny: true, required: false }, /approvals\[0\]\.required/u],
    ["a reason that is no text", { deny: true, reason: 5 }, /approvals\[0\]\.reason/u],
    ["deny that is no flag", { deny: "yes" }, /approvals\[0\]\.deny/u],
  ])("%s is refused at construction", (_, rule, message) => {
    const approvals = [{ tools: "pay", ...rule }] as readonly ApprovalRule[]; // callers may not use types
    expect(() => createApprovalStage({ approvals })).toThrow(message);
  });
});

describe("rules of a middleware", () => {
  const waiting = async (
    own: readonly ApprovalRule[],
    approvals: readonly ApprovalRule[],
  ): Promise<readonly string[]> => {
    const tools = names.map((name) => tool({ name, description: "Does it.", input, execute: () => "done" }));
    const model = scriptedModel([{ calls: names.map((name, n) => ({ name, arguments: { n } })) }, { text: "Done." }]);
    const agent = createAgent({ model, tools, approvals, middleware: [{ name: "own", approvals: own }] });
    return (await agent.thread("t").send("Go.").result).pending.map(
      ({ name, decisions }) => `${name} ${decisions.length}`,
    );
  };
  test.each<[string, readonly ApprovalRule[], readonly ApprovalRule[], readonly string[]]>([
    ["add gates", [{ tools: "pay" }], [], ["pay 4"]],
    ["come before those of the agent", [{ tools: "pay", decisions: ["approve"] }], [{ tools: "pay" }], ["pay 1"]],
    ["leave the rest to the agent", [{ tools: "pay" }], [{ tools: "look" }], ["pay 4", "look 4"]],
    [
      "whose condition does not hold leave the call to the agent",
      [{ tools: "*", when: () => false }],
      [{ tools: "look" }],
      ["look 4"],
    ],
    ["may exempt calls", [{ tools: "look", required: false }], [{ tools: "look" }], []],
    ["may deny calls", [{ tools: "look", deny: true }], [{ tools: "look" }], []],
  ])("%s", async (_, own, approvals, expected) => {
    expect(await waiting(own, approvals)).toEqual(expected);
  });

  test("leave a tool its own approval if no condition holds", async () => {
    const pay = tool({ name: "pay", description: "Pays.", input, approval: true, execute: () => "paid" });
    const model = scriptedModel([{ calls: [{ name: "pay", arguments: { n: 1 } }] }]);
    const middleware = [{ name: "own", approvals: [{ tools: "pay", when: () => false }] }];
    const agent = createAgent({ model, tools: [pay], middleware });
    expect((await agent.thread("t").send("Go.").result).status).toBe("waiting");
  });

  test.each<[string, unknown, RegExp]>([
    ["an unknown tool", [{ tools: "pya" }], /own\.approvals\[0\]\.tools/u],
    ["an unknown key", [{ tools: "pay", wehn: 1 }], /own\.approvals\[0\]\.wehn/u],
    ["no list", {}, /middleware\[0\]\.approvals/u],
  ])("%s is refused at construction, with its place", (_, approvals, message) => {
    const pay = tool({ name: "pay", description: "Pays.", input, execute: () => "paid" });
    const middleware = [{ name: "own", approvals }] as readonly Middleware[]; // callers may not use types
    expect(() => createAgent({ model: scriptedModel([]), tools: [pay], middleware })).toThrow(message);
  });
});
