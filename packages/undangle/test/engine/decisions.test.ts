import { createAgent, tool } from "#engine";
import type { Decision } from "#engine";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";

import { createApprovalStage } from "./approval-stage.ts";
import { promised, quiet, until } from "./promised.ts";
import { callsOf, endsOf, statesOf, toldOf } from "./recorded.ts";
import { everythingOf, watchedStore } from "./watched-store.ts";

describe("decisions", () => {
  test("approve: the call runs unchanged", async () => {
    const { agent, ran, store } = createApprovalStage({ calls: ["pay"], own: { pay: true }, now: () => 5 });
    await agent.thread("t").send("Go.").result;
    expect((await agent.thread("t").decide({ call_1: { type: "approve" } }, { by: "Ada" }).result).text).toBe("Done.");
    expect(ran).toEqual(["pay 0"]);
    const [call] = await callsOf(store, "t");
    expect(call?.decision).toMatchObject({ type: "approve", by: "Ada", at: 5 });
  });

  test("reject: the model is told that the user did, with the reason", async () => {
    const { agent, ran, store } = createApprovalStage({ calls: ["pay", "pay"], own: { pay: true } });
    const thread = agent.thread("t");
    await thread.send("Go.").result;
    await thread.decide({ call_1: { type: "reject", reason: "not this month" }, call_2: { type: "reject" } }).result;
    expect(ran).toEqual([]);
    const told = (await callsOf(store, "t")).map(({ outcome }) => outcome);
    expect(told).toEqual([
      { type: "notice", cause: "rejected", reason: "not this month" },
      { type: "notice", cause: "rejected" },
    ]);
    expect((await toldOf(thread))["pay"]).toBe(
      '{"success":false,"error":"The user rejected this operation","userRejected":true}',
    );
    const ends = (await store.events("t")).filter(({ type }) => type === "tool_call_end");
    for (const { data } of ends) expect(data).toMatchObject({ success: false, status: "rejected", userRejected: true });
    expect(ends.length).toBe(2);
  });

  test("by an agent of another name run no tool, because its tool may do something else", async () => {
    const store = memoryStore();
    const ran: string[] = [];
    const agentOf = (name: string | undefined) =>
      createAgent({
        ...(name !== undefined && { name }),
        store,
        model: scriptedModel([{ calls: [{ name: "pay" }] }, { text: "Done." }]),
        tools: [
          tool({ name: "pay", description: "Pays.", approval: true, execute: () => ran.push(name ?? "nameless") }),
        ],
      });
    await agentOf("sandbox").thread("t").send("Go.").result;
    const decisions: readonly Decision[] = [
      { type: "approve" },
      { type: "approve", always: true },
      { type: "edit", arguments: {} },
    ];
    for (const name of ["production", undefined])
      for (const decision of decisions) {
        const outcome = await agentOf(name).thread("t").decide({ call_1: decision }).result;
        expect(outcome).toMatchObject({ status: "failed", error: { code: "decision/refused" } });
        expect(String(outcome.error)).toContain("the agent sandbox requested it");
      }
    const [own] = await agentOf("sandbox").thread("t").pending();
    expect(own).toMatchObject({ decisions: ["approve", "reject", "edit", "respond"] });
    expect(own).not.toHaveProperty("foreign");
    for (const name of ["production", undefined])
      expect(await agentOf(name).thread("t").pending()).toEqual([
        { ...own, foreign: true, decisions: ["reject", "respond"], always: [] },
      ]);
    await agentOf("production")
      .thread("t")
      .decide({ call_1: { type: "reject" } }).result;
    expect(ran).toEqual([]);
    const [call] = await callsOf(store, "t");
    expect(call?.state).toBe("rejected");
  });

  test.each<[unknown, string, boolean]>([
    ["blue", "blue", false],
    [{ colour: "blue" }, '{"colour":"blue"}', false],
    ["", "", false],
    [{ content: [{ type: "text", text: "sorry" }], isError: true }, "sorry", true],
  ])("respond with %j: the tool does not run", async (result, text, isError) => {
    const { agent, ran, store } = createApprovalStage({ calls: ["pay"], own: { pay: true } });
    await agent.thread("t").send("Go.").result;
    expect((await agent.thread("t").decide({ call_1: { type: "respond", result } }).result).status).toBe("done");
    expect(ran).toEqual([]);
    const [call] = await callsOf(store, "t");
    expect(call).toMatchObject({
      state: "responded",
      outcome: { type: "result", parts: [{ type: "text", text }], isError },
    });
    const end = (await store.events("t")).find(({ type }) => type === "tool_call_end");
    expect(end?.data).toMatchObject({ success: !isError, [isError ? "error" : "result"]: text });
  });

  test("edit: the same call with other arguments, validated, and what the model had proposed is kept", async () => {
    const { agent, ran, store } = createApprovalStage({ calls: ["pay"], own: { pay: true } });
    await agent.thread("t").send("Go.").result;
    await agent.thread("t").decide({ call_1: { type: "edit", arguments: { n: 7 } } }).result;
    expect(ran).toEqual(["pay 7"]);
    expect(await callsOf(store, "t")).toMatchObject([
      { id: "call_1", raw: '{"n":7}', decision: { type: "edit", proposed: { name: "pay", raw: '{"n":0}' } } },
    ]);
  });

  test("edit: to another tool", async () => {
    const { agent, ran } = createApprovalStage({ calls: ["pay"], own: { pay: true } });
    await agent.thread("t").send("Go.").result;
    await agent.thread("t").decide({ call_1: { type: "edit", name: "look", arguments: { n: 3 } } }).result;
    expect(ran).toEqual(["look 3"]);
  });

  const cyclic: Record<string, unknown> = {};
  cyclic["self"] = cyclic;

  test.each<[string, unknown, RegExp]>([
    [
      "an edit that does not fit",
      { call_1: { type: "edit", arguments: { n: "much" } } },
      /call_1: .*`n` must be a number/u,
    ],
    ["an edit without arguments", { call_1: { type: "edit" } }, /call_1: edit needs arguments/u],
    ["an edit with a list", { call_1: { type: "edit", arguments: [1] } }, /call_1: edit needs arguments/u],
    ["an edit that is no JSON", { call_1: { type: "edit", arguments: cyclic } }, /call_1: .*JSON/u],
    [
      "an edit with a name that is none",
      { call_1: { type: "edit", name: 7, arguments: { n: 1 } } },
      /call_1: the name/u,
    ],
    ["a reason that is no text", { call_1: { type: "reject", reason: 7 } }, /call_1: the reason/u],
    [
      "a misspelt reason",
      { call_1: { type: "reject", reasn: "x" } },
      /call_1: reject has no "reasn"; it has type, digest, reason/u,
    ],
    ["a reason for a yes", { call_1: { type: "approve", reason: "x" } }, /call_1: approve has no "reason"/u],
    ["arguments for a yes", { call_1: { type: "approve", arguments: {} } }, /call_1: approve has no "arguments"/u],
    ["an edit that would lose something", { call_1: { type: "edit", arguments: { n: new Map() } } }, /`n` is a Map/u],
    [
      "an edit that is no object when it is written",
      { call_1: { type: "edit", arguments: new Date(0) } },
      /an object/u,
    ],
    ["respond without a result", { call_1: { type: "respond" } }, /call_1: respond needs a result/u],
    ["respond with undefined", { call_1: { type: "respond", result: undefined } }, /call_1: respond needs a result/u],
    [
      "respond with what is no JSON",
      { call_1: { type: "respond", result: { list: [1n] } } },
      /call_1: its result cannot be passed on: `list\[0\]` is a BigInt/u,
    ],
    [
      "a decision that does not exist",
      { call_1: { type: "maybe" } },
      /call_1: "maybe" is not allowed for pay; allowed: approve/u,
    ],
    ["a decision that is no object", { call_1: "approve" }, /call_1: a decision must be an object/u],
    [
      "a call that does not exist",
      { call_9: { type: "approve" } },
      /call_9: there is no such call; waiting: call_1, call_2/u,
    ],
    ["a call that is settled", { call_3: { type: "reject" } }, /call_3: it is .*succeeded/u],
    ["a call that was another when it was shown", { call_1: { type: "approve", digest: "x" } }, /call_1: .*changed/u],
    ["one good and one bad", { call_1: { type: "approve" }, call_9: { type: "approve" } }, /call_9/u],
    ["two bad ones, both named", { call_8: { type: "approve" }, call_9: { type: "reject" } }, /call_8.*call_9/u],
    ["none", {}, /decisions/u],
    ["nothing", undefined, /decisions/u],
    ["a list", [{ type: "approve" }], /decisions|0: there is no such call/u],
  ])("%s is refused with the id of the call, and nothing has changed", async (_, decisions, message) => {
    const { agent, ran, store } = createApprovalStage({ calls: ["pay", "pay", "look"], own: { pay: true } });
    const thread = agent.thread("t");
    await thread.send("Go.").result;
    const before = await everythingOf(store, "t");
    const end = await thread.decide(decisions as Record<string, Decision>).result;
    expect(end.status).toBe("failed");
    expect(end.error?.message).toMatch(message);
    expect(await everythingOf(store, "t")).toEqual(before);
    expect(ran).toEqual(["look 2"]);
    expect((await thread.pending()).length).toBe(2);
    expect((await thread.approveAll().result).status).toBe("done"); // and the thread can go on
  });

  test("what a decision leaves undefined is left out", async () => {
    const { agent } = createApprovalStage({ calls: ["pay"], own: { pay: true } });
    const thread = agent.thread("t");
    await thread.send("Go.").result;
    const decision = { type: "approve", reason: undefined, digest: undefined } as unknown as Decision; // as a form gives it
    expect((await thread.decide({ call_1: decision }).result).status).toBe("done");
  });

  test("what may be decided is a copy: whoever changes it changes no rule", async () => {
    for (const id of ["one", "two"]) {
      const { agent } = createApprovalStage({ calls: ["pay"], own: { pay: true } });
      const [pending] = (await agent.thread(id).send("Go.").result).pending;
      expect(pending?.decisions).toEqual(["approve", "reject", "edit", "respond"]);
      if (pending !== undefined) Reflect.set(pending.decisions, "length", 1); // it is the reader's
      expect((await agent.thread(id).pending())[0]?.decisions).toHaveLength(4);
    }
  });

  test("a decision is taken once: again, or another one later, is refused", async () => {
    const { agent, ran, store } = createApprovalStage({ calls: ["pay"], own: { pay: true } });
    const thread = agent.thread("t");
    await thread.send("Go.").result;
    await thread.decide({ call_1: { type: "approve" } }).result;
    const before = await everythingOf(store, "t");
    for (const type of ["approve", "reject"] as const) {
      const { error } = await thread.decide({ call_1: { type } }).result;
      expect(error).toMatchObject({ code: "decision/refused" });
      expect(error?.message).toContain("call_1: it is settled: succeeded");
    }
    expect(await everythingOf(store, "t")).toEqual(before);
    expect(ran).toEqual(["pay 0"]);
  });

  test.each(["stop", "time"])(
    "an edit that takes long to check, while a %s settles its call: it is refused, and nothing goes on",
    async (how) => {
      const slow = promised();
      const checked = promised();
      const input = z.object({ n: z.number() }).refine(async ({ n }) => {
        if (n === 99) await checked.promise;
        return true;
      });
      const store = memoryStore();
      const model = scriptedModel([
        { calls: [{ name: "slow" }, { name: "pay", arguments: { n: 1 } }] },
        { text: "Done." },
      ]);
      const agent = createAgent({
        model,
        store,
        limits: how === "time" ? { time: 300 } : {},
        tools: [
          tool({ name: "slow", description: "Slow.", execute: () => slow.promise }),
          tool({ name: "pay", description: "Pays.", input, approval: true, execute: () => "paid" }),
        ],
      });
      const thread = agent.thread("t");
      const run = thread.send("Go.");
      await until(async () => (await statesOf(store, "t"))["slow"] === "running");
      const decided = thread.decide({ call_2: { type: "edit", arguments: { n: 99 } } });
      await quiet();
      if (how === "stop") await thread.stop();
      await run.result;
      checked.resolve(undefined);
      const { status, error } = await decided.result;
      expect([status, error?.message]).toEqual(["failed", expect.stringMatching(/call_2: it is settled: stopped/u)]);
      await quiet();
      expect([model.calls, await statesOf(store, "t")]).toEqual([1, { slow: "stopped", pay: "stopped" }]);
    },
  );

  test("two decisions at the same moment: one is taken, the other hears what was", async () => {
    const { agent, ran } = createApprovalStage({ calls: ["pay"], own: { pay: true } });
    const thread = agent.thread("t");
    await thread.send("Go.").result;
    const [one, other] = await Promise.all([
      thread.decide({ call_1: { type: "approve" } }).result,
      thread.decide({ call_1: { type: "reject" } }).result,
    ]);
    expect(one?.status).toBe("done");
    expect(other).toMatchObject({ status: "failed", error: { code: "decision/refused" } });
    expect(ran).toEqual(["pay 0"]);
  });

  test("approveAll and rejectAll decide what waits, in one transaction, and leave the rest alone", async () => {
    for (const all of ["approveAll", "rejectAll"] as const) {
      const store = watchedStore(memoryStore());
      const stage = createApprovalStage({
        calls: ["pay", "look", "pay", "delete_all"],
        approvals: [{ tools: ["pay", "delete_*"] }],
        store,
      });
      const thread = stage.agent.thread("t");
      await thread.send("Go.").result;
      const before = store.commits.length;
      const logged =
        all === "approveAll"
          ? await thread.approveAll({ by: "Ada" }).result
          : await thread.rejectAll("no", { by: "Ada" }).result;
      expect(logged.status).toBe("done");
      const decided = store.commits.slice(before).find(({ calls }) => calls.length > 0);
      expect(decided?.calls.map(({ id }) => id).toSorted()).toEqual(["call_1", "call_3", "call_4"]);
      expect([...(await endsOf(store, "t")).values()]).toEqual([1, 1, 1, 1]);
      expect(stage.ran.length).toBe(all === "approveAll" ? 4 : 1);
    }
  });

  test.each(["approveAll", "rejectAll"] as const)("%s with nothing to decide says so", async (all) => {
    const { agent } = createApprovalStage({ calls: ["look"] });
    await agent.thread("t").send("Go.").result;
    const { status, error } = await agent.thread("t")[all]().result;
    expect(status).toBe("failed");
    expect(error?.message).toMatch(/No pending call in the thread "t"/u);
  });

  test("how many calls a rejection answered stands in the log", async () => {
    const lines: [object, string][] = [];
    const logger = {
      info: (data: object, line: string) => void lines.push([data, line]),
      warn: () => undefined,
      error: () => undefined,
    };
    const agent = createAgent({
      model: scriptedModel([{ calls: [{ name: "pay" }, { name: "pay" }] }, { text: "Done." }]),
      tools: [tool({ name: "pay", description: "Pays.", approval: true, execute: () => 1 })],
      logger,
    });
    await agent.thread("t").send("Go.").result;
    await agent.thread("t").rejectAll("no", { by: "Ada" }).result;
    expect(lines).toContainEqual([
      expect.objectContaining({ threadId: "t", rejected: 2, by: "Ada" }),
      expect.stringContaining("2"),
    ]);
  });
});
