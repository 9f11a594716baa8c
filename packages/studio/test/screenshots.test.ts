/** Every view in both themes and languages, on phones and on screens of two widths: accessible, without overflow, and as a picture. */
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";

import { cardTexts } from "../src/texts/card-texts.ts";
import { accessibilityFaults, noBrowser, openStudio } from "./browser.ts";
import { fillOffice, office } from "./office.ts";

/** `npm run screenshot` writes the pictures of the documents; other runs write to an ignored folder. */
const forDocuments = process.env["UNDANGLE_SCREENSHOTS"] === "docs";
const inDocuments = ["inbox-en-light", "inbox-zh-light", "thread-en-light", "timeline-en-light", "doctor-en-light"];
const folder = fileURLToPath(new URL(forDocuments ? "../../../docs/assets/" : "../screenshots/", import.meta.url));
mkdirSync(folder, { recursive: true });

interface View {
  readonly name: string;
  /** Absent if it continues the view before it. */
  readonly path?: string;
  /** The server: with threads in every state, without threads, or one that requires a key. */
  readonly server?: "empty" | "locked";
  /** What a person does before the picture. */
  readonly act?: (page: Page, language: "en" | "zh") => Promise<void>;
}

const payment = (page: Page): Locator => page.locator("[data-card=call_2]");

/** Presses a button of the card of a payment. */
const pressOnCard = (page: Page, language: "en" | "zh", name: "edit" | "always" | "cancel"): Promise<void> =>
  payment(page)
    .getByRole("button", { name: cardTexts[language].names[name]("pay_invoice", "call_2"), exact: true })
    .click();

/** The views of two pages, which are open at the same time. */
const views: readonly (readonly View[])[] = [
  [
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
    {
      name: "edit-panel",
      act: async (page, language) => {
        await pressOnCard(page, language, "edit");
        await payment(page).getByLabel("Amount").fill("310");
      },
    },
    {
      name: "always-panel",
      act: async (page, language) => {
        await pressOnCard(page, language, "cancel");
        await pressOnCard(page, language, "always");
        await payment(page).getByRole("radio").first().check();
      },
    },
    { name: "agents", path: "/t/supplier" },
    { name: "failed", path: "/t/report" },
  ],
  [
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
    { name: "empty", path: "/", server: "empty" },
    { name: "key", path: "/", server: "locked" },
  ],
];

const looks = [
  { name: "en-light", language: "en", locale: "en-US", colorScheme: "light", width: 1280, height: 800 },
  { name: "en-dark", language: "en", locale: "en-US", colorScheme: "dark", width: 1280, height: 800 },
  { name: "zh-light", language: "zh", locale: "zh-CN", colorScheme: "light", width: 1280, height: 800 },
  { name: "zh-dark", language: "zh", locale: "zh-CN", colorScheme: "dark", width: 1280, height: 800 },
  { name: "en-phone", language: "en", locale: "en-US", colorScheme: "light", width: 360, height: 740 },
  { name: "zh-dark-phone", language: "zh", locale: "zh-CN", colorScheme: "dark", width: 360, height: 740 },
  { name: "en-wide", language: "en", locale: "en-US", colorScheme: "light", width: 2560, height: 1300 },
] as const;

describe.skipIf(noBrowser)("every view", () => {
  test.each(looks)(
    "$name",
    async ({ name, language, locale, colorScheme, width, height }) => {
      const studio = await openStudio({ config: office() });
      await fillOffice(studio.client);
      const empty = await openStudio();
      const locked = await openStudio();
      await locked.client.keys.create({ name: "Admin", scopes: ["admin"] });
      const servers = { empty, locked };
      const visit = async (inOrder: readonly View[]): Promise<void> => {
        const page = await studio.open("/", { locale, colorScheme, viewport: { width, height } });
        for (const { name: view, path, server, act } of inOrder) {
          if (path !== undefined) {
            await page.goto((server === undefined ? studio : servers[server]).url + path);
            await settled(page);
          }
          if (act !== undefined) {
            await act(page, language);
            await settled(page);
          }
          expect.soft(await accessibilityFaults(page), view).toEqual([]);
          expect.soft(await overflow(page), view).toBeLessThanOrEqual(0);
          if (!forDocuments || inDocuments.includes(`${view}-${name}`))
            await page.screenshot({ path: `${folder}studio-${view}-${name}.png` });
        }
      };
      await Promise.all(views.map(visit));
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
