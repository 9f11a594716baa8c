import type { Locator, Page } from "playwright-core";
import { tool } from "undangle/agent";
import { describe, expect, test } from "vitest";

import { noBrowser, openStudio } from "../browser.ts";
import type { Studio } from "../browser.ts";

const long = Array.from({ length: 40 }, (_, i) => `Paragraph ${i} with some words.`).join("\n\n");

/** How far the end of the conversation is below what is in sight, in pixels. */
const rest = (page: Page): Promise<number> =>
  conversation(page).evaluate(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight);

const conversation = (page: Page): Locator => page.getByRole("region", { name: "Conversation" });

async function opened(studio: Studio, words: string): Promise<Page> {
  const { id } = await studio.client.threads.create({ title: "Scrolls" });
  await studio.client.threads.send(id, words);
  const page = await studio.open(`/t/${id}`);
  await page.locator(".markdown").last().waitFor();
  return page;
}

async function send(page: Page, words: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(words);
  await page.keyboard.press("Enter");
}

describe.skipIf(noBrowser)("the conversation", () => {
  test("opens at its end, also if the last message is long and is parsed later", async () => {
    const table = `| a | b |\n|---|---|\n${"| some *words* | [a link](https://a.example) |\n".repeat(600)}`;
    const page = await opened(await openStudio({ turns: [{ text: table }] }), "Write a table.");
    await page.getByRole("table").nth(3).waitFor();
    await expect.poll(() => rest(page)).toBeLessThan(2);
  });

  test("follows a stream, until the person scrolls up a little; a button and an own message lead to the end", async () => {
    const studio = await openStudio({ turns: [{ text: long }, { text: long, pace: 20 }, { text: "Short." }] });
    const page = await opened(studio, "Write.");
    await send(page, "Write slowly.");
    await page.getByRole("button", { name: "Stop the run" }).waitFor();
    await page.waitForTimeout(600);
    await expect.poll(() => rest(page), { interval: 10 }).toBeLessThan(2); // a frame later it has grown again
    await conversation(page).hover();
    for (let i = 0; i < 8; i++) {
      await page.mouse.wheel(0, -20); // less than what counts as the end
      await page.waitForTimeout(40);
    }
    await page.waitForTimeout(600);
    expect(await rest(page)).toBeGreaterThan(100);
    await page.getByRole("button", { name: "Jump to the latest" }).click();
    await expect.poll(() => rest(page)).toBeLessThan(2);
    await page.mouse.wheel(0, -800);
    await page.getByRole("button", { name: "Jump to the latest" }).waitFor();
    await send(page, "Write shortly.");
    await page.getByText("Short.", { exact: true }).waitFor();
    await expect.poll(() => rest(page)).toBeLessThan(2);
  });

  test("follows a stream although the list moves up by itself", async () => {
    const studio = await openStudio({ turns: [{ text: long }, { text: long, pace: 20 }] });
    const page = await opened(studio, "Write.");
    await send(page, "Write slowly.");
    await page.getByRole("button", { name: "Stop the run" }).waitFor();
    await page.waitForTimeout(600);
    await conversation(page).evaluate((region) => region.scrollBy(0, -80)); // as when sizes are learnt or a card disappears
    await page.waitForTimeout(600);
    await expect.poll(() => rest(page), { interval: 10 }).toBeLessThan(2);
    expect(await page.getByRole("button", { name: "Jump to the latest" }).count()).toBe(0);
  });

  test("does not jump when a person opens a call at its end", async () => {
    const read = tool({ name: "read", description: "Reads.", execute: () => "A line.\n".repeat(200) });
    const studio = await openStudio({
      agent: { tools: [read] },
      turns: [{ text: long, calls: [{ name: "read" }] }, { text: "Read." }],
    });
    const page = await opened(studio, "Read.");
    await expect.poll(() => rest(page)).toBeLessThan(2); // texts are parsed after they are shown
    await page.waitForTimeout(300);
    const summary = page.locator("summary", { hasText: "Details of the call of read" });
    await summary.scrollIntoViewIfNeeded();
    const before = await summary.boundingBox();
    await summary.click();
    await page.getByText("A line.").last().waitFor();
    await page.waitForTimeout(300);
    expect(Math.abs(((await summary.boundingBox())?.y ?? 0) - (before?.y ?? 0))).toBeLessThan(2);
  });

  test("is not moved by the composer or the header while a run starts, streams and ends", async () => {
    const studio = await openStudio({ turns: [{ text: long }, { reasoning: long, text: long, pace: 5 }] });
    const page = await opened(studio, "Write.");
    await page.evaluate(() => {
      const shifts: number[] = [];
      Object.assign(globalThis, { shifts });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) shifts.push((entry as unknown as { readonly value: number }).value);
      }).observe({ type: "layout-shift" });
    });
    const height = await conversation(page).evaluate(({ clientHeight }) => clientHeight);
    await send(page, "Write again.");
    await page.getByRole("button", { name: "Stop the run" }).waitFor();
    expect(await conversation(page).evaluate(({ clientHeight }) => clientHeight)).toBe(height);
    await page.getByText("idle", { exact: true }).waitFor();
    const shifts = await page.evaluate(() => (globalThis as unknown as { readonly shifts: readonly number[] }).shifts);
    expect(Math.max(0, ...shifts)).toBeLessThan(0.01);
  });
});

describe.skipIf(noBrowser)("pending calls", () => {
  const pay = tool({ name: "pay", description: "Pays.", approval: true, execute: () => "paid" });

  test.each([
    [360, 640],
    [360, 740],
    [1280, 800],
  ])("leave the conversation in sight at %i × %i, and can be folded", async (width, height) => {
    const studio = await openStudio({
      agent: { tools: [pay] },
      turns: [{ text: long, calls: [{ name: "pay" }, { name: "pay" }, { name: "pay" }] }, { text: "Done." }],
    });
    const { id } = await studio.client.threads.create({ title: "Payments" });
    await studio.client.threads.send(id, "Pay.");
    const page = await studio.open(`/t/${id}`, { viewport: { width, height }, hasTouch: width < 500 });
    const cards = page.getByRole("region", { name: "3 calls need a decision." });
    await cards.waitFor();
    const size = (): Promise<number> => conversation(page).evaluate(({ clientHeight }) => clientHeight);
    const before = await size();
    expect(before).toBeGreaterThan(90);
    expect(await page.getByRole("textbox", { name: "Message" }).isVisible()).toBe(true);
    await page.getByRole("button", { name: "3 calls need a decision." }).click();
    await expect.poll(size).toBeGreaterThan(before + 80);
    expect(await page.getByRole("region", { name: /^Pending call of pay/u }).count()).toBe(0);
    await page.getByRole("button", { name: "Decide below the conversation" }).last().click();
    await page
      .getByRole("region", { name: /^Pending call of pay/u })
      .first()
      .waitFor();
  });
});
