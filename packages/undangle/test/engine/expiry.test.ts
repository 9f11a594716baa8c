import { createAgent, tool } from "#engine";
import type { ToolApproval } from "#engine";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";

import { createApprovalStage } from "./approval-stage.ts";
import { promised, until } from "./promised.ts";
import { endsOf, statesOf, toldOf } from "./recorded.ts";

describe("expiry", () => {
  test("a call that nobody decides about in time is settled by the next touch, and told so", async () => {
    let now = 1000;
    const stage = createApprovalStage({
      calls: ["pay", "delete_all"],
      approvals: [{ tools: "pay", expiresAfter: 1e6 }, { tools: "delete_all" }],
      now: () => now,
    });
    const thread = stage.agent.thread("t");
    const { pending } = await thread.send("Go.").result;
    expect(pending.map(({ deadline }) => deadline)).toEqual([1000 + 1e6, undefined]);
    now += 1e6 + 1;
    const { error } = await thread.decide({ call_1: { type: "approve" } }).result;
    expect(error?.message).toMatch(/call_1: it is .*expired/u);
    expect((await thread.pending()).map(({ id }) => id)).toEqual(["call_2"]);
    expect((await thread.decide({ call_2: { type: "approve" } }).result).status).toBe("done");
    expect(stage.ran).toEqual(["delete_all 1"]);
    expect((await toldOf(thread))["pay"]).toMatch(/was not executed - nobody approved it in time/u);
    expect([...(await endsOf(stage.store, "t")).values()]).toEqual([1, 1]);
  });

  test("the agent comes back by itself when the time is over, and the model hears of it", async () => {
    const { agent, model, store } = createApprovalStage({
      calls: ["pay"],
      approvals: [{ tools: "pay", expiresAfter: 30 }],
    });
    await agent.thread("t").send("Go.").result;
    await until(() => model.calls === 2);
    await until(async () => (await store.load("t"))?.owner === undefined);
    expect(await statesOf(store, "t")).toEqual({ pay: "expired" });
  });

  test("agent.recover() settles what has expired while nobody was there", async () => {
    let now = 1000;
    const store = memoryStore();
    const gone = createApprovalStage({
      calls: ["pay"],
      approvals: [{ tools: "pay", expiresAfter: 1e6 }],
      store,
      now: () => now,
    });
    await gone.agent.thread("t").send("Go.").result;
    await gone.agent.close();
    now += 2e6;
    const model = scriptedModel([{ text: "Too late." }]);
    const agent = createAgent({ model, store, now: () => now });
    const runs = await agent.recover();
    expect(await Promise.all(runs.map(({ result }) => result))).toMatchObject([{ status: "done", text: "Too late." }]);
    expect(await agent.recover()).toEqual([]);
  });

  test("looking at a thread does not keep it from going on after an expiry", async () => {
    let now = 1000;
    const { agent, model } = createApprovalStage({
      calls: ["pay"],
      approvals: [{ tools: "pay", expiresAfter: 1e6 }],
      now: () => now,
    });
    const thread = agent.thread("t");
    await thread.send("Go.").result;
    now += 2e6;
    expect(await thread.pending()).toEqual([]);
    await thread.history("anthropic");
    const runs = await agent.recover();
    expect((await runs[0]?.result)?.text).toBe("Done.");
    expect(model.calls).toBe(2);
  });

  test("an approval that comes too late is refused, and the thread goes on without it", async () => {
    let now = 1000;
    const { agent, model, store } = createApprovalStage({
      calls: ["pay"],
      approvals: [{ tools: "pay", expiresAfter: 1e6 }],
      now: () => now,
    });
    const thread = agent.thread("t");
    await thread.send("Go.").result;
    now += 2e6;
    expect((await thread.decide({ call_1: { type: "approve" } }).result).error).toMatchObject({
      code: "decision/refused",
    });
    const runs = await agent.recover();
    expect((await runs[0]?.result)?.text).toBe("Done.");
    expect(model.calls).toBe(2);
    expect([...(await endsOf(store, "t")).values()]).toEqual([1]);
  });

  test("an approval that comes too late in another process, which recovers nothing: the thread goes on without it", async () => {
    let now = 1000;
    const store = memoryStore();
    const options = { calls: ["pay"], approvals: [{ tools: "pay", expiresAfter: 1e6 }], store, now: () => now };
    const gone = createApprovalStage(options);
    await gone.agent.thread("t").send("Go.").result;
    await gone.agent.close();
    now += 2e6;
    const model = scriptedModel([{ text: "Too late." }]);
    const agent = createAgent({ model, store, now: () => now });
    const late = await agent.thread("t").decide({ call_1: { type: "approve" } }).result;
    expect(late.error?.code).toBe("decision/refused");
    now += 1e4;
    await until(() => model.calls === 1);
    await until(async () => (await store.load("t"))?.status === "idle");
    expect(await statesOf(store, "t")).toEqual({ pay: "expired" });
  });

  test("the time of one call is over while its sibling runs: it is settled then, and the others can be decided", async () => {
    const slow = promised();
    const store = memoryStore();
    const gated = (name: string, approval: ToolApproval) =>
      tool({ name, description: "Gated.", approval, execute: () => `${name} ran` });
    const agent = createAgent({
      model: scriptedModel([{ calls: [{ name: "short" }, { name: "long" }, { name: "slow" }] }, { text: "Done." }]),
      store,
      tools: [
        gated("short", { expiresAfter: 30 }),
        gated("long", { expiresAfter: 1e9 }),
        tool({ name: "slow", description: "Slow.", execute: () => slow.promise }),
      ],
    });
    const thread = agent.thread("t");
    const run = thread.send("Go.");
    await until(async () => (await statesOf(store, "t"))["short"] === "expired");
    expect((await endsOf(store, "t")).get("call_1")).toBe(1);
    expect((await thread.pending()).map(({ name }) => name)).toEqual(["long"]);
    const all = thread.approveAll();
    await until(async () => (await statesOf(store, "t"))["long"] === "succeeded");
    slow.resolve("at last");
    expect((await Promise.all([run.result, all.result])).map(({ text }) => text)).toEqual(["Done.", "Done."]);
    expect(await statesOf(store, "t")).toEqual({ short: "expired", long: "succeeded", slow: "succeeded" });
    expect([...(await endsOf(store, "t")).values()]).toEqual([1, 1, 1]);
  });

  test("a call whose time is over waits no more, also before it is settled", async () => {
    let now = 1000;
    const slow = promised();
    const agent = createAgent({
      model: scriptedModel([{ calls: [{ name: "pay" }, { name: "slow" }] }, { text: "Done." }]),
      tools: [
        tool({ name: "pay", description: "Pays.", approval: { expiresAfter: 1e6 }, execute: () => "paid" }),
        tool({ name: "slow", description: "Slow.", execute: () => slow.promise }),
      ],
      now: () => now,
    });
    const thread = agent.thread("t");
    const run = thread.send("Go.");
    await until(async () => (await thread.pending()).length === 1);
    now += 2e6;
    expect(await thread.pending()).toEqual([]);
    expect((await thread.approveAll().result).error?.code).toBe("decision/none");
    slow.resolve("at last");
    await run.result;
    await until(async () => JSON.stringify(await thread.history("openai-chat")).includes("Done."));
    expect((await thread.calls()).map(({ status }) => status)).toEqual(["expired", "succeeded"]);
  });

  test("a timer that rings before the clock says so rings again", async () => {
    let now = 1000;
    const { agent, model } = createApprovalStage({
      calls: ["pay"],
      approvals: [{ tools: "pay", expiresAfter: 20 }],
      now: () => now,
    });
    await agent.thread("t").send("Go.").result;
    now += 19;
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(model.calls).toBe(1);
    now += 1;
    await until(() => model.calls === 2);
  });

  test("one that is decided in time does not expire afterwards", async () => {
    const { agent, model, store } = createApprovalStage({
      calls: ["pay"],
      approvals: [{ tools: "pay", expiresAfter: 400 }],
    });
    await agent.thread("t").send("Go.").result;
    await agent.thread("t").approveAll().result;
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(model.calls).toBe(2);
    expect(await statesOf(store, "t")).toEqual({ pay: "succeeded" });
  });
});
