/** Acceptance test 13: an imported broken history, its repairs, and the way to the doctor. */
import { describe, expect, test } from "vitest";

import { accessibilityFaults, noBrowser, openStudio } from "./browser.ts";
import { brokenHistory } from "./office.ts";

const look = { locale: "zh-CN", colorScheme: "dark", viewport: { width: 360, height: 740 } } as const;

describe.skipIf(noBrowser)("the repairs of a thread", () => {
  test("a broken history is imported from the empty view, and each edit is shown with its rule and its diff", async () => {
    const studio = await openStudio({ turns: [{ text: "Hello." }] });
    const { id } = await studio.client.threads.create();
    const page = await studio.open(`/t/${id}/repairs`);
    await page.getByRole("heading", { name: "Nothing was repaired" }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.getByLabel("History as JSON").fill("{ not JSON");
    await page.getByRole("button", { name: "Import and repair" }).click();
    await page.getByText("This is not JSON").waitFor();
    await page.getByLabel("History as JSON").fill(JSON.stringify(brokenHistory));
    await page.getByRole("button", { name: "Import and repair" }).click();
    await page.waitForURL((url) => url.pathname.endsWith("/repairs") && !url.pathname.includes(id));

    const thread = decodeURIComponent(new URL(page.url()).pathname.split("/")[2] ?? "");
    const repairs = await studio.client.threads.repairs(thread);
    expect(repairs.length).toBeGreaterThan(1);
    for (const { rule, message, edit, avoided } of repairs) {
      const group = page.getByRole("region", { name: rule, exact: true });
      const item = group.getByRole("listitem").filter({ hasText: message }).first();
      await item.waitFor();
      const text = await item.innerText();
      expect(text).toContain(edit?.to ?? edit?.from);
      expect(text).toContain(avoided?.message ?? "");
      expect(text).toContain(edit?.lossless === true ? "lossless" : "not lossless");
      expect(await group.getByRole("link").getAttribute("href")).toBe(`/doctor#explain=${rule}`);
    }
    const inserted = repairs.find(({ edit }) => edit?.type === "insert");
    const diff = page.getByRole("group", { name: `Change by ${inserted?.rule} at ` }).first();
    expect(await diff.innerText()).toMatch(/^\+ /mu);
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test("the doctor receives the history as it was imported", async () => {
    const studio = await openStudio();
    const { id } = await studio.client.threads.import({ history: brokenHistory });
    const page = await studio.open(`/t/${id}/repairs`);
    await page.getByRole("button", { name: "Open in the doctor" }).click();
    await page.waitForURL(/\/doctor$/u);
    const main = page.getByRole("main");
    await main.getByText("unanswered-call").first().waitFor();
    expect(await main.innerText()).toContain("Bergen");
    await page.goBack();
    await page.getByRole("link", { name: "Explain arguments-json in the doctor" }).click();
    await page.waitForURL(/\/doctor#explain=arguments-json$/u);
    await main.getByText("arguments-json").first().waitFor();
  });

  test("is readable in Chinese, in the dark, on a phone", async () => {
    const studio = await openStudio();
    const { id } = await studio.client.threads.import({ history: brokenHistory });
    const page = await studio.open(`/t/${id}/repairs`, look);
    await page.getByText("导入的历史").first().waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  });
});
