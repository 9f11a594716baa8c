/** Every view in both themes, both languages, on a phone and on a wide screen: accessible, without overflow, and as a picture. */
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";

import { accessibilityFaults, noBrowser, openStudio } from "./browser.ts";
import { fillOffice, office } from "./office.ts";

/** `npm run screenshot` writes the pictures of the documents; other runs write to an ignored folder. */
const forDocuments = process.env["UNDANGLE_SCREENSHOTS"] === "docs";
const inDocuments = ["inbox-en-light", "inbox-zh-light", "thread-en-light", "timeline-en-light", "doctor-en-light"];
const folder = fileURLToPath(new URL(forDocuments ? "../../../docs/assets/" : "../screenshots/", import.meta.url));
mkdirSync(folder, { recursive: true });

interface View {
  readonly name: string;
  readonly path: string;
  /** What a person does before the picture. */
  readonly act?: (page: Page) => Promise<void>;
}

const views: readonly View[] = [
  { name: "inbox", path: "/" },
  {
    name: "card",
    path: "/",
    act: (page) =>
      page
        .getByText(/Pay an invoice/u)
        .first()
        .click(),
  },
  { name: "thread", path: "/t/bills" },
  { name: "agents", path: "/t/supplier" },
  { name: "failed", path: "/t/report" },
  { name: "timeline", path: "/t/bills/timeline" },
  { name: "repairs", path: "/t/weather/repairs" },
  { name: "rule", path: "/doctor#explain=unanswered-call" },
  {
    name: "doctor",
    path: "/doctor",
    act: (page) =>
      page
        .getByRole("button", { name: /^OpenAI/u })
        .first()
        .click(),
  },
  { name: "settings", path: "/settings" },
];

const looks = [
  { name: "en-light", locale: "en-US", colorScheme: "light", width: 1280, height: 800 },
  { name: "en-dark", locale: "en-US", colorScheme: "dark", width: 1280, height: 800 },
  { name: "zh-light", locale: "zh-CN", colorScheme: "light", width: 1280, height: 800 },
  { name: "zh-dark", locale: "zh-CN", colorScheme: "dark", width: 1280, height: 800 },
  { name: "en-phone", locale: "en-US", colorScheme: "light", width: 360, height: 740 },
] as const;

describe.skipIf(noBrowser)("every view", () => {
  test.each(looks)(
    "$name",
    async ({ name, locale, colorScheme, width, height }) => {
      const studio = await openStudio({ config: office() });
      await fillOffice(studio.client);
      const page = await studio.open("/", { locale, colorScheme, viewport: { width, height } });
      for (const { name: view, path, act } of views) {
        await page.goto(studio.url + path);
        await settled(page);
        if (act !== undefined) {
          await act(page);
          await settled(page);
        }
        expect.soft(await accessibilityFaults(page), view).toEqual([]);
        expect.soft(await overflow(page), view).toBeLessThanOrEqual(0);
        if (!forDocuments || inDocuments.includes(`${view}-${name}`))
          await page.screenshot({ path: `${folder}studio-${view}-${name}.png` });
      }
    },
    120_000,
  );
});

/** Waits until the page shows content and nothing loads any more. */
async function settled(page: Page): Promise<void> {
  await page.locator("main h1, main h2").first().waitFor();
  await page.waitForTimeout(600); // cards become active after 400 ms
}

/** How many pixels the page is wider than the screen. */
const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
