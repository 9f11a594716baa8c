/** What `screenshots.test.ts` does not open: all panels of cards, selections, low windows and forced colours. */
import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";

import { cardTexts } from "../src/texts/card-texts.ts";
import { inboxTexts } from "../src/texts/inbox-texts.ts";
import { accessibilityFaults, noBrowser, openStudio } from "./browser.ts";
import { fillOffice, office } from "./office.ts";

const looks = [
  { language: "en", locale: "en-US", colorScheme: "light" },
  { language: "zh", locale: "zh-CN", colorScheme: "dark" },
] as const;

async function filled() {
  const studio = await openStudio({ config: office() });
  await fillOffice(studio.client);
  return studio;
}

const payment = (page: Page): Locator => page.locator("[data-card=call_2]");

async function selectAll(page: Page): Promise<void> {
  const boxes = page.getByRole("checkbox");
  await boxes.nth(5).waitFor();
  for (const box of await boxes.all()) await box.check();
}

describe.skipIf(noBrowser)("accessibility", () => {
  test.each(looks)(
    "of panels and selections: $language, $colorScheme",
    async ({ language, ...look }) => {
      const { open } = await filled();
      const page = await open("/", look);
      const faults = async (place: string): Promise<void> => {
        expect.soft(await accessibilityFaults(page), place).toEqual([]);
      };
      await selectAll(page);
      await page.keyboard.press("?");
      await page.getByRole("region", { name: inboxTexts[language].keys }).waitFor();
      await faults("selection");
      await page.goto(new URL("/t/bills", page.url()).href);
      const { names, labels } = cardTexts[language];
      for (const panel of ["reject", "edit", "respond", "always"] as const) {
        const name = names[panel]("pay_invoice", "call_2");
        const button = payment(page).getByRole("button", { name, exact: true });
        expect(await button.innerText()).toContain(labels[panel]);
        await button.click();
        await faults(panel);
        await button.click();
      }
      await page.goto(new URL("/t/none", page.url()).href);
      await page.getByRole("alert").waitFor();
      await faults("a thread that does not exist");
    },
    120_000, // six analyses
  );

  test("every button that decides names its tool and its outcome", async () => {
    const { open } = await filled();
    const page = await open("/t/bills");
    const outcome = /^(?:Approve|Reject|Edit and approve|Respond in place of|Approve and always allow) /u;
    for (const [id, tool] of [
      ["call_2", "pay_invoice"],
      ["call_4", "delete_mail"],
    ] as const) {
      const buttons = page.locator(`[data-card=${id}] [role=group] button`);
      await buttons.nth(4).waitFor();
      const names = await buttons.evaluateAll((all) => all.map((each) => each.getAttribute("aria-label") ?? ""));
      expect(names).toHaveLength(5);
      for (const name of names) expect([name, name.includes(`${tool} (${id})`)]).toEqual([name, true]);
      for (const name of names) expect(name).toMatch(outcome);
    }
    await page.goto(new URL("/", page.url()).href);
    await selectAll(page);
    for (const word of ["Approve", "Reject"])
      await page.getByRole("button", { name: new RegExp(`^${word} 6 selected calls: .*pay_invoice`, "u") }).waitFor();
  });

  test.each(looks)(
    "every action of a card and of its panels names its outcome and its tool: $language, $colorScheme",
    async ({ language, ...look }) => {
      const { client, open } = await filled();
      const page = await open("/t/bills", look);
      const { names } = cardTexts[language];
      const call = language === "en" ? "pay_invoice (call_2)" : "pay_invoice（call_2）";
      const button = (key: keyof typeof names): Locator =>
        payment(page).getByRole("button", { name: names[key]("pay_invoice", "call_2"), exact: true });
      const seen = new Map<string, string>(); // what is shown, by the accessible name
      const collect = async (): Promise<void> => {
        const all = payment(page).locator("button:not([data-panel] [role=group] *, pre ~ *)"); // without inputs and the copy button
        for (const each of await all.all())
          seen.set((await each.getAttribute("aria-label")) ?? "", (await each.innerText()).replace(/[ …]+$/u, ""));
      };
      for (const panel of ["reject", "edit", "respond", "always"] as const) {
        await button(panel).click();
        await collect();
        await button("cancel").click();
      }
      await button("raw").click();
      await collect();
      await client.threads.decide("bills", { call_2: { type: "reject" } });
      await button("dismiss").waitFor();
      await collect();
      expect(seen.size).toBe(13);
      for (const [name, outcome] of seen)
        expect([name, name.includes(outcome), name.includes(call)]).toEqual([name, true, true]);
    },
  );

  test("in a low window, as with a zoom of 200 %, the buttons do not cover what they decide about", async () => {
    const { open } = await filled();
    const page = await open("/t/bills", { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 });
    const argument = payment(page).getByText("Invoice", { exact: true });
    await argument.scrollIntoViewIfNeeded();
    const isCovered = await argument.evaluate((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      const top = document.elementFromPoint(x + width / 2, y + height / 2);
      return top === null || !(element.contains(top) || top.contains(element));
    });
    expect(isCovered).toBe(false);
  });

  test("with forced colours, the focus and the current view are visible", async () => {
    const { open } = await filled();
    const page = await open("/t/bills", { forcedColors: "active" });
    const field = page.getByRole("textbox", { name: "Message" });
    await field.focus();
    const frame = field.locator("..");
    expect(await frame.evaluate((element) => getComputedStyle(element).outlineStyle)).toBe("solid");
    const current = page.locator("nav [aria-current=page]").first();
    expect(await current.evaluate((element) => getComputedStyle(element).textDecorationLine)).toBe("underline");
  });
});
