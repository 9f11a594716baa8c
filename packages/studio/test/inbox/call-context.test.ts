/** The conversation before a call, in the open card of the inbox. */
import type { Page } from "playwright-core";
import { subagents, tool } from "undangle/agent";
import { createClient } from "undangle/client";
import { scriptedModel } from "undangle/testing";
import type { ScriptedTurn } from "undangle/testing";
import { describe, expect, test } from "vitest";

import { cardOf, press } from "../bank.ts";
import { accessibilityFaults, noBrowser, openStudio } from "../browser.ts";

const pay = tool({ name: "pay", description: "Pays.", approval: true, execute: () => "paid" });
const look = tool({ name: "look", description: "Looks.", execute: () => "nothing new" });

async function openWith(turns: readonly ScriptedTurn[], message: string) {
  const studio = await openStudio({ agent: { tools: [pay, look] }, turns });
  await studio.client.threads.create({ id: "bills", title: "Bills" });
  await studio.client.threads.send("bills", message);
  return studio;
}

const context = (page: Page) => page.getByRole("region", { name: "Before the call" });
const line = (page: Page, id = "call_1") => page.getByRole("button", { name: `Open pay (${id})` });

describe.skipIf(noBrowser)("the conversation before a call", () => {
  test("is read when the card opens: the last message of the user, and what the model wrote before the call", async () => {
    const looks = Array.from({ length: 30 }, (): ScriptedTurn => ({ calls: [{ name: "look" }] }));
    const turns = [...looks, { text: "The bill is due.", calls: [{ name: "pay" }] }, { text: "Done." }];
    const { open } = await openWith(turns, "Pay what is due.");
    const page = await open("/");
    const reads: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/entries")) reads.push(request.url());
    });
    await line(page, "call_31").waitFor();
    expect(reads).toEqual([]);
    await line(page, "call_31").click();
    await context(page).getByText("Pay what is due.").waitFor();
    await context(page).getByText("The bill is due.").waitFor();
    expect(await context(page).getByRole("button").count()).toBe(0); // nothing is folded
    expect(await accessibilityFaults(page)).toEqual([]);
    await context(page).getByRole("link", { name: "Open thread" }).click();
    await expect.poll(() => new URL(page.url()).pathname + new URL(page.url()).hash).toBe("/t/bills#call_31");
  });

  test("moves nothing when it arrives, and a button that moves with the whole text is inactive", async () => {
    const words = "The supplier wants the money today. ".repeat(60);
    const turns = [{ text: `<img src=x onerror="hacked=1"> ${words}`, calls: [{ name: "pay" }] }, { text: "Done." }];
    const { open, client } = await openWith(turns, `Pay it.\n${words}`);
    for (const width of [1280, 360]) {
      const page = await open("/", { viewport: { width, height: 2400 } });
      const gate = Promise.withResolvers<void>();
      await page.route("**/entries?*", async (route) => {
        await gate.promise;
        await route.continue();
      });
      await line(page).click();
      const approve = cardOf(page, "call_1").getByRole("button", { name: "Approve pay (call_1)", exact: true });
      await context(page).getByText("Loading …").first().waitFor();
      const before = await approve.boundingBox();
      gate.resolve();
      await context(page).getByText("The supplier wants the money today.").first().waitFor();
      const more = context(page).getByRole("button", { name: "Show all: the conversation before pay (call_1)" });
      await more.waitFor();
      expect(await approve.boundingBox()).toEqual(before);
      await context(page).getByText('<img src=x onerror="hacked=1">').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.waitForTimeout(600);
      expect(await approve.getAttribute("aria-disabled")).toBe("false");
      await page.evaluate(() => {
        const named = (name: string) =>
          [...document.querySelectorAll("button")].find((each) => each.getAttribute("aria-label")?.startsWith(name));
        named("Show all")?.click();
        requestAnimationFrame(() => named("Approve pay")?.click()); // it has just moved
      });
      await cardOf(page, "call_1").getByText("It has just moved: press again.").waitFor();
      expect(await approve.boundingBox()).not.toEqual(before);
      await context(page)
        .getByRole("button", { name: /^Show less/u })
        .click();
      await expect.poll(() => approve.boundingBox()).toEqual(before);
      expect(await page.evaluate(() => "hacked" in globalThis)).toBe(false);
      await page.context().close();
    }
    expect((await client.threads.pending("bills")).pending).toHaveLength(1);
  });

  test("of a sub-agent is its task", async () => {
    const clerk = {
      name: "clerk",
      description: "Pays.",
      instructions: "You pay.",
      model: scriptedModel([{ text: "I pay it now.", calls: [{ name: "pay" }] }, { text: "Paid." }], { loop: true }),
      tools: [pay],
    };
    const task = { description: "Pay bill 12 of Ann.", subagent_type: "clerk" };
    const { open, client } = await openStudio({
      agent: { middleware: [subagents({ agents: [clerk], generalPurpose: false })] },
      turns: [{ text: "The clerk does it.", calls: [{ name: "task", arguments: task }] }, { text: "Done." }],
    });
    await client.threads.create({ id: "bills" });
    await client.threads.send("bills", "Pay everything.");
    const page = await open("/");
    await line(page, "call_1/call_1").click();
    await context(page).getByText("Pay bill 12 of Ann.").waitFor();
    await context(page).getByText("I pay it now.").waitFor();
    expect(await context(page).getByRole("term").allInnerTexts()).toEqual(["Task", "Model"]);
  });

  test("states that it cannot be read, and a key that may not read threads requests and sees nothing of it", async () => {
    const { open, url, client } = await openWith(
      [{ text: "A secret plan.", calls: [{ name: "pay" }, { name: "pay" }] }, { text: "Done." }],
      "Pay.",
    );
    const failing = await open("/");
    await failing.route("**/entries?*", (route) => route.fulfill({ status: 404, json: { error: { message: "No." } } }));
    await line(failing).click();
    await context(failing).getByText("The conversation cannot be read.").first().waitFor();

    const admin = createClient({
      url,
      key: (await client.keys.create({ name: "Admin", scopes: ["admin"] })).text,
    });
    const { text: key } = await admin.keys.create({ name: "Ann", scopes: ["approve"] });
    const page = await open("/doctor");
    await page.request.post(`${url}/session`, { data: { key } });
    await page.goto("about:blank");
    const requests: string[] = [];
    page.on("response", (response) => {
      const { pathname } = new URL(response.url());
      if (response.status() >= 400 || pathname.startsWith("/threads")) requests.push(pathname);
    });
    await page.goto(url);
    await line(page).click();
    await press(cardOf(page, "call_1").getByRole("button", { name: "Approve pay (call_1)", exact: true }));
    await cardOf(page, "call_1").getByText("Approved by Ann, in this tab").waitFor();
    expect(await context(page).count()).toBe(0);
    expect(await page.getByRole("link", { name: "Bills" }).count()).toBe(0);
    expect(requests).toEqual(["/threads/bills/decisions"]);
  });
});
