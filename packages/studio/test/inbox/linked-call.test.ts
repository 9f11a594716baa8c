/** Links of webhooks, chats and mails to one call, for a key that decides and may not read threads. */
import type { Page } from "playwright-core";
import { createClient } from "undangle/client";
import { describe, expect, test } from "vitest";

import { cardOf, openBank, press, threeCalls } from "../bank.ts";
import { accessibilityFaults, noBrowser } from "../browser.ts";

const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true } as const;

/** Many pending calls, and a page of a key with the scope approve alone. */
async function openInbox(path: string, look = {}) {
  const bank = await openBank({ calls: () => threeCalls() });
  for (const id of ["one", "two", "three", "four", "50% & six", "seven"]) await bank.wait(id);
  const admin = createClient({
    url: bank.url,
    key: (await bank.client.keys.create({ name: "Admin", scopes: ["admin"] })).text,
  });
  const { text: key } = await admin.keys.create({ name: "Ann", scopes: ["approve"] });
  const page = await bank.open("/doctor", look);
  await page.request.post(`${bank.url}/session`, { data: { key } });
  await page.goto("about:blank");
  const refused: string[] = [];
  page.on("response", (response) => {
    if (response.status() >= 400) refused.push(`${response.status()} ${new URL(response.url()).pathname}`);
  });
  await page.goto(bank.url + path);
  return { bank, admin, page, refused };
}

const focusedCard = (page: Page): Promise<string | null | undefined> =>
  page.evaluate(() =>
    document.activeElement?.matches("[data-card]") === true
      ? document.activeElement.closest("[data-line]")?.getAttribute("data-line")
      : null,
  );

describe.skipIf(noBrowser)("a link to a call, for a key with the scope approve alone", () => {
  test.each([
    ["on a wide screen", {}],
    ["on a phone", phone],
  ])("opens its card in the inbox, focused and in view, and it can be decided: %s", async (_, look) => {
    const { bank, page, refused } = await openInbox(`/t/${encodeURIComponent("50% & six")}#call_2`, look);
    const card = cardOf(page, "call_2");
    await card.waitFor();
    expect(await page.locator("[data-card]").count()).toBe(1);
    await expect.poll(() => focusedCard(page)).toBe('["50% & six","call_2"]');
    const title = page.locator("[data-line]", { has: card }).getByRole("button", { expanded: true });
    const { y, height } = (await title.boundingBox()) ?? { y: -1, height: 0 };
    const screen = page.viewportSize()?.height ?? 0;
    expect(y).toBeGreaterThanOrEqual(0);
    expect(await page.evaluate(() => scrollY)).toBe(0); // only the list scrolls: the frame of the page stays
    expect(y + height).toBeLessThan(screen / 2);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.reload();
    await expect.poll(() => focusedCard(page)).toBe('["50% & six","call_2"]');
    await press(card.getByRole("button", { name: "Approve transfer (call_2)", exact: true }));
    await card.getByText("Approved by Ann, in this tab").waitFor();
    expect(bank.ran).toEqual([{ to: "Bob", amount: 99, currency: "EUR" }]);
    expect(refused).toEqual([]);
  });

  test("states that a call does not wait any more, and opens no other one", async () => {
    const { admin, page } = await openInbox("/doctor");
    await admin.threads.decide("three", { call_2: { type: "reject" } });
    await page.goto(`${new URL(page.url()).origin}/t/three#call_2`);
    const note = page.getByText("The call call_2 of the thread three is not waiting for a decision");
    await note.waitFor();
    await page.getByText("Your key does not have the threads scope, so its outcome cannot be shown.").waitFor();
    await page.getByRole("button", { name: "Open transfer (call_1)" }).first().waitFor();
    expect(await page.locator("[data-card]").count()).toBe(0);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole("button", { name: "Dismiss" }).click();
    await note.waitFor({ state: "detached" });
    expect(new URL(page.url()).search).toBe("");
  });

  test("opens a call that the queue reports later, unless the person has opened another one", async () => {
    const { admin, page } = await openInbox("/t/late#call_1");
    await page.getByText("The call call_1 of the thread late is not waiting").waitFor();
    await admin.threads.create({ id: "late" });
    await admin.threads.send("late", "Please send the money.");
    await expect.poll(() => focusedCard(page)).toBe('["late","call_1"]');
    await page.goto(`${new URL(page.url()).origin}/t/later#call_1`);
    const open = page.getByRole("button", { name: "Open transfer (call_3)" }).first();
    await open.click();
    await admin.threads.create({ id: "later", title: "The later one" });
    await admin.threads.send("later", "Please send the money.");
    await page.getByText("The later one").first().waitFor();
    expect(await open.getAttribute("aria-expanded")).toBe("true");
    expect(await page.locator("[data-card]").count()).toBe(1);
  });

  test("does not take the focus from a text that the person writes when the call arrives", async () => {
    const { admin, bank, page } = await openInbox("/t/late#call_1");
    await page.getByText("The call call_1 of the thread late is not waiting").waitFor();
    await page.getByRole("checkbox", { name: "Select transfer (call_2)" }).first().check();
    await page.keyboard.press("R");
    await page.keyboard.type("It is ");
    await admin.threads.create({ id: "late", title: "The late one" });
    await admin.threads.send("late", "Please send the money.");
    await page.getByText("The late one").first().waitFor();
    await page.waitForTimeout(1_500); // longer than a pause between words
    await page.keyboard.type("a mistake");
    expect(await page.getByLabel("Reason").inputValue()).toBe("It is a mistake");
    expect(await page.locator("[data-card]").count()).toBe(0);
    expect(bank.ran).toEqual([]);
  });

  test("opens the call of the address again after Back and Forward", async () => {
    const { page } = await openInbox("/t/one#call_2");
    await expect.poll(() => focusedCard(page)).toBe('["one","call_2"]');
    await page.evaluate(() => history.pushState(null, "", "/t/three#call_3")); // as a notification opens it
    await expect.poll(() => focusedCard(page)).toBe('["three","call_3"]');
    await page.goBack();
    await expect.poll(() => focusedCard(page)).toBe('["one","call_2"]');
    await page.goForward();
    await expect.poll(() => focusedCard(page)).toBe('["three","call_3"]');
    expect(await page.locator("[data-card]").count()).toBe(1);
  });
});
