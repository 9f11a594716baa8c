import { describe, expect, test } from "vitest";

import { accessibilityFaults, noBrowser, openStudio } from "./browser.ts";

describe.skipIf(noBrowser)("the shell", () => {
  test("names its views and creates a thread", async () => {
    const studio = await openStudio({ turns: [{ text: "Hello." }] });
    const page = await studio.open("/");
    await page.getByRole("link", { name: "Inbox" }).waitFor();
    await page.getByRole("button", { name: "New thread" }).click();
    await page.waitForURL(/\/t\/.+/u);
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test("speaks Chinese to a Chinese browser", async () => {
    const studio = await openStudio();
    const page = await studio.open("/", { locale: "zh-CN", colorScheme: "dark" });
    await page.getByRole("link", { name: "待审批" }).waitFor();
    expect(await page.evaluate(() => document.documentElement.lang)).toBe("zh-CN");
  });
});
