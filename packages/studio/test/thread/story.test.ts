/** Acceptance test 1 in the thread view: three calls are decided in the cards above the composer. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";

import { cardOf, openBank, press, threeCalls } from "../bank.ts";
import type { Bank } from "../bank.ts";
import { noBrowser } from "../browser.ts";

const reason = "The bill is wrong";

/** What the model received, what ran, and what the page shows for every call. */
async function expectStory(bank: Bank, page: Page): Promise<void> {
  await expect.poll(async () => (await bank.client.threads.get("story")).status).toBe("idle");
  expect([...bank.ran].sort((one, other) => one.amount - other.amount)).toEqual([
    { to: "Cy", amount: 70, currency: "EUR" },
    { to: "Ann", amount: 250, currency: "EUR" },
  ]);
  const messages = bank.model.requests.at(-1)?.messages ?? [];
  const results = messages.filter(({ role }) => role === "tool").map((message) => JSON.stringify(message));
  for (const outcome of ["250 sent to Ann.", reason, "70 sent to Cy."])
    expect(results.filter((result) => result.includes(outcome))).toHaveLength(1); // every call has one outcome
  expect(JSON.stringify(messages)).not.toContain("7000"); // the model sees the edited call
  for (const [id, texts] of [
    ["call_1", ["done", "Approved by you"]],
    ["call_2", ["Rejected by you", `Reason: ${reason}`]],
    ["call_3", ["done", "Edited and approved by you"]],
  ] as const)
    for (const text of texts) await page.locator(`article[id=${id}]`).getByText(text).first().waitFor();
  expect(await page.getByRole("region", { name: /^Pending call/u }).count()).toBe(0);
}

describe.skipIf(noBrowser)("the story in a thread: approve one call, reject one with a reason, edit the third", () => {
  test("by keyboard", async () => {
    const bank = await openBank({ calls: threeCalls });
    await bank.wait("story");
    const page = await bank.open("/t/story", { viewport: { width: 1280, height: 1600 } });
    await cardOf(page, "call_3").waitFor();
    /** Moves the focus with Tab only. */
    const tabTo = async (name: string): Promise<void> => {
      const button = page.getByRole("button", { name, exact: true });
      const hasFocus = (): Promise<boolean> => button.evaluate((element) => element === document.activeElement);
      for (let i = 0; i < 60 && !(await hasFocus()); i++) await page.keyboard.press("Tab");
      expect(await hasFocus()).toBe(true);
      await page.waitForTimeout(600); // a button that has just moved is inactive
    };
    await tabTo("Approve transfer (call_1)");
    await page.keyboard.press("Enter");
    await cardOf(page, "call_1").waitFor({ state: "detached" });
    await expect.poll(() => focusedCard(page)).toBe("call_2"); // the next card
    await page.keyboard.press("r");
    await page.keyboard.type(reason);
    await page.waitForTimeout(600);
    await page.keyboard.press("Enter");
    await cardOf(page, "call_2").waitFor({ state: "detached" });
    await expect.poll(() => focusedCard(page)).toBe("call_3");
    await page.keyboard.press("e");
    const amount = cardOf(page, "call_3").getByLabel("Amount");
    await amount.waitFor();
    for (let i = 0; i < 9 && !(await amount.evaluate((input) => input === document.activeElement)); i++)
      await page.keyboard.press("Tab");
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("70");
    await page.getByRole("region", { name: "Proposed → edited" }).waitFor();
    await tabTo("Approve with changes: transfer (call_3)");
    await page.keyboard.press("Enter");
    await expectStory(bank, page);
  });

  test("by touch on a phone", async () => {
    const bank = await openBank({ calls: threeCalls });
    await bank.wait("story");
    const page = await bank.open("/t/story", {
      viewport: { width: 360, height: 740 },
      hasTouch: true,
      isMobile: true,
    });
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    for (const id of ["call_1", "call_2", "call_3"]) {
      await cardOf(page, id).scrollIntoViewIfNeeded();
      for (const name of [`Approve transfer (${id})`, `Reject transfer (${id}) …`]) {
        const box = await button(name).boundingBox();
        expect(box?.height).toBeGreaterThanOrEqual(44);
        expect(box?.width).toBeGreaterThanOrEqual(140);
      }
    }
    await press(button("Approve transfer (call_1)"), "tap");
    await cardOf(page, "call_1").waitFor({ state: "detached" });
    await button("Reject transfer (call_2) …").tap();
    await cardOf(page, "call_2").getByRole("textbox", { name: "Reason" }).fill(reason);
    await press(button("Reject transfer (call_2) with this reason"), "tap");
    await cardOf(page, "call_2").waitFor({ state: "detached" });
    await button("Edit and approve transfer (call_3) …").tap();
    await cardOf(page, "call_3").getByLabel("Amount").fill("70");
    await press(button("Approve with changes: transfer (call_3)"), "tap");
    await expectStory(bank, page);
  });
});

/** The id of the call whose card has the focus. */
const focusedCard = (page: Page): Promise<string | null | undefined> =>
  page.evaluate(() => document.activeElement?.closest("[data-card]")?.getAttribute("data-card"));
