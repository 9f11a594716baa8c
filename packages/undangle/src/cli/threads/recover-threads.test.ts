import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { createAgent } from "#engine";
import { scriptedModel } from "#testing";

import { beginWaiting, makeBench, payInvoice } from "./threads.fixture.ts";
import type { Bench } from "./threads.fixture.ts";

let bench: Bench;
beforeEach(() => {
  bench = makeBench();
});
afterEach(() => bench.remove());

/** Starts a process that runs a thread, up to the middle of it. */
async function begin(id: string, ...calls: readonly string[]): Promise<ChildProcess> {
  const program = fileURLToPath(new URL("killed-program.fixture.ts", import.meta.url));
  const child = spawn(process.execPath, ["--conditions=undangle-source", program, bench.folder, id, calls.join(",")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout ?? child, "data");
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}

const beginAndKill = async (id: string, ...calls: readonly string[]): Promise<void> => kill(await begin(id, ...calls));

const statuses = async (id: string): Promise<readonly string[]> => {
  const shown = JSON.parse((await bench.run("show", id, "--json")).stdout) as {
    readonly calls: readonly { readonly status: string }[];
  }; // what show writes
  return shown.calls.map(({ status }) => status);
};

const version = (id: string): Promise<number | undefined> =>
  bench.inStore(async (store) => (await store.load(id))?.version);

describe("recover", () => {
  test("says that there is nothing to do", async () => {
    await beginWaiting(bench, "t1");
    const { exitCode, stdout, stderr } = await bench.run("recover");
    expect([exitCode, stdout]).toEqual([0, ""]);
    expect(stderr).toContain("Nothing to recover");
    expect((await bench.run("recover", "--json")).stdout).toBe("[]\n");
  });

  test("leaves a thread alone that a living process runs", async () => {
    const child = await begin("t1", "pay_invoice");
    expect((await bench.run("recover")).stdout).toBe("t1: a process is running it; skipped\n");
    await kill(child);
    expect((await bench.run("recover")).stdout).toContain("t1: settled after a process died");
  });

  test("settles a call that was running, and asks no model", async () => {
    await beginAndKill("t1", "pay_invoice");
    const before = await version("t1");
    const line = "  call_1 pay_invoice: running → lost, outcome unknown\n";
    expect((await bench.run("recover", "--dry-run")).stdout).toBe(`t1: would be settled after a process died\n${line}`);
    expect(await version("t1")).toBe(before);
    expect((await bench.run("recover")).stdout).toBe(`t1: settled after a process died\n${line}`);
    expect(await statuses("t1")).toEqual(["lost"]);
    expect((await bench.run("list")).stdout).toMatch(/^t1\tidle\t\S+\t2\t0\t/u);
    expect((await bench.run("recover")).stdout).toBe("");
  });

  test("settles a thread whose answer was cut off", async () => {
    await beginAndKill("t1");
    expect((await bench.run("recover")).stdout).toBe("t1: settled after a process died\n");
    expect((await bench.run("list")).stdout).toMatch(/^t1\tidle\t\S+\t1\t0\t/u);
  });

  test("leaves what waits for a person waiting", async () => {
    await beginAndKill("t1", "pay_invoice", "delete_mail");
    const { stdout } = await bench.run("recover", "--json");
    expect(JSON.parse(stdout)).toEqual([
      { id: "t1", action: "settled", calls: [{ id: "call_1", name: "pay_invoice", from: "running", to: "lost" }] },
    ]);
    expect(await statuses("t1")).toEqual(["lost", "awaiting"]);
    expect((await bench.run("list")).stdout).toMatch(/^t1\twaiting\t\S+\t2\t1\t/u);
  });

  test("leaves a thread whose calls may start again, until it is let go on", async () => {
    await beginAndKill("t1", "get_time");
    const left = await bench.run("recover");
    expect(left.stdout).toContain("t1: skipped, because its calls may still start");
    expect(left.stderr).toContain("--go-on resumes the threads");
    const { exitCode, stdout } = await bench.run("recover", "--go-on");
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining("t1: the model has responded")]);
    expect(await statuses("t1")).toEqual(["succeeded"]);
  });

  test("leaves a call that was not started, and lets nobody start it who does not have its tool", async () => {
    await beginAndKill("t1", "pay_invoice", "own_tool");
    const left = await bench.run("recover");
    expect(left.stdout).toBe("t1: skipped, because its calls may still start\n  call_2 own_tool: not started\n");
    const { exitCode, stdout } = await bench.run("recover", "--go-on");
    expect([exitCode, stdout]).toEqual([
      1,
      expect.stringContaining("does not have the tools of this thread: own_tool."),
    ]);
    expect(await bench.inStore(async (store) => (await store.load("t1"))?.owner)).toBeDefined();
  });

  test("takes the threads that are named only", async () => {
    await beginAndKill("t1", "pay_invoice");
    await beginAndKill("t2", "pay_invoice");
    expect((await bench.run("recover", "t2")).stdout).toMatch(/^t2: settled/u);
    expect((await bench.run("recover", "--dry-run")).stdout).toMatch(/^t1: would be settled/u);
  });

  test("settles approvals whose time is over", async () => {
    const tools = [payInvoice];
    const approvals = [{ tools: "pay_invoice", expiresAfter: 1 }];
    await bench.inStore(async (store) => {
      const model = scriptedModel([{ calls: [{ name: "pay_invoice", arguments: {} }] }]);
      const agent = createAgent({ model, tools, approvals, store, now: () => Date.now() - 60_000 });
      await agent.thread("t1").send("Pay.").result; // a minute ago
      await agent.close();
    });
    expect((await bench.run("recover")).stdout).toBe(
      "t1: settled because a deadline has passed\n  call_1 pay_invoice: waits for a decision → expired, not executed\n",
    );
    expect(await statuses("t1")).toEqual(["expired"]);
  });
});
