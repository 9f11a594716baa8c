import type { Locator } from "playwright-core";
import { tool } from "undangle/agent";
import { describe, expect, test } from "vitest";

import { cardOf, openBank, threeCalls } from "../bank.ts";
import { noBrowser, openStudio } from "../browser.ts";

const text = { type: "string" } as const;

describe.skipIf(noBrowser)("what a card shows", () => {
  test("a command is shown with the arguments that change what it does", async () => {
    const run = tool({
      name: "run",
      description: "Runs a command.",
      input: { type: "object", properties: { command: text, folder: text } } as const,
      approval: true,
      render: ({ command = "" }) => ({ type: "command", command }),
      execute: () => "done",
    });
    const calls = [
      { name: "run", arguments: { command: "ls" } },
      { name: "run", arguments: { command: "rm -r .", folder: "/etc" } },
    ];
    const { client, open } = await openStudio({ agent: { tools: [run] }, turns: [{ calls }] });
    await client.threads.create({ id: "t" });
    await client.threads.send("t", "Go.");
    const page = await open("/t/t", { viewport: { width: 1000, height: 2000 } });
    await cardOf(page, "call_2").getByText("/etc", { exact: true }).waitFor();
    await cardOf(page, "call_1").getByText("ls", { exact: true }).waitFor();
    expect(await cardOf(page, "call_1").locator("dl").count()).toBe(0); // the command is all
  });

  test("a phone and a narrow window show all arguments of a line, and repeat them beside the buttons of a long card", async () => {
    const note = "A long line of a note about the invoice. ".repeat(40);
    const bank = await openBank({ calls: () => [{ name: "transfer", arguments: { to: note, amount: 1234 } }] });
    await bank.wait("narrow");
    for (const width of [768, 360]) {
      const page = await bank.open("/", { viewport: { width, height: 740 } });
      const line = page.getByRole("button", { name: "Open transfer (call_1)" });
      await line.getByText(/amount: 1234/u).waitFor();
      const isCut = await line.evaluate((row) =>
        [...row.querySelectorAll("span")].some(
          ({ scrollHeight, clientHeight, scrollWidth, clientWidth }) =>
            clientHeight > 1 && (scrollHeight > clientHeight + 1 || scrollWidth > clientWidth + 1),
        ),
      );
      expect(isCut).toBe(false);
      if (width > 500) continue;
      await line.click();
      const actions = page.getByRole("group", { name: "Decisions about transfer (call_1)" });
      await actions.getByText(/amount: 1234/u).waitFor();
    }
  });

  test("a call without arguments has no edit, unless another tool can run instead", async () => {
    const purge = tool({ name: "purge", description: "Deletes all mail.", approval: true, execute: () => "done" });
    const other = tool({ name: "other", description: "Does nothing.", execute: () => "done" });
    for (const tools of [[purge], [purge, other]]) {
      const { client, open } = await openStudio({ agent: { tools }, turns: [{ calls: [{ name: "purge" }] }] });
      await client.threads.create({ id: "t" });
      await client.threads.send("t", "Go.");
      const page = await open("/");
      await page.getByRole("button", { name: "Open purge (call_1)" }).click();
      await cardOf(page, "call_1").getByText("It runs without arguments.").waitFor();
      await expect
        .poll(() => page.getByRole("button", { name: "Edit and approve purge (call_1) …" }).count())
        .toBe(tools.length - 1);
    }
  });

  test("an argument has its description, which is folded if it is long, once for the items of a list", async () => {
    const note = "The amount in euros, with cents after the point. ".repeat(8);
    const amount = { type: "number", description: note } as const;
    const line = { type: "object", properties: { price: { type: "number", description: "Euros." } } } as const;
    const pay = tool({
      name: "pay",
      description: "Pays.",
      input: { type: "object", properties: { amount, lines: { type: "array", items: line } } } as const,
      approval: true,
      execute: () => "done",
    });
    const calls = [{ name: "pay", arguments: { amount: 3, lines: [{ price: 1 }, { price: 2 }] } }];
    const { client, open } = await openStudio({ agent: { tools: [pay] }, turns: [{ calls }] });
    await client.threads.create({ id: "t" });
    await client.threads.send("t", "Go.");
    const page = await open("/t/t");
    const card = cardOf(page, "call_1");
    await card.getByText("Euros.", { exact: true }).waitFor();
    expect(await card.getByText("Euros.", { exact: true }).count()).toBe(1);
    const shown = card.getByText("The amount in euros").locator("..");
    const height = (): Promise<number> => shown.evaluate((text) => text.getBoundingClientRect().height);
    const folded = await height();
    await card.getByRole("button", { name: "Show the whole description" }).click();
    expect(await height()).toBeGreaterThan(folded);
  });

  test("a call without arguments has no fold for them in the conversation", async () => {
    const look = tool({ name: "look", description: "Looks.", execute: () => "seen" });
    const wait = tool({ name: "wait", description: "Waits.", approval: true, execute: () => "done" });
    const turns = [{ calls: [{ name: "look" }, { name: "wait" }] }];
    const { client, open } = await openStudio({ agent: { tools: [look, wait] }, turns });
    await client.threads.create({ id: "t" });
    await client.threads.send("t", "Go.");
    const page = await open("/t/t");
    const article = (name: string): Locator => page.getByRole("article", { name: `Call of ${name}` });
    await article("wait").waitFor();
    expect(await article("wait").locator("details").count()).toBe(0);
    await article("look").locator("summary").click();
    await article("look").locator("pre").getByText("seen").waitFor();
    expect(await article("look").innerText()).not.toContain("Arguments");
  });

  test("a removed line of a diff that looks like its head is shown as removed", async () => {
    const edit = tool({
      name: "edit",
      description: "Edits.",
      approval: true,
      render: () => ({ type: "diff", path: "a.sql", text: "--- a\n+++ b\n@@ -1 +1 @@\n--- DROP TABLE bills;\n+x" }),
      execute: () => "done",
    });
    const { client, open } = await openStudio({ agent: { tools: [edit] }, turns: [{ calls: [{ name: "edit" }] }] });
    await client.threads.create({ id: "t" });
    await client.threads.send("t", "Go.");
    const page = await open("/t/t");
    const line = cardOf(page, "call_1").locator("pre > div", { hasText: "--- DROP TABLE" });
    expect(await line.getAttribute("class")).toContain("text-bad");
    const head = cardOf(page, "call_1").locator("pre > div").first();
    expect(await head.getAttribute("class")).not.toContain("text-bad");
  });

  test("Markdown marks hidden characters, and shows the HTML that it contains", async () => {
    const plan =
      "**Delete** `a\u200Bb`.\n\n| file |\n|---|\n| gpj\u202Eexe |\n\n<div>And the disk.</div>\n\nThen <!-- all --> p\u0430y.";
    const clean = tool({
      name: "clean",
      description: "Deletes.",
      approval: true,
      render: () => ({ type: "markdown", text: plan }),
      execute: () => "done",
    });
    const turns = [{ text: plan.slice(0, 40), calls: [{ name: "clean" }] }];
    const { client, open } = await openStudio({ agent: { tools: [clean] }, turns });
    await client.threads.create({ id: "t" });
    await client.threads.send("t", "Go.");
    const page = await open("/t/t");
    const shown = cardOf(page, "call_1").locator(".markdown");
    await shown.getByText("Delete", { exact: true }).waitFor();
    await expect.poll(() => shown.locator("mark").allInnerTexts()).toEqual(["U+200B", "U+202E", "а U+0430"]);
    await shown.getByText("<div>And the disk.</div>").waitFor();
    await shown.getByText("<!-- all -->").waitFor();
    const said = page.getByRole("region", { name: "Conversation" }).locator(".markdown");
    await said.getByText("Delete", { exact: true }).waitFor();
    expect(await said.locator("mark").count()).toBe(0); // nobody decides by it
  });
});

describe.skipIf(noBrowser)("accidents", () => {
  test("a card that appears under the pointer decides nothing", async () => {
    const bank = await openBank({ calls: threeCalls });
    await bank.wait("pointer");
    const page = await bank.open("/");
    await page.getByRole("button", { name: "Open transfer (call_1)" }).click();
    const box = await page.getByRole("button", { name: "Approve transfer (call_1)", exact: true }).boundingBox();
    await page.keyboard.press("Escape");
    await page.mouse.move((box?.x ?? 0) + 10, (box?.y ?? 0) + 10);
    await page.keyboard.press("k"); // the card opens under the pointer
    await page.mouse.down();
    await page.mouse.up();
    await page.waitForTimeout(1_000);
    expect(bank.ran).toEqual([]);
    expect((await bank.client.threads.get("pointer")).pending).toHaveLength(3);
    await page.mouse.down();
    await page.mouse.up();
    await expect.poll(() => bank.ran.length, { timeout: 10_000 }).toBe(1);
  });

  test("held keys decide nothing", async () => {
    const bank = await openBank();
    await bank.wait("held");
    const page = await bank.open("/");
    await page.getByRole("button", { name: "Open transfer (call_1)" }).click();
    const approve = page.getByRole("button", { name: "Approve transfer (call_1)", exact: true });
    const hold = async (key: string): Promise<void> => {
      await page.keyboard.down(key);
      for (let i = 0; i < 30; i++) {
        if (i === 3) await approve.focus(); // the focus moves to the button while the key is held
        await page.keyboard.down(key); // repeats
        await page.waitForTimeout(30);
      }
    };
    await page.getByLabel("Search threads").focus();
    await hold("Enter");
    await page.keyboard.up("Enter");
    expect(bank.ran).toEqual([]);
    await page.getByLabel("Search threads").fill("");
    await page.keyboard.type("arA"); // keys in an input are text
    await page.keyboard.press("Enter");
    await page.waitForTimeout(600);
    expect(bank.ran).toEqual([]);
    expect((await bank.client.threads.get("held")).pending).toHaveLength(1);
  });

  test("a destructive tool needs a second press, and a double click is one", async () => {
    const bank = await openBank({ calls: () => [{ name: "wipe", arguments: { disk: "C" } }] });
    await bank.wait("wipe");
    const page = await bank.open("/");
    await page.getByRole("button", { name: "Open wipe (call_1)" }).click();
    const approve = page.getByRole("button", { name: /^Approve wipe \(call_1\)/u });
    await approve.dblclick();
    await page.getByText("Press again to approve").filter({ visible: true }).waitFor();
    await page.waitForTimeout(1_000);
    expect(bank.ran).toEqual([]);
    await page.waitForTimeout(5_000); // the first press is forgotten
    await page.getByText("Press again to approve").filter({ visible: true }).waitFor({ state: "detached" });
    await page.keyboard.press("a");
    await page.getByText("Press again to approve").filter({ visible: true }).waitFor();
    await page.waitForTimeout(600);
    await page.keyboard.press("a");
    await expect.poll(() => bank.ran.length, { timeout: 10_000 }).toBe(1);
  });

  test("the second press counts only for what the first was about", async () => {
    const bank = await openBank({ calls: () => [{ name: "wipe", arguments: { disk: "C" } }] });
    await bank.wait("wipe");
    const page = await bank.open("/t/wipe");
    const card = cardOf(page, "call_1");
    await card.getByRole("button", { name: /^Approve and always allow wipe/u }).click();
    const submit = card.getByRole("button", { name: /^Approve and allow: wipe/u });
    await card.getByRole("radio").nth(1).check();
    await clickAtRest(submit);
    await page.getByText("Press again to approve").filter({ visible: true }).waitFor();
    await card.getByRole("radio").nth(0).check(); // a wider allowance
    await page.getByText("Press again to approve").filter({ visible: true }).waitFor({ state: "detached" });
    await clickAtRest(submit);
    await page.getByText("Press again to approve").filter({ visible: true }).waitFor();
    expect(bank.ran).toEqual([]);
    await card.getByRole("button", { name: /^Cancel: / }).click();
    await card.getByRole("button", { name: /^Edit and approve wipe/u }).click();
    const disk = card.getByRole("textbox", { name: "disk" });
    const edited = card.getByRole("button", { name: /^Approve with changes: wipe/u });
    await disk.fill("D");
    await clickAtRest(edited);
    await page.getByText("Press again to approve").filter({ visible: true }).waitFor();
    await disk.fill("E");
    await page.getByText("Press again to approve").filter({ visible: true }).waitFor({ state: "detached" });
    expect(bank.ran).toEqual([]);
  });

  test("a key about a card that was scrolled out of sight brings it back, and decides nothing", async () => {
    const bank = await openBank({ calls: threeCalls });
    await bank.wait("t");
    const page = await bank.open("/t/t");
    await cardOf(page, "call_1").getByText("Recipient").click();
    await cardOf(page, "call_3").scrollIntoViewIfNeeded();
    await page.waitForTimeout(600);
    await page.keyboard.press("a");
    await page.waitForTimeout(1_000);
    expect(bank.ran).toEqual([]);
    await page.keyboard.press("a");
    await expect.poll(() => bank.ran, { timeout: 10_000 }).toMatchObject([{ to: "Ann" }]);
  });
});

/** A button that moved is inactive for a moment. */
async function clickAtRest(button: Locator): Promise<void> {
  await button.scrollIntoViewIfNeeded();
  await button.page().waitForTimeout(600);
  await button.click();
}
