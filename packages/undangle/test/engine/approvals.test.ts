import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createAgent, tool } from "#engine";
import { memoryStore } from "#store";
import type { Store } from "#store";
import { scriptedModel } from "#testing";
import { afterAll, describe, expect, test } from "vitest";

import { sqliteStore } from "../../src/store/sqlite.ts";
import { createApprovalStage, input } from "./approval-stage.ts";
import { promised, quiet, soon, until } from "./promised.ts";
import { callsOf, statesOf, toldOf } from "./recorded.ts";

const folder = mkdtempSync(join(tmpdir(), "undangle-approvals-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("who decides, and where", () => {
  test("pending approvals survive the process: a new agent on the same file decides", async () => {
    const path = join(folder, "survive.db");
    const first = createApprovalStage({ calls: ["pay", "look"], own: { pay: true }, store: sqliteStore(path) });
    const { pending } = await first.agent.thread("t").send("Go.").result;
    await first.agent.close();
    await first.store.close();
    const store = sqliteStore(path);
    const second = createApprovalStage({ own: { pay: true }, store, later: [] });
    const model = scriptedModel([{ text: "Thanks." }]);
    const ran: number[] = [];
    const agent = createAgent({
      model,
      store,
      tools: [tool({ name: "pay", description: "Pays.", input, approval: true, execute: ({ n }) => void ran.push(n) })],
    });
    expect(await second.agent.thread("t").pending()).toEqual(pending);
    const digest = pending[0]?.digest ?? "";
    expect(await agent.thread("t").decide({ call_1: { type: "approve", digest } }).result).toMatchObject({
      status: "done",
      text: "Thanks.",
    });
    expect(ran).toEqual([0]);
    expect(await toldOf(agent.thread("t"))).toEqual({ pay: "Done.", look: "look 1 done" });
    await store.close();
  });

  test("a tool that the new agent does not have is an error result for the model", async () => {
    const { agent, store } = createApprovalStage({ calls: ["pay"], own: { pay: true } });
    await agent.thread("t").send("Go.").result;
    const poor = createAgent({ model: scriptedModel([{ text: "A pity." }]), store, tools: [] });
    expect((await poor.thread("t").approveAll().result).text).toBe("A pity.");
    expect(await statesOf(store, "t")).toEqual({ pay: "failed" });
  });

  test("a tool whose arguments have changed their form since is not run with the old ones", async () => {
    const { agent, store } = createApprovalStage({ calls: ["pay"], own: { pay: true } });
    await agent.thread("t").send("Go.").result;
    const ran: unknown[] = [];
    const schema = { type: "object", properties: { cents: { type: "integer" } }, required: ["cents"] } as const;
    const stricter = createAgent({
      model: scriptedModel([{ text: "I see." }]),
      store,
      tools: [tool({ name: "pay", description: "Pays.", input: schema, execute: (args) => void ran.push(args) })],
    });
    expect((await stricter.thread("t").approveAll().result).text).toBe("I see.");
    expect(ran).toEqual([]);
    expect((await toldOf(stricter.thread("t")))["pay"]).toMatch(/`cents` is missing/u);
  });

  test.each(["memory", "sqlite"])(
    "two agents on one store (%s) decide about different calls of one turn",
    async (kind) => {
      const path = join(folder, "two.db");
      const stores = kind === "memory" ? Array<Store>(2).fill(memoryStore()) : [sqliteStore(path), sqliteStore(path)];
      const [one, two] = stores.map((store) =>
        createApprovalStage({ calls: ["pay", "delete_all"], approvals: [{ tools: "*" }], store }),
      );
      if (one === undefined || two === undefined) throw new Error("There are two.");
      await one.agent.thread("t").send("Go.").result;
      const first = await two.agent.thread("t").decide({ call_2: { type: "approve" } }, { by: "Bob" }).result;
      expect(first).toMatchObject({ status: "waiting", pending: [{ id: "call_1" }] });
      const second = await soon(one.agent.thread("t").decide({ call_1: { type: "reject" } }, { by: "Ada" }).result);
      expect(second.status).toBe("done");
      expect([one.ran, two.ran]).toEqual([[], ["delete_all 1"]]);
      const calls = await callsOf(one.store, "t");
      expect(calls.map(({ state, decision }) => [state, decision?.by])).toEqual([
        ["rejected", "Ada"],
        ["succeeded", "Bob"],
      ]);
      for (const store of new Set(stores)) await store.close();
    },
  );

  test("what one agent reads is what another has written", async () => {
    const store = memoryStore();
    const [one, two] = [
      createApprovalStage({ calls: ["pay"], own: { pay: true }, store }),
      createApprovalStage({ own: { pay: true }, store }),
    ];
    await one.agent.thread("t").send("Go.").result;
    expect((await two.agent.thread("t").pending()).length).toBe(1);
    await one.agent.thread("t").rejectAll("no").result;
    expect(await two.agent.thread("t").pending()).toEqual([]);
    expect(await two.agent.thread("t").history("anthropic")).toEqual(await one.agent.thread("t").history("anthropic"));
  });

  test("decisions that come while a sibling runs are taken at once", async () => {
    const slow = promised();
    const store = memoryStore();
    const ran: string[] = [];
    const agent = createAgent({
      model: scriptedModel([{ calls: [{ name: "slow" }, { name: "pay" }] }, { text: "Done." }]),
      store,
      tools: [
        tool({ name: "slow", description: "Slow.", execute: () => slow.promise }),
        tool({ name: "pay", description: "Pays.", approval: true, execute: () => void ran.push("pay") }),
      ],
    });
    const thread = agent.thread("t");
    const run = thread.send("Go.");
    await until(async () => (await thread.pending()).length === 1);
    const decided = thread.approveAll();
    await until(async () => (await statesOf(store, "t"))["pay"] === "succeeded");
    expect(ran).toEqual(["pay"]);
    expect(await statesOf(store, "t")).toEqual({ slow: "running", pay: "succeeded" });
    slow.resolve("ok");
    await quiet();
    expect([(await run.result).status, (await decided.result).status]).toEqual(["done", "done"]);
  });
});
