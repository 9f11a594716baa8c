import type { Page } from "playwright-core";
import { tool } from "undangle/agent";
import { createClient } from "undangle/client";
import { describe, expect, test } from "vitest";

import { accessibilityFaults, noBrowser, openStudio } from "./browser.ts";
import type { Stage } from "./browser.ts";
import { slowResponses } from "./slow-responses.ts";

const pay = tool({
  name: "pay",
  description: "Pays.",
  input: { type: "object", properties: { amount: { type: "number" } } } as const,
  approval: true,
  execute: () => "paid",
});

const paying: Stage = {
  agent: { tools: [pay] },
  turns: [{ calls: [{ name: "pay", arguments: { amount: 5 } }] }, { text: "Paid." }],
};

const section = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

describe.skipIf(noBrowser)("the settings", () => {
  test("show allowances as a tree and revoke one after a confirmation; the next call waits", async () => {
    const { client, open } = await openStudio(paying);
    for (const [id, always] of [
      ["a", { scope: "thread" }],
      ["b", { scope: "agent", match: "arguments" }],
    ] as const) {
      await client.threads.create({ id, title: `Bills ${id}` });
      await client.threads.send(id, "Pay.");
      await client.threads.decide(id, { call_1: { type: "approve", always } });
    }
    const page = await open("/settings");
    const allowances = section(page, "Allowances");
    await allowances.getByRole("heading", { name: "helper" }).waitFor();
    await allowances.getByRole("heading", { name: "pay" }).waitFor();
    await allowances.getByText('"amount": 5').waitFor();
    await allowances.getByText("by you (this machine)").first().waitFor();
    expect(await allowances.getByRole("link", { name: "Bills a", exact: true }).getAttribute("href")).toBe("/t/a");
    expect(await accessibilityFaults(page)).toEqual([]);

    const name = "Revoke the allowance of pay: Calls with these arguments, in every thread";
    const revoke = allowances.getByRole("button", { name, exact: true });
    await revoke.dblclick(); // the second click confirms nothing
    const keep = allowances.getByRole("button", { name: "Keep it" });
    await keep.click();
    await revoke.click();
    await keep.waitFor();
    await expect.poll(() => keep.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press("Escape");
    await revoke.waitFor();
    expect(await client.allowances()).toHaveLength(2);

    await revoke.click();
    const confirm = allowances.getByRole("button", { name: `Revoke now: ${name}` });
    await expect.poll(() => confirm.getAttribute("aria-disabled")).toBe("false");
    await confirm.focus();
    await page.keyboard.press("Enter");
    await confirm.waitFor({ state: "detached" });
    expect(await allowances.evaluate((element) => element === document.activeElement)).toBe(true);
    expect((await client.allowances()).map(({ threadId }) => threadId)).toEqual(["a"]);

    await client.revokeAllowance((await client.allowances())[0]?.id ?? "");
    await page.evaluate(() => dispatchEvent(new Event("focus"))); // back from another window
    await allowances.getByText("No allowances.").waitFor();
    await client.threads.create({ id: "c" });
    expect(await client.threads.send("c", "Pay.")).toMatchObject({ status: "waiting" });
  });

  test("read the allowances one at a time while many calls begin to wait", async () => {
    const { client, open } = await openStudio(paying);
    const page = await open("/doctor");
    const reads = await slowResponses(page, /\/allowances$/u, 2_000);
    await page.getByRole("link", { name: "Settings" }).click();
    await section(page, "Allowances").getByText("No allowances.").waitFor();
    for (const id of ["a", "b", "c", "d", "e"]) {
      await client.threads.create({ id, title: id });
      await client.threads.send(id, "Pay.");
      await page.evaluate(() => dispatchEvent(new Event("focus")));
    }
    await client.threads.decide("a", { call_1: { type: "approve", always: { scope: "thread" } } });
    await section(page, "Allowances").getByRole("heading", { name: "pay" }).waitFor();
    expect(reads.most).toBe(1);
  });

  test("create the first key, sign the page in, show the key once, and revoke another", async () => {
    const { url, open } = await openStudio();
    const page = await open("/settings");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const keys = section(page, "API keys");
    await keys.getByText("The first key needs the admin scope.").waitFor();
    expect(await keys.getByRole("checkbox", { name: "admin:" }).isDisabled()).toBe(true);
    await keys.getByRole("textbox", { name: "Name" }).fill("Mine");
    expect(await keys.getByRole("combobox", { name: "Expires" }).inputValue()).toBe("never"); // nothing could replace it
    await keys.getByRole("button", { name: "Create the key" }).click();
    const text = await keys.getByRole("textbox", { name: "Text of the key" }).inputValue();
    expect(text).toMatch(/^ud_/u);
    await keys.getByRole("button", { name: "Copy the key" }).click();
    await keys.getByText("Copied", { exact: true }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(text);
    await keys.getByText("your key").waitFor();
    await keys.getByRole("button", { name: "I have copied it" }).click();
    expect(await keys.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await page.content()).not.toContain(text);
    expect(await accessibilityFaults(page)).toEqual([]);

    await keys.getByRole("textbox", { name: "Name" }).fill("App");
    await keys.getByRole("checkbox", { name: "approve:" }).uncheck();
    await keys.getByRole("button", { name: "Create the key" }).click();
    const other = await keys.getByRole("textbox", { name: "Text of the key" }).inputValue();
    const app = createClient({ url, key: other });
    expect(await app.session.get()).toMatchObject({ name: "App", scopes: ["threads"] });
    await keys.getByRole("button", { name: "I have copied it" }).click();
    await keys.getByRole("button", { name: "Revoke the key App" }).click();
    const confirm = keys.getByRole("button", { name: "Revoke now: Revoke the key App" });
    await expect.poll(() => confirm.getAttribute("aria-disabled")).toBe("false");
    await confirm.click();
    await keys.getByText("Revoked and expired keys (1)").click();
    await keys.getByText("revoked", { exact: true }).waitFor();
    await expect(app.session.get()).rejects.toMatchObject({ status: 401 });

    await keys.getByRole("button", { name: "Revoke the key Mine" }).click();
    await keys
      .getByText("You use this key. You are signed out when you revoke it. No other key manages keys.")
      .waitFor();
    await keys.getByRole("button", { name: "Keep it" }).click();

    await page.reload();
    await section(page, "Session").getByText("Mine").waitFor();
    await section(page, "Session").getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "This server requires a key" }).waitFor();
  });

  test("change the language and the theme in every tab, and stay changed", async () => {
    const { open } = await openStudio();
    const page = await open("/settings");
    const other = await page.context().newPage();
    await other.goto(page.url());
    await section(other, "Appearance").waitFor();
    const look = section(page, "Appearance");
    await look.getByRole("radio", { name: "Dark" }).check();
    await look.getByRole("radio", { name: "中文" }).check();
    await page.getByRole("heading", { name: "设置", exact: true }).waitFor();
    await other.getByRole("heading", { name: "设置", exact: true }).waitFor();
    expect(await other.evaluate(() => document.documentElement.dataset["theme"])).toBe("dark");
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.reload();
    await page.getByRole("heading", { name: "设置", exact: true }).waitFor();
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe("dark");
    await section(page, "外观").getByRole("radio", { name: "跟随浏览器" }).check();
    await page.getByRole("heading", { name: "Settings", exact: true }).waitFor();
  });

  test("state what the browser permits for notifications, and turn them off", async () => {
    const { open } = await openStudio();
    const page = await open("/settings");
    const notifications = section(page, "Notifications");
    const box = notifications.getByRole("checkbox");
    await notifications.getByText("The browser blocks notifications of this page.").waitFor(); // as headless browsers do
    expect(await box.isDisabled()).toBe(true);
    await page.addInitScript(() => Object.defineProperty(Notification, "permission", { value: "granted" }));
    await page.reload();
    await notifications.getByText("The browser permits notifications.").waitFor();
    expect(await box.isChecked()).toBe(true);
    await box.uncheck();
    await page.reload();
    await notifications.waitFor();
    expect(await box.isChecked()).toBe(false);
  });

  test("fit a phone", async () => {
    const { client, open } = await openStudio(paying);
    await client.threads.create({ id: "a-very-long-thread-id-".repeat(6) });
    const page = await open("/settings", { viewport: { width: 360, height: 740 }, hasTouch: true });
    await section(page, "API keys").getByRole("button", { name: "Create the key" }).waitFor();
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(wider).toBeLessThanOrEqual(0);
    expect(await accessibilityFaults(page)).toEqual([]);
  });
});
