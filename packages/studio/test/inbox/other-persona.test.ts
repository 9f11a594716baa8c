/** A call that waits while the thread gets another persona: only the agent that requested the call may run it. */
import { memoryStore, tool } from "undangle/agent";
import type { AgentConfig } from "undangle/config";
import { scriptedModel } from "undangle/testing";
import { describe, expect, test } from "vitest";

import { cardOf, press } from "../bank.ts";
import { accessibilityFaults, noBrowser, openStudio } from "../browser.ts";

const reason = "It cannot be approved now. helper requested it, but another agent continues this thread";

function bothAgents() {
  const ran: string[] = [];
  const agentOf = (name: string): AgentConfig => ({
    model: scriptedModel([{ calls: [{ name: "pay", arguments: { to: "Ann" } }] }, { text: "Done." }], { loop: true }),
    tools: [
      tool({
        name: "pay",
        description: "Pays.",
        input: { type: "object", properties: { to: { type: "string" } } } as const,
        approval: true,
        execute: () => void ran.push(name),
      }),
    ],
  });
  return { ran, agents: { helper: agentOf("helper"), clerk: agentOf("clerk") } };
}

async function openTwo() {
  const { ran, agents } = bothAgents();
  const studio = await openStudio({ config: { agents } });
  await studio.client.threads.create({ id: "bills" });
  await studio.client.threads.send("bills", "Pay.");
  return { ...studio, ran };
}

describe.skipIf(noBrowser)("a pending call of another persona", () => {
  test.each(["/", "/t/bills"])(
    "states before a press why it cannot be approved, and can be rejected: %s",
    async (path) => {
      const { open, client, ran } = await openTwo();
      const page = await open(path);
      const open1 = page.getByRole("button", { name: "Open pay (call_1)" });
      if (path === "/") await open1.click();
      const card = cardOf(page, "call_1");
      const button = (name: string) => card.getByRole("button", { name, exact: true });
      await button("Edit and approve pay (call_1) …").click();
      await card.getByRole("textbox", { name: "to" }).fill("Anna");
      await client.threads.update("bills", { persona: "clerk" });
      await card.getByRole("note").getByText(reason).waitFor();
      expect(await card.getByRole("button", { name: /approve/iu }).count()).toBe(0);
      expect(await card.evaluate((each) => each === document.activeElement)).toBe(true); // its input is gone
      expect(await accessibilityFaults(page)).toEqual([]);
      await client.threads.update("bills", { persona: "helper" });
      await button("Approve pay (call_1)").waitFor();
      expect(await card.getByText(reason).count()).toBe(0);
      await client.threads.update("bills", { persona: "clerk" });
      await card.getByText(reason).waitFor();
      await page.reload();
      if (path === "/") await open1.click();
      await card.getByText(reason).waitFor();
      await button("Reject pay (call_1) …").click();
      await press(button("Reject pay (call_1) with this reason"));
      await expect.poll(async () => (await client.threads.get("bills")).calls[0]?.status).toBe("rejected");
      expect(ran).toEqual([]);
    },
  );

  test.each(["/", "/t/bills"])("cannot be decided while the server does not have the persona: %s", async (path) => {
    const store = memoryStore();
    const { agents } = bothAgents();
    const before = await openStudio({ config: { agents }, options: { store } });
    await before.client.threads.create({ id: "bills", persona: "clerk" });
    await before.client.threads.send("bills", "Pay.");
    const { client, open } = await openStudio({ config: { agents: { helper: agents.helper } }, options: { store } });
    const page = await open(path);
    const line = page.getByRole("button", { name: "Open pay (call_1)" });
    await page.getByText(path === "/" ? "stopped by: tool rule" : "Why it is waiting").waitFor();
    expect(await page.getByText("Decide …").count()).toBe(0);
    if (path === "/") await line.click();
    const card = cardOf(page, "call_1");
    await card.getByRole("note").getByText("This server no longer has the persona of the thread.").waitFor();
    expect(await card.getByRole("group").getByRole("button").count()).toBe(0);
    expect(await accessibilityFaults(page)).toEqual([]);
    for (const key of ["a", "e", "r"]) await page.keyboard.press(key);
    expect(await page.locator("[data-panel]").count()).toBe(0);
    await client.threads.update("bills", { persona: "helper" });
    await card.getByRole("button", { name: "Reject pay (call_1) …" }).click();
    await press(card.getByRole("button", { name: "Reject pay (call_1) with this reason" }));
    await expect.poll(async () => (await client.threads.get("bills")).calls[0]?.status).toBe("rejected");
  });

  test("its form, which appears again with the first persona, takes no keys from the composer", async () => {
    const { open, client } = await openTwo();
    const page = await open("/t/bills");
    const card = cardOf(page, "call_1");
    await card.getByRole("button", { name: "Edit and approve pay (call_1) …" }).click();
    const field = card.getByRole("textbox", { name: "to" });
    await field.fill("Anna");
    const composer = page.getByRole("textbox", { name: "Message" });
    await composer.click();
    await page.keyboard.type("First ");
    await client.threads.update("bills", { persona: "clerk" });
    await field.waitFor({ state: "detached" });
    await client.threads.update("bills", { persona: "helper" });
    await field.waitFor();
    await page.keyboard.type("words");
    expect([await composer.inputValue(), await field.inputValue()]).toEqual(["First words", "Anna"]);
  });
});
