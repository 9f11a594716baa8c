import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";

import { noBrowser, openStudio } from "../browser.ts";

const count = 10_000;

const messages = Array.from({ length: count }, (_, i) => ({
  role: i % 2 === 0 ? "user" : "assistant",
  content:
    i % 2 === 0 ? `Question ${i}?` : `Answer **${i}**.\n\n* one\n* two\n\n${"Some words. ".repeat(1 + (i % 17))}`,
}));

describe.skipIf(noBrowser)("a thread of 10,000 messages", () => {
  test("opens at its end, keeps few messages in the document, and reads older ones without a jump", async () => {
    const studio = await openStudio();
    const { id } = await studio.client.threads.import({
      history: { model: "gpt-5.1", messages },
      format: "openai-chat",
    });
    const page = await studio.open("/");
    const start = Date.now();
    await page.goto(`${studio.url}/t/${id}`);
    await page.locator("strong", { hasText: `${count - 1}` }).waitFor();
    const opened = Date.now() - start;
    const list = page.getByRole("region", { name: "Conversation" });
    expect(await list.getByRole("group").count()).toBeLessThan(60);

    // Scrolls up as a person does. What is in sight stays where it is when older messages are added above.
    await list.hover();
    const { rate, longest } = await scrolled(page);
    const numbers = async (): Promise<readonly number[]> =>
      (await list.locator("strong").allInnerTexts()).map(Number).filter((number) => number > 0);
    expect(Math.min(...(await numbers()))).toBeLessThan(count - 100);
    const [first] = await numbers();
    await page.waitForTimeout(500); // a page that arrives now must not move what is shown
    expect(await numbers()).toContain(first);
    await page.getByRole("button", { name: "Jump to the latest" }).click();
    await page.locator("strong", { hasText: `${count - 1}` }).waitFor();
    process.stdout.write(
      `10,000 messages: shown after ${opened} ms, ${Math.round(rate)} frames per second while scrolling, longest frame ${Math.round(longest)} ms\n`,
    );
  }, 120_000);

  test("is shown on a processor with a quarter of the speed", async () => {
    const studio = await openStudio();
    const { id } = await studio.client.threads.import({
      history: { model: "gpt-5.1", messages },
      format: "openai-chat",
    });
    const page = await studio.open("/settings");
    const session = await page.context().newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: 4 });
    await page.goto(`${studio.url}/t/${id}`);
    await page.locator("strong", { hasText: `${count - 1}` }).waitFor();
    expect(await page.locator("strong").count()).toBeLessThan(200); // only what is in sight
    const first = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
    process.stdout.write(`10,000 messages: first paint after ${Math.round(first ?? Infinity)} ms\n`);
  }, 120_000);
});

/** The frames per second and the longest frame while the wheel turns. */
async function scrolled(page: Page): Promise<{ readonly rate: number; readonly longest: number }> {
  let frames = 0;
  let longest = 0;
  for (let i = 0; i < 12; i++) {
    await page.mouse.wheel(0, -4_000);
    const seen = await page.evaluate(
      () =>
        new Promise<{ shown: number; longest: number }>((resolve) => {
          const begin = performance.now();
          let [shown, before, longest] = [0, begin, 0];
          const next = (now: number): void => {
            shown++;
            longest = Math.max(longest, now - before);
            before = now;
            if (now - begin < 250) requestAnimationFrame(next);
            else resolve({ shown, longest });
          };
          requestAnimationFrame(next);
        }),
    );
    frames += seen.shown;
    longest = Math.max(longest, seen.longest);
  }
  return { rate: frames / 3, longest };
}
