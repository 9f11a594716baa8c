import { describe, expect, test } from "vitest";

import { accessibilityFaults, noBrowser, openStudio } from "./browser.ts";

describe.skipIf(noBrowser)("the shell", () => {
  test("names its views and creates a thread", async () => {
    const studio = await openStudio({ turns: [{ text: "Hello." }] });
    const page = await studio.open("/");
    await page.getByRole("link", { name: "Inbox" }).waitFor();
    await page.getByRole("button", { name: "New thread" }).click();
    await page.waitForURL(/\/t\/.+/u);
    await page.locator("main h1").waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test("the title of the page names the thread and its view", async () => {
    const studio = await openStudio({ turns: [{ text: "Hello." }] });
    await studio.client.threads.create({ id: "bill", title: "One bill" });
    await studio.client.threads.create({ id: "bills", title: "Bills of March" });
    const page = await studio.open("/t/bills/repairs");
    const named = (title: string) => page.waitForFunction((wanted) => document.title === wanted, title);
    await named("Bills of March · Repairs · Undangle");
    expect(await page.locator("nav [aria-current=page]").allInnerTexts()).toEqual(["Bills of March", "Repairs"]);
    await page.getByRole("link", { name: "Chat" }).click();
    await named("Bills of March · Undangle");
    await page.getByRole("link", { name: "Settings" }).click();
    await named("Settings · Undangle");
  });

  test("the menu of a phone closes with Escape and with the link of the current view", async () => {
    const studio = await openStudio();
    const page = await studio.open("/settings", { viewport: { width: 360, height: 740 }, hasTouch: true });
    const menu = page.getByRole("button", { name: "Menu" });
    await menu.click();
    await page.getByRole("link", { name: "Doctor" }).focus();
    const hidden = /^(?:landmark-one-main|page-has-heading-one|skip-link)/u; // the content is inert while the menu is open
    expect((await accessibilityFaults(page)).filter((fault) => !hidden.test(fault))).toEqual([]);
    await page.keyboard.press("Escape");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Menu");
    await menu.click();
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Close the menu");
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("main").waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
  });

  test("speaks Chinese to a Chinese browser", async () => {
    const studio = await openStudio();
    const page = await studio.open("/", { locale: "zh-CN", colorScheme: "dark" });
    await page.getByRole("link", { name: "待审批" }).waitFor();
    expect(await page.evaluate(() => document.documentElement.lang)).toBe("zh-CN");
  });
});
