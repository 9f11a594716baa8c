/** What a person writes in the form for other arguments stays until the call is decided, and never reaches another call. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { createClient } from "undangle/client";

import { cardOf, openBank, press, threeCalls } from "../bank.ts";
import { accessibilityFaults, noBrowser } from "../browser.ts";

const restored = "The form contains what you wrote before. It has not been sent.";

const openForm = (page: Page, id = "call_1"): Promise<void> =>
  page.getByRole("button", { name: `Edit and approve transfer (${id}) …` }).click();

const submit = (page: Page) => page.getByRole("button", { name: "Approve with changes: transfer (call_1)" });

const startOver = (page: Page) =>
  page.getByRole("button", { name: "Start over from the proposed arguments: transfer (call_1)" });

const valueOf = (page: Page, label: string): Promise<string> => page.getByLabel(label).inputValue();

describe.skipIf(noBrowser)("a draft of other arguments", () => {
  test("is in the form again after Escape, after the card was closed, and after a reload, until it is discarded", async () => {
    const bank = await openBank({ calls: () => threeCalls() });
    await bank.wait("drafts");
    const page = await bank.open("/");
    const line = page.getByRole("button", { name: "Open transfer (call_1)" });
    await line.click();
    await openForm(page);
    expect(await startOver(page).count()).toBe(0);
    await page.getByLabel("Recipient").fill("Anna");
    await page.getByLabel("Amount").fill("12345678901234567890"); // no number can hold it
    await startOver(page).waitFor();
    await page.getByLabel("Amount").press("Escape");
    await submit(page).waitFor({ state: "detached" });
    await openForm(page);
    expect(await valueOf(page, "Recipient")).toBe("Anna");
    expect(await valueOf(page, "Amount")).toBe("12345678901234567890");
    await page.getByText("has more digits than a number can hold").waitFor();
    expect(await submit(page).getAttribute("aria-disabled")).toBe("true");
    await page.getByLabel("Amount").fill("260");
    await line.click();
    await page.reload();
    await line.click();
    await openForm(page);
    await page.getByText(restored).waitFor();
    expect([await valueOf(page, "Recipient"), await valueOf(page, "Amount")]).toEqual(["Anna", "260"]);
    expect(await accessibilityFaults(page)).toEqual([]);

    await startOver(page).click();
    await page.getByText("Nothing has changed yet.").waitFor();
    expect([await valueOf(page, "Recipient"), await valueOf(page, "Amount")]).toEqual(["Ann", "250"]);
    expect(await page.getByLabel("Recipient").evaluate((each) => each === document.activeElement)).toBe(true);
    await page.keyboard.press("Escape");
    await openForm(page);
    expect(await page.getByText(restored).count()).toBe(0);
    expect(await valueOf(page, "Recipient")).toBe("Ann");
  });

  test("keeps its view: JSON as it was typed, also if it cannot be read yet, and another tool", async () => {
    const bank = await openBank({ calls: () => threeCalls() });
    await bank.wait("drafts");
    const page = await bank.open("/t/drafts");
    const card = cardOf(page, "call_1");
    const json = card.getByLabel("Arguments of transfer as JSON");
    await openForm(page);
    await card.getByRole("button", { name: "JSON", exact: true }).click();
    await json.fill('{ "to": "Anna", "amount": ');
    await json.press("Escape");
    await openForm(page);
    expect(await json.inputValue()).toBe('{ "to": "Anna", "amount": ');
    await card.getByText("Not valid JSON at line 1").waitFor();
    await json.fill('{ "disk": "D" }');
    await card.getByLabel("Tool", { exact: true }).selectOption("wipe");
    await card.getByRole("button", { name: /^Cancel/u }).click();
    await openForm(page);
    expect(await card.getByRole("combobox", { name: "Tool" }).inputValue()).toBe("wipe");
    expect(await card.getByLabel("Arguments of wipe as JSON").inputValue()).toBe('{ "disk": "D" }');
    await card.getByRole("button", { name: /^Cancel/u }).click();
    await openForm(page, "call_2");
    expect(await cardOf(page, "call_2").getByLabel("Recipient").inputValue()).toBe("Bob"); // of another call
  });

  test("survives the end of the session for the same person, with reasons and results", async () => {
    const bank = await openBank({ calls: () => threeCalls() });
    await bank.wait("drafts");
    const { text: adminKey } = await bank.client.keys.create({ name: "Admin", scopes: ["admin"] });
    const admin = createClient({ url: bank.url, key: adminKey });
    const [ann, bob] = [
      await admin.keys.create({ name: "Ann", scopes: ["threads", "approve"] }),
      await admin.keys.create({ name: "Bob", scopes: ["threads", "approve"] }),
    ];
    const page = await bank.open("/");
    const signIn = async (key: string): Promise<void> => {
      await page.getByLabel("Key", { exact: true }).fill(key);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("button", { name: "Open transfer (call_1)" }).click();
    };
    const openReject = (): Promise<void> => page.getByRole("button", { name: "Reject transfer (call_1) …" }).click();
    await signIn(ann.text);
    await openReject();
    await page.getByRole("textbox", { name: "Reason" }).fill("Too much");
    await openForm(page);
    await page.getByLabel("Amount").fill("260");
    await page.context().clearCookies();
    await submit(page)
      .click({ timeout: 2_000 })
      .catch(() => undefined); // another request of the page may have found out before
    await page.getByRole("heading", { name: "This server requires a key" }).waitFor();
    await signIn(bob.text);
    await openForm(page);
    expect(await valueOf(page, "Amount")).toBe("250");
    await page.context().clearCookies();
    await page.reload();
    await signIn(ann.text);
    await openReject();
    expect(await page.getByRole("textbox", { name: "Reason" }).inputValue()).toBe("Too much");
    await openForm(page);
    await page.getByText(restored).waitFor();
    expect(await valueOf(page, "Amount")).toBe("260");
    await press(submit(page));
    await expect.poll(() => bank.ran).toEqual([{ to: "Ann", amount: 260, currency: "EUR" }]);
    const kept = await page.evaluate(() => JSON.stringify(Object.values(sessionStorage)));
    expect(kept).not.toContain("260"); // it is decided
  });

  test("is not applied to a call whose arguments changed in the meantime", async () => {
    const bank = await openBank();
    await bank.wait("changed");
    const page = await bank.open("/");
    await page.getByRole("button", { name: "Open transfer (call_1)" }).click();
    await openForm(page);
    await page.getByLabel("Amount").fill("260");
    const { pending, ...thread } = await bank.client.threads.pending("changed");
    const changed = pending.map((call) => ({ ...call, digest: "other", arguments: { to: "Mallory", amount: 9_999 } }));
    const snapshot = JSON.stringify([{ ...thread, pending: changed }]);
    await page.route("**/queue/events", (route) =>
      route.fulfill({ contentType: "text/event-stream", body: `event: snapshot\ndata: ${snapshot}\n\n` }),
    );
    await page.reload();
    await page.getByRole("button", { name: "Open transfer (call_1)" }).click();
    await openForm(page);
    expect([await valueOf(page, "Recipient"), await valueOf(page, "Amount")]).toEqual(["Mallory", "9999"]);
    expect(await page.getByText(restored).count()).toBe(0);
  });

  test("is removed when the call is decided elsewhere, and no other draft is", async () => {
    const bank = await openBank({ calls: () => threeCalls() });
    await bank.wait("drafts");
    const page = await bank.open("/t/drafts");
    for (const [id, amount] of [
      ["call_2", "77777"],
      ["call_1", "66666"],
    ] as const) {
      await openForm(page, id);
      await cardOf(page, id).getByLabel("Amount").fill(amount);
    }
    const kept = (): Promise<string> => page.evaluate(() => JSON.stringify(Object.values(sessionStorage)));
    await expect.poll(kept).toContain("66666");
    await bank.client.threads.decide("drafts", { call_1: { type: "edit", arguments: { to: "Zoe", amount: 1 } } });
    await cardOf(page, "call_1").getByText("Edited and approved by you (this machine), elsewhere").waitFor();
    await expect.poll(kept).not.toContain("66666");
    expect(await kept()).toContain("77777");
    expect(bank.ran).toEqual([{ to: "Zoe", amount: 1 }]);
  });
});
