/** The forms of a card: what they decide about stays in sight, and what a person wrote in them stays there. */
import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";

import { cardOf, openBank, threeCalls } from "../bank.ts";
import { accessibilityFaults, noBrowser } from "../browser.ts";

const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true } as const;

/** The part of an open form that has the buttons. */
const footerOf = (page: Page): Locator => page.locator("[data-panel] [data-summary]").locator("..");

/** True if a person sees all of an element. */
const isInSight = (element: Locator): Promise<boolean> =>
  element.evaluate((each) => {
    const { left, right, top, bottom } = each.getBoundingClientRect();
    const corners = [
      [left + 2, top + 2],
      [right - 2, bottom - 2],
    ] as const;
    return corners.every(([x, y]) => {
      const found = document.elementFromPoint(x, y);
      return found !== null && (each.contains(found) || found.contains(each));
    });
  });

describe.skipIf(noBrowser)("an open form", () => {
  const calls = () => [...threeCalls(), { name: "wipe", arguments: { disk: "C" } }];

  test.each([
    ["Reject transfer (call_3) …", "Reject transfer"],
    ["Edit and approve transfer (call_3) …", "Edit and approve transfer"],
    ["Respond in place of transfer (call_3) …", "Respond in place of transfer"],
    ["Approve and always allow transfer (call_3) …", "Approve this call of transfer, and do not ask again for"],
  ])("shows the tool and the arguments beside its buttons: %s", async (button, title) => {
    const bank = await openBank({ calls });
    await bank.wait("form");
    for (const look of [phone, {}])
      for (const path of ["/t/form", "/"]) {
        const page = await bank.open(path, look);
        if (path === "/") await page.getByRole("button", { name: "Open transfer (call_3)" }).click();
        await cardOf(page, "call_3").getByRole("button", { name: button }).click();
        await page.getByRole("group", { name: title, exact: true }).getByText(title, { exact: true }).first().waitFor();
        const footer = footerOf(page);
        expect(await footer.innerText()).toContain("Transfer money to: Cy · amount: 7000 · currency: EUR");
        await expect.poll(() => isInSight(footer)).toBe(true);
        expect(await footer.getByRole("button").count()).toBe(2);
        await page.context().close();
      }
  });

  test("marks a destructive tool in its title", async () => {
    const bank = await openBank({ calls });
    await bank.wait("form");
    const page = await bank.open("/t/form", phone);
    await cardOf(page, "call_4").getByRole("button", { name: "Reject wipe (call_4) …" }).click();
    const form = page.getByRole("group", { name: "Reject wipe" });
    await form.getByText("Destructive").first().waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test("moves the highlight of a link to the call that it decides about, and keeps the focus", async () => {
    const bank = await openBank({ calls });
    await bank.wait("form");
    const page = await bank.open("/t/form#call_1", phone);
    const article = (id: string): Locator => page.locator(`article[id=${id}]`);
    const isHighlighted = async (id: string): Promise<boolean> =>
      ((await article(id).getAttribute("class")) ?? "").includes("ring-accent");
    await expect.poll(() => isHighlighted("call_1")).toBe(true);
    await cardOf(page, "call_3").getByRole("button", { name: "Reject transfer (call_3) …" }).click();
    await expect.poll(() => isHighlighted("call_3")).toBe(true);
    expect(await isHighlighted("call_1")).toBe(false);
    await expect.poll(() => isInSight(article("call_3").getByText("Transfer money"))).toBe(true);
    await page.keyboard.type("Too much");
    expect(await page.getByRole("textbox", { name: "Reason" }).inputValue()).toBe("Too much");
  });

  test("shows what was edited beside the button that approves it", async () => {
    const bank = await openBank({ calls });
    await bank.wait("form");
    for (const look of [phone, {}]) {
      const page = await bank.open("/t/form", look);
      await cardOf(page, "call_3").getByRole("button", { name: "Edit and approve transfer (call_3) …" }).click();
      const footer = footerOf(page);
      await footer.getByText("amount: 7000").waitFor();
      await page.getByLabel("Amount").fill("250");
      await footer.getByText("amount: 7000 → 250", { exact: true }).waitFor();
      expect(await footer.innerText()).not.toContain("Cy");
      await expect.poll(() => isInSight(footer)).toBe(true);
      await page.getByLabel("Amount").fill("7000");
      await footer.getByText("to: Cy · amount: 7000").waitFor();
      await page.getByLabel("Tool", { exact: true }).last().selectOption("wipe");
      await footer.getByText("transfer → wipe", { exact: true }).waitFor();
      await page.context().close();
    }
  });

  test("keeps a reason and a result that were written when it is closed and opened again", async () => {
    const bank = await openBank({ calls });
    await bank.wait("form");
    const page = await bank.open("/t/form");
    const card = cardOf(page, "call_1");
    const [reason, result] = [
      card.getByRole("textbox", { name: "Reason" }),
      card.getByLabel("Result", { exact: true }),
    ];
    const open = (name: string): Promise<void> => card.getByRole("button", { name }).click();
    await open("Reject transfer (call_1) …");
    await reason.fill("The bill is wrong");
    await reason.press("Escape");
    await reason.waitFor({ state: "detached" });
    await open("Respond in place of transfer (call_1) …");
    await result.fill("It was paid yesterday.");
    await card.getByLabel("The result is an error").check();
    await result.press("Escape");
    await open("Reject transfer (call_1) …");
    expect(await reason.inputValue()).toBe("The bill is wrong");
    await open("Respond in place of transfer (call_1) …");
    expect(await result.inputValue()).toBe("It was paid yesterday.");
    expect(await card.getByLabel("The result is an error").isChecked()).toBe(true);
    await page.getByRole("button", { name: "Reject transfer (call_2) …" }).click();
    expect(await cardOf(page, "call_2").getByRole("textbox", { name: "Reason" }).inputValue()).toBe(""); // of another call
  });
});
