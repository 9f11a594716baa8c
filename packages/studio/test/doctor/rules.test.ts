/** The pages of rules, to which comments and search results link. */
import { describe, expect, test } from "vitest";

import { doctorTexts } from "../../src/texts/doctor-texts.ts";
import { noBrowser } from "../browser.ts";
import { openDoctor, openSample } from "./doctor-page.ts";

const texts = doctorTexts.en;

describe.skipIf(noBrowser)("the rules in the doctor", () => {
  test("shows one rule at its address, in the language of the browser", async () => {
    const page = await openDoctor("#explain=orphan-result", { locale: "zh-CN" });
    await page.getByRole("heading", { name: "结果没有对应的调用" }).waitFor();
    await page.getByRole("link", { name: doctorTexts.zh.rules.all }).click();
    await page.getByRole("searchbox").fill("tool_use_id");
    await page.getByRole("link", { name: /orphan-result/u }).click();
    await page.getByRole("heading", { name: "结果没有对应的调用" }).waitFor();
    await page.goBack();
    await page.getByRole("searchbox").waitFor();
    expect(new URL(page.url()).hash).toBe("#rules");
  });

  test("shows a rule from its beginning, with its title", async () => {
    const page = await openDoctor();
    await openSample(page, "trimmed");
    const link = page.locator("#before ~ * a").last();
    await link.scrollIntoViewIfNeeded();
    await link.click();
    const heading = page.getByRole("heading", { level: 1 });
    await heading.waitFor();
    expect(await heading.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await heading.evaluate((element) => element.getBoundingClientRect().top)).toBeGreaterThan(0);
    expect(await page.title()).toBe(`${await heading.innerText()} · Undangle`);
    await page.evaluate(() => location.assign("#explain=nothing"));
    await page.getByRole("heading", { name: texts.rules.unknown("nothing") }).waitFor();
  });
});
