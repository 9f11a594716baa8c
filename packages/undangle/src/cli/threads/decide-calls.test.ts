import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createAgent, tool } from "#engine";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";

import { beginWaiting, makeBench } from "./threads.fixture.ts";
import type { Bench } from "./threads.fixture.ts";

let bench: Bench;
beforeEach(() => {
  bench = makeBench();
});
afterEach(() => bench.remove());

describe("decide", () => {
  test("approves one, rejects the other with a reason, and the agent goes on", async () => {
    await beginWaiting(bench, "t1", [1, 2]);
    const { exitCode, stdout } = await bench.run(
      "decide",
      "t1",
      "--approve",
      "call_1",
      "--reject",
      "call_2=too dear, sorry",
      "--by",
      "ann",
    );
    expect(exitCode).toBe(0);
    expect(stdout).toContain("call_1 pay_invoice: succeeded");
    expect(stdout).toContain("call_2 pay_invoice: rejected");
    const { calls } = JSON.parse((await bench.run("show", "t1", "--json")).stdout) as Record<string, unknown>; // an object
    expect(calls).toMatchObject([
      { status: "succeeded", decision: { type: "approve", by: "ann" } },
      { status: "rejected", decision: { type: "reject", reason: "too dear, sorry", by: "ann" } },
    ]);
    expect(await bench.run("decide", "t1", "--approve", "all")).toMatchObject({ exitCode: 2 });
  });

  test("decides calls of sub-agents by their ids, although only those have the tools", async () => {
    const store = memoryStore();
    const pay = tool({ name: "pay", description: "Pays.", approval: true, execute: () => "paid" });
    const clerk = createAgent({
      model: scriptedModel([{ calls: [{ name: "pay" }] }, { text: "Paid." }]),
      tools: [pay],
      store,
    });
    const ask = tool({
      name: "ask",
      description: "Asks the clerk.",
      agent: () => clerk,
      execute: async (_, context) => (await context.runChild("Pay.")).text,
    });
    const model = scriptedModel([{ calls: [{ name: "ask" }] }, { text: "The clerk has paid." }]);
    const boss = { model, tools: [ask] };
    const agent = createAgent({ ...boss, store });
    await agent.thread("t1").send("Pay.").result;
    await agent.close();
    vi.stubGlobal("undangleConfig", { store, agents: { boss } });
    writeFileSync(join(bench.folder, "undangle.config.mjs"), "export default globalThis.undangleConfig;");
    const { stdout: shown } = await bench.run("show", "t1");
    expect(shown).toContain("Pending: call_1/call_1 (ask#call_1 > pay)\n");
    expect(shown).toContain("undangle threads decide t1 --approve call_1/call_1\n");
    const { stdout, stderr, exitCode } = await bench.run("decide", "t1", "--approve", "call_1/call_1");
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(stdout).toBe("call_1/call_1 pay: succeeded\ncall_1 ask: succeeded\nThe clerk has paid.\n");
    vi.unstubAllGlobals();
  });

  test("all is every call that no other option names; what is left is told", async () => {
    await beginWaiting(bench, "t1", [1, 2, 3]);
    const first = await bench.run("decide", "t1", "--approve", "call_2");
    expect(first.stderr).toContain("Pending: call_1, call_3");
    expect(first.stdout).toBe("call_2 pay_invoice: succeeded\n");
    const { stdout } = await bench.run("decide", "t1", "--reject", "all=no", "--approve", "call_3", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ id: "t1", status: "done", pending: [] });
    const { calls } = JSON.parse((await bench.run("show", "t1", "--json")).stdout) as Record<string, unknown>; // an object
    expect(calls).toMatchObject([{ status: "rejected" }, { status: "succeeded" }, { status: "succeeded" }]);
  });

  test.each([
    [[], "Nothing to decide"],
    [["--approve", "call_9"], 'No pending call "call_9". Did you mean call_1?'],
    [["--approve", "call_1", "--reject", "call_1"], "call_1 has two decisions"],
    [["--approve", "all", "--reject", "all"], "all has two decisions"],
    [["--approve", "all", "--agent", "none"], '--agent: there is no agent "none"'],
    [["--approve", "all", "--model", "none/x"], "--model: There is no model"],
  ])("%j is refused, and nothing is decided: %s", async (argv, message) => {
    await beginWaiting(bench, "t1");
    const { exitCode, stderr } = await bench.run("decide", "t1", ...argv);
    expect([exitCode, stderr.includes(message), stderr]).toEqual([2, true, stderr]);
    expect((await bench.run("list")).stdout).toMatch(/^t1\twaiting\t/u);
  });

  test("an agent without the tools is not let near it", async () => {
    await beginWaiting(bench, "t1");
    writeFileSync(
      join(bench.folder, "undangle.config.mjs"),
      `export default { agents: { mail: { instructions: "Be kind." } } };`,
    );
    const { exitCode, stderr } = await bench.run("decide", "t1", "--approve", "all");
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining("The agent mail does not have the tools of this thread: pay_invoice."),
    ]);
    expect((await bench.run("list")).stdout).toMatch(/^t1\twaiting\t/u);
  });
});
