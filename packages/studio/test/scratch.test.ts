import { test } from "vitest";
import { openStudio } from "./browser.ts";
import { fillOffice, office } from "./office.ts";
test("scratch", async () => {
  const studio = await openStudio({ config: office });
  await fillOffice(studio.client);
  for (const [name, width, height, colorScheme, locale] of [
    ["wide", 1280, 800, "light", "en-US"],
    ["dark", 1280, 900, "dark", "zh-CN"],
    ["phone", 360, 740, "light", "en-US"],
  ] as const) {
    const page = await studio.open("/doctor", { locale, colorScheme, viewport: { width, height } });
    await page.route("**/queue/events", async (route) =>
      route.fulfill({
        contentType: "text/event-stream",
        body: `event: snapshot\ndata: ${JSON.stringify(await studio.client.queue())}\n\n`,
      }),
    );
    await page.goto(studio.url + "/");
    await page.getByRole("checkbox").first().waitFor();
    await page.screenshot({ path: `/tmp/shots/inbox-${name}-1.png` });
    await page.keyboard.press("j");
    await page.waitForTimeout(800);
    await page.screenshot({ path: `/tmp/shots/inbox-${name}-2.png` });
    await page.keyboard.press("e");
    await page.waitForTimeout(600);
    await page.screenshot({ path: `/tmp/shots/inbox-${name}-3.png`, fullPage: true });
    await page.context().close();
  }
}, 60000);
