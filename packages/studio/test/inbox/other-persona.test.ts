/** A call that waits while the thread gets another persona: only the agent that requested the call may run it. */
import { tool } from "undangle/agent";
import type { AgentConfig } from "undangle/config";
import { scriptedModel } from "undangle/testing";
import { describe, expect, test } from "vitest";

import { cardOf, press } from "../bank.ts";
import { accessibilityFaults, noBrowser, openStudio } from "../browser.ts";

const reason = "It cannot be approved now. helper requested it, but another agent continues this thread";

async function openTwo() {
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
  const studio = await openStudio({ config: { agents: { helper: agentOf("helper"), clerk: agentOf("clerk") } } });
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
});
