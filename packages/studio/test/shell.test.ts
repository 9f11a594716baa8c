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

  test("a new thread is ready for a message, and appears in the list once it has one", async () => {
    const studio = await openStudio({ turns: [{ text: "Hello." }] });
    const page = await studio.open("/");
    await page.getByRole("button", { name: "New thread" }).click();
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("TEXTAREA");
    await page.keyboard.type("What time is it?");
    expect(await page.getByRole("textbox", { name: "Message" }).inputValue()).toBe("What time is it?");
    await page.keyboard.press("Enter");
    await page.getByRole("list").getByRole("link", { name: "What time is it?" }).waitFor({ timeout: 5_000 });
    expect((await studio.client.threads.list()).data).toHaveLength(1);
  });

  test("the list of threads says why it is empty", async () => {
    const studio = await openStudio();
    await studio.client.threads.create({ title: "Bills of March" });
    const page = await studio.open("/settings");
    const search = page.getByRole("searchbox", { name: "Search threads" });
    await page.getByRole("link", { name: "Bills of March" }).waitFor();
    const searches: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("q=")) searches.push(request.url());
    });
    await search.pressSequentially("invoice", { delay: 20 });
    await page.getByText("No thread contains this text.").waitFor();
    expect(new Set(searches).size).toBe(1); // the list is also read again when the queue changes
    await search.fill("");
    await page.getByRole("link", { name: "Bills of March" }).waitFor();
    await page.route("**/threads?*", (route) => route.fulfill({ status: 400, json: { error: { message: "No." } } }));
    await page.reload();
    await page.getByText("This could not be loaded. No.").waitFor();
    expect(await page.getByText("No threads yet.").count()).toBe(0);
  });

  test("the title of the page names the thread and its view", async () => {
    const studio = await openStudio({ turns: [{ text: "Hello." }] });
    await studio.client.threads.create({ id: "账单", title: "One bill" });
    await studio.client.threads.create({ id: "账单 3", title: "Bills of March" });
    const page = await studio.open(`/t/${encodeURIComponent("账单 3")}/repairs`);
    const named = (title: string) => page.waitForFunction((wanted) => document.title === wanted, title);
    await named("Bills of March · Repairs · Undangle");
    const current = await page.locator("nav [aria-current=page]").allInnerTexts();
    expect(current.map((text) => text.split("\n")[0])).toEqual(["Bills of March", "Repairs"]); // with the time of the last change
    await page.getByRole("link", { name: "Chat" }).click();
    await named("Bills of March · Undangle");
    await page.getByRole("link", { name: "Settings" }).click();
    await named("Settings · Undangle");
  });

  test.each([1280, 700, 360])("the title and the tabs of a thread keep their places, %i pixels wide", async (width) => {
    const studio = await openStudio({ turns: [{ text: "Hello." }] });
    await studio.client.threads.create({ id: "bills", title: "Bills of March" });
    await studio.client.threads.send("bills", "Hello?");
    const page = await studio.open("/t/bills", { viewport: { width, height: 740 } });
    const tabs = page.getByRole("navigation", { name: "Views of this thread" });
    const places: unknown[] = [];
    for (const name of ["Chat", "Timeline", "Repairs"]) {
      await tabs.getByRole("link", { name }).click();
      await tabs.locator("[aria-current=page]").getByText(name).waitFor();
      await page.getByRole("heading", { name: "Bills of March" }).waitFor();
      if (name === "Timeline") await page.getByRole("button", { name: "Export the trace" }).waitFor();
      const title = await page.getByRole("heading", { name: "Bills of March" }).boundingBox();
      const { x, y } = (await tabs.boundingBox()) ?? {};
      places.push({ title: title?.x, x, y });
    }
    expect(places).toEqual([places[0], places[0], places[0]]);
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
