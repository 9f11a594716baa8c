import { subagents, tool } from "undangle/agent";
import { scriptedModel } from "undangle/testing";
import type { ScriptedTurn } from "undangle/testing";
import { describe, expect, test } from "vitest";

import { noBrowser, openStudio } from "./browser.ts";

const drop = tool({ name: "drop_table", description: "Drops.", approval: true, execute: () => "dropped" });
const look = tool({ name: "look", description: "Looks.", execute: () => "seen" });

const asks = (agent: string): ScriptedTurn => ({
  text: `I ask the ${agent}.`,
  calls: [{ name: "task", arguments: { description: "Do it.", subagent_type: agent } }],
});

const boss = (name: string, inner: ReturnType<typeof worker>) => ({
  name,
  description: `The ${name}.`,
  instructions: "Delegate.",
  model: scriptedModel([asks(inner.name), { text: `The ${name} is done.` }]),
  middleware: [subagents({ agents: [inner], generalPurpose: false })],
});

const worker = (name: string) => ({
  name,
  description: `The ${name}.`,
  instructions: "Work.",
  model: scriptedModel([
    { text: "I look and drop.", calls: [{ name: "look" }, { name: "drop_table" }] },
    { text: `The ${name} is done.` },
  ]),
  tools: [drop, look],
});

describe.skipIf(noBrowser)("sub-agents", () => {
  test("three levels deep wait, show the inner tool with its path, and continue after a decision", async () => {
    const studio = await openStudio({
      agent: { middleware: [subagents({ agents: [boss("manager", worker("clerk"))], generalPurpose: false })] },
      turns: [asks("manager"), { text: "All is done." }],
    });
    const { id } = await studio.client.threads.create({ title: "Levels" });
    await studio.client.threads.send(id, "Go.");
    const pending = (await studio.client.threads.pending(id)).pending[0];
    expect(pending).toMatchObject({ id: "call_1/call_1/call_2", name: "drop_table" });
    const page = await studio.open(`/t/${id}`, { viewport: { width: 1000, height: 3000 } });
    const card = page.getByRole("region", { name: /Pending call of drop_table/u });
    await card.waitFor();
    await card.getByRole("button", { name: /^Approve and always allow/u }).click();
    await card
      .getByRole("radio", { name: "all drop_table calls of the sub-agent until its current task ends" })
      .waitFor();
    await card.getByRole("button", { name: "Cancel" }).click();
    await card.getByText("Requested by helper › manager › clerk").waitFor();
    await page.getByRole("article", { name: "Call of task: its sub-agent is waiting for a decision" }).waitFor();
    await page.getByRole("button", { name: "Sub-agent of task" }).click();
    await page.getByText("I ask the clerk.").waitFor();
    await page.getByRole("button", { name: "Sub-agent of task" }).nth(1).click();
    await page.getByText("I look and drop.").waitFor();
    await page.getByRole("article", { name: "Call of look: done" }).waitFor(); // its sibling did not wait
    await page.getByRole("article", { name: "Call of drop_table: waiting for a decision" }).waitFor();
    await studio.client.threads.start.decide(id, { [pending?.id ?? ""]: { type: "approve" } });
    await page.getByText("All is done.", { exact: true }).waitFor();
    await page.getByRole("article", { name: "Call of drop_table: done" }).waitFor();
    await page.locator(".markdown p", { hasText: "The manager is done." }).waitFor();
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
    await group.getByText("1 of 2 decided").waitFor();
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
});
