import { subagents, tool } from "undangle/agent";
import type { Subagent, Tool } from "undangle/agent";
import { scriptedModel } from "undangle/testing";
import type { ScriptedTurn } from "undangle/testing";
import { describe, expect, onTestFinished, test } from "vitest";

import { press } from "../bank.ts";
import { noBrowser, openStudio } from "../browser.ts";

const drop = tool({ name: "drop_table", description: "Drops.", approval: true, execute: () => "dropped" });
const look = tool({ name: "look", description: "Looks.", execute: () => "seen" });

const asks = (...agents: readonly string[]): ScriptedTurn => ({
  text: `I ask the ${agents.join(", ")}.`,
  calls: agents.map((agent) => ({ name: "task", arguments: { description: "Do it.", subagent_type: agent } })),
});

const boss = (name: string, inner: Subagent): Subagent => ({
  name,
  description: `The ${name}.`,
  instructions: "Delegate.",
  model: scriptedModel([asks(inner.name), { text: `The ${name} is done.` }]),
  middleware: [subagents({ agents: [inner], generalPurpose: false, maxDepth: 3 })],
});

const worker = (name: string, tools: readonly Tool[] = [look, drop]): Subagent => ({
  name,
  description: `The ${name}.`,
  instructions: "Work.",
  model: scriptedModel([
    { text: `The ${name} works.`, calls: tools.map((each) => ({ name: each.name })) },
    { text: `The ${name} is done.` },
  ]),
  tools,
});

describe.skipIf(noBrowser)("sub-agents", () => {
  test("three levels deep wait, are decided in the page by the inner tool and its path, and continue; siblings continue too", async () => {
    const ran: string[] = [];
    const recorded = (name: string, needsApproval: boolean, work = (): Promise<void> => Promise.resolve()): Tool =>
      tool({
        name,
        description: "Works.",
        approval: needsApproval,
        execute: async () => {
          ran.push(name);
          await work();
          return "worked";
        },
      });
    const released = Promise.withResolvers<void>();
    const clerk = worker("clerk", [look, recorded("drop_table", true)]);
    const auditor = worker("auditor", [recorded("close_books", true)]);
    const watcher = worker("watcher", [recorded("watch", false, () => released.promise)]);
    const agents = [boss("director", boss("manager", clerk)), auditor, watcher];
    const studio = await openStudio({
      agent: { middleware: [subagents({ agents, generalPurpose: false, maxDepth: 3 })] },
      turns: [asks("director", "auditor", "watcher"), { text: "All is done." }],
    });
    onTestFinished(() => released.resolve()); // the server closes when its runs have ended
    const { id } = await studio.client.threads.create({ title: "Levels" });
    await studio.client.threads.start.send(id, "Go.");
    const page = await studio.open(`/t/${id}`, { viewport: { width: 1000, height: 4000 } });
    const deep = page.getByRole("region", { name: "Pending call of drop_table (call_1/call_1/call_1/call_2)" });
    await deep.getByText("Requested by helper › director › manager › clerk").waitFor();
    await deep.getByRole("button", { name: /^Approve and always allow/u }).click();
    await deep
      .getByRole("radio", { name: "all drop_table calls of the sub-agent until its current task ends" })
      .waitFor();
    await page.keyboard.press("Escape");
    const other = page.getByRole("region", { name: "Pending call of close_books (call_2/call_1)" });
    await other.getByText("Requested by helper › auditor").waitFor();
    await expect.poll(() => [...ran]).toEqual(["watch"]);

    const stateOf = (call: string): Promise<string | null> =>
      page.locator(`[id="${call}"]`).getAttribute("aria-label", { timeout: 3_000 });
    const delegated = "Call of task: its sub-agent is waiting for a decision";
    await expect.poll(async () => [await stateOf("call_1"), await stateOf("call_2")]).toEqual([delegated, delegated]);
    expect(await stateOf("call_3")).toBe("Call of task: running");
    for (const call of ["call_1", "call_1/call_1", "call_1/call_1/call_1"])
      await page.locator(`[id="${call}"]`).getByRole("button", { name: "Sub-agent of task" }).first().click();
    await page.getByText("The clerk works.").waitFor();
    await page.getByRole("article", { name: "Call of look: done" }).waitFor(); // its sibling did not wait
    await page.getByRole("article", { name: "Call of drop_table: waiting for a decision" }).waitFor();

    await press(deep.getByRole("button", { name: /^Approve drop_table/u }));
    await page.getByRole("article", { name: "Call of drop_table: done" }).waitFor();
    for (const name of ["clerk", "manager"]) await page.getByText(`The ${name} is done.`).first().waitFor();
    await expect.poll(() => stateOf("call_1")).toBe("Call of task: done");
    expect(await stateOf("call_2")).toBe(delegated);
    expect(await stateOf("call_3")).toBe("Call of task: running");
    expect(ran).toEqual(["watch", "drop_table"]);

    await other.getByRole("button", { name: /^Reject close_books/u }).click();
    await press(other.getByRole("button", { name: /^Reject close_books .* with this reason/u }));
    await expect.poll(() => stateOf("call_2")).toBe("Call of task: done");
    expect(await stateOf("call_3")).toBe("Call of task: running");
    released.resolve();
    await page.getByText("All is done.", { exact: true }).waitFor();
    expect(await stateOf("call_3")).toBe("Call of task: done");
    expect(ran).toEqual(["watch", "drop_table"]);
    const received = JSON.stringify(studio.model.requests.at(-1)?.messages.filter(({ role }) => role === "tool"));
    for (const name of ["director", "auditor", "watcher"]) expect(received).toContain(`The ${name} is done.`);
  });

  test("the card in the inbox states the task that an allowance covers, and counts the calls of the task", async () => {
    const studio = await openStudio({
      agent: { middleware: [subagents({ agents: [worker("clerk")], generalPurpose: false })] },
      turns: [asks("clerk"), { text: "All is done." }],
    });
    const { id } = await studio.client.threads.create({ title: "Levels" });
    await studio.client.threads.send(id, "Go.");
    const page = await studio.open("/");
    await page.getByText("by helper › clerk").waitFor();
    await page.getByRole("button", { name: "Open drop_table (call_1/call_2)" }).click();
    const group = page.getByRole("region", { name: "Calls of this turn" });
    await group.getByText("0 of 1 decided").waitFor(); // the other call of the task needed no decision
    await page.getByRole("button", { name: "Approve and always allow drop_table (call_1/call_2) …" }).click();
    for (const name of [
      "all drop_table calls of the sub-agent until its current task ends",
      "all drop_table calls of every task of helper › clerk",
    ])
      expect(await page.getByLabel(name, { exact: true }).count()).toBe(1);
  });

  test("a link to a call of a sub-agent opens it and focuses the call", async () => {
    const studio = await openStudio({
      agent: { middleware: [subagents({ agents: [boss("manager", worker("clerk"))], generalPurpose: false })] },
      turns: [asks("manager"), { text: "All is done." }],
    });
    const { id } = await studio.client.threads.create({ title: "Levels" });
    await studio.client.threads.send(id, "Go.");
    const page = await studio.open(`/t/${id}#call_1/call_1/call_2`);
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.id), { timeout: 6_000 })
      .toBe("call_1/call_1/call_2");
    await page.goto(`${studio.url}/t/${id}#call_1`);
    await expect.poll(() => page.evaluate(() => document.activeElement?.id), { timeout: 6_000 }).toBe("call_1");
  });

  test("whose entries the server refused once are read again on request", async () => {
    const studio = await openStudio({
      agent: { middleware: [subagents({ agents: [worker("clerk", [look])], generalPurpose: false })] },
      turns: [asks("clerk"), { text: "All is done." }],
    });
    const { id } = await studio.client.threads.create({ title: "Refused" });
    await studio.client.threads.send(id, "Go.");
    const page = await studio.open(`/t/${id}`);
    const refused = { error: { message: "Not now.", code: "server/forbidden" } };
    await page.route(/entries\?.*path=/u, (route) => route.fulfill({ status: 403, json: refused }), { times: 1 });
    await page.getByRole("button", { name: "Sub-agent of task" }).click();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("The clerk works.").waitFor();
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
  });
});
