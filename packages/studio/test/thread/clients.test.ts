/** Acceptance test 3 in the thread view: two tabs, and the command line in a process of its own, on one store. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";

import type { Page } from "playwright-core";
import { demoAgent } from "undangle/config";
import { sqliteStore } from "undangle/store/sqlite";
import { describe, expect, test } from "vitest";

import { launch, project } from "../../../../test/server/program.ts";
import type { Ended } from "../../../../test/server/program.ts";
import { cardOf, press } from "../bank.ts";
import { noBrowser, openStudio } from "../browser.ts";
import { sourceProgram } from "../source-program.ts";

/** `undangle threads …` in a folder, in a process of its own. */
const threads = (folder: string, ...argv: readonly string[]): Promise<Ended> =>
  launch([...sourceProgram("cli-from-sources.ts"), "threads", ...argv], folder).ended;

/** The state of a call in the conversation, and who decided it. */
async function waitForCall(page: Page, id: string, texts: readonly string[]): Promise<void> {
  for (const text of texts) await page.locator(`article[id=${id}]`).getByText(text).waitFor();
}

describe.skipIf(noBrowser)("two tabs and the command line on one thread", () => {
  test("a decision in one appears in all, and a stale press reports who decided", async () => {
    const { folder } = project();
    mkdirSync(join(folder, ".undangle"));
    const { client, open } = await openStudio({
      config: { agents: { demo: { ...demoAgent("en"), model: "demo" } } },
      options: { store: sqliteStore(join(folder, ".undangle/threads.db")) },
    });
    const { id } = await client.threads.create({ id: "bills", title: "Bills" });
    await client.threads.send(id, "Pay invoice 12 of 300 euros, pay invoice 13 of 5000 euros and delete my mail.");
    const one = await open(`/t/${id}`, { viewport: { width: 1000, height: 3000 } });
    const two = await one.context().newPage();
    two.setDefaultTimeout(10_000);
    await two.goto(one.url());
    for (const tab of [one, two]) await tab.getByRole("region", { name: "3 calls need a decision." }).waitFor();

    const rejected = await threads(folder, "decide", id, "--reject", "call_1=not this month", "--by", "ann");
    expect(rejected.stdout).toContain("call_1 pay_invoice: rejected");
    for (const tab of [one, two]) {
      await waitForCall(tab, "call_1", ["Rejected by ann", "Reason: not this month"]);
      await tab.getByRole("region", { name: "2 calls need a decision." }).waitFor();
      expect(await cardOf(tab, "call_1").count()).toBe(0);
    }

    await two.route("**/threads/bills/decisions", async (route) => {
      await threads(folder, "decide", id, "--reject", "call_2=too much", "--by", "ben");
      await route.continue();
    });
    await two.waitForTimeout(600); // the card has moved, and its buttons are inactive for a moment
    const stale = two.waitForResponse("**/threads/bills/decisions");
    await cardOf(two, "call_2").getByRole("button", { name: "Approve pay_invoice (call_2)", exact: true }).click();
    expect((await stale).status()).toBe(409); // it decides nothing
    for (const tab of [one, two]) await waitForCall(tab, "call_2", ["Rejected by ben", "Reason: too much"]);

    await cardOf(one, "call_3")
      .getByRole("button", { name: /^Reject delete_mail/u })
      .click();
    await cardOf(one, "call_3").getByRole("textbox", { name: "Reason" }).fill("I need it");
    await press(cardOf(one, "call_3").getByRole("button", { name: /^Reject delete_mail .* with this reason/u }));
    for (const tab of [one, two])
      await waitForCall(tab, "call_3", ["Rejected by you (this machine)", "Reason: I need it"]);
    for (const tab of [one, two]) expect(await cardOf(tab, "call_3").count()).toBe(0);
    await expect.poll(async () => (await client.threads.get(id)).status).toBe("idle");
    const { calls } = JSON.parse((await threads(folder, "show", id, "--json")).stdout) as Record<string, unknown>; // an object
    expect(calls).toMatchObject([
      { status: "rejected", decision: { by: "ann", reason: "not this month" } },
      { status: "rejected", decision: { by: "ben", reason: "too much" } },
      { status: "rejected", decision: { reason: "I need it" } },
    ]);
  });
});
