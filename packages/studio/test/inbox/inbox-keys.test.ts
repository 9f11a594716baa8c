import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";

import { openBank, press } from "../bank.ts";
import type { Bank } from "../bank.ts";
import { noBrowser } from "../browser.ts";

const transfers = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ name: "transfer", arguments: { to: `Person ${i}`, amount: i + 1 } }));

const line = (page: Page, id: string) => page.getByRole("button", { name: `Open transfer (${id})` });

const card = (page: Page) => page.locator("[data-card]");

const pendingIn = async ({ client }: Bank, id: string): Promise<readonly string[]> =>
  (await client.threads.get(id)).pending.map((call) => call.id);

/** An inbox with some transfers of the thread `t`. */
async function openInbox(count: number): Promise<{ readonly bank: Bank; readonly page: Page }> {
  const bank = await openBank({ calls: () => transfers(count) });
  await bank.wait("t");
  const page = await bank.open("/");
  await line(page, `call_${count}`).waitFor();
  return { bank, page };
}

describe.skipIf(noBrowser)("keys of the inbox", () => {
  test("are about the line with the focus: a closed line is opened before anything is decided", async () => {
    const { bank, page } = await openInbox(5);
    await page.keyboard.press("j");
    await line(page, "call_4").focus();
    await page.keyboard.press("x");
    expect(await page.getByRole("checkbox", { name: "Select transfer (call_4)" }).isChecked()).toBe(true);
    await page.waitForTimeout(600);
    await page.keyboard.press("a");
    expect(await card(page).getAttribute("data-card")).toBe("call_4");
    await page.waitForTimeout(600);
    expect(await pendingIn(bank, "t")).toHaveLength(5);
    await page.keyboard.press("a");
    await page.getByText("Approved by you (this machine), in this tab").waitFor();
    expect(await pendingIn(bank, "t")).toEqual(["call_1", "call_2", "call_3", "call_5"]);
    await page.keyboard.press("j");
    expect(await card(page).getAttribute("data-card")).toBe("call_5");
  });

  test("show the open card before they decide about it, if it is out of sight", async () => {
    const { bank, page } = await openInbox(40);
    await page.keyboard.press("j");
    await page.mouse.move(700, 180);
    await page.mouse.wheel(0, 3_000);
    await expect.poll(() => line(page, "call_1").evaluate((each) => each.getBoundingClientRect().top)).toBeLessThan(0);
    await page.waitForTimeout(600);
    await page.keyboard.press("a");
    await expect.poll(() => card(page).evaluate((each) => each.getBoundingClientRect().top)).toBeGreaterThanOrEqual(0);
    expect(await pendingIn(bank, "t")).toHaveLength(40);
    await page.waitForTimeout(600);
    await page.keyboard.press("a");
    await page.getByText("Approved by you (this machine), in this tab").waitFor();
    expect(bank.ran).toHaveLength(1);
  });

  test("Escape closes the card, and the next key continues from its line", async () => {
    const { page } = await openInbox(4);
    for (const key of ["j", "j", "Escape"]) await page.keyboard.press(key);
    expect(await card(page).count()).toBe(0);
    expect(await line(page, "call_2").evaluate((button) => button === document.activeElement)).toBe(true);
    await page.keyboard.press("j");
    expect(await card(page).getAttribute("data-card")).toBe("call_3");
    for (const key of ["?", "Escape"]) await page.keyboard.press(key);
    expect(await card(page).count()).toBe(1); // only the list of keys was closed
    expect(await page.getByText("next or previous call").count()).toBe(0);
  });

  test.each([0, 1_500])(
    "the rest of a sentence decides nothing when its input disappears: after %i ms",
    async (pause) => {
      const { bank, page } = await openInbox(3);
      await page.keyboard.press("j");
      await page.keyboard.press("r");
      await page.keyboard.type("It is ");
      await bank.client.threads.decide("t", { call_1: { type: "reject", reason: "By phone" } });
      await page.getByText("Reason: By phone").waitFor();
      await page.waitForTimeout(pause);
      await page.keyboard.type("just a jar and a rake, already, a a a a", { delay: 60 });
      expect(await card(page).getAttribute("data-card")).toBe("call_1");
      expect(await pendingIn(bank, "t")).toEqual(["call_2", "call_3"]);
      expect(bank.ran).toEqual([]);
      await page.waitForTimeout(1_100);
      await page.keyboard.press("j");
      expect(await card(page).getAttribute("data-card")).toBe("call_2");
    },
  );

  test("a key that a busy page reads late belongs to the sentence in which it was typed", async () => {
    const { bank, page } = await openInbox(3);
    await page.keyboard.press("j");
    await page.keyboard.press("r");
    await page.keyboard.type("It is ");
    await bank.client.threads.decide("t", { call_1: { type: "reject", reason: "By phone" } });
    await page.getByText("Reason: By phone").waitFor();
    await page.keyboard.type("so");
    const busy = page.evaluate(() => {
      const end = performance.now() + 1_500;
      while (performance.now() < end);
    });
    await page.waitForTimeout(100);
    await page.keyboard.press("j");
    await busy;
    await page.waitForTimeout(300); // the page shows what the key has done
    expect(await card(page).getAttribute("data-card")).toBe("call_1");
  });

  test("the rest of a reason for many calls opens and decides nothing when they are decided elsewhere", async () => {
    const { bank, page } = await openInbox(3);
    await page.getByRole("checkbox", { name: "Select transfer (call_2)" }).check();
    await page.keyboard.press("R");
    await page.keyboard.type("It is ");
    await bank.client.threads.decide("t", { call_2: { type: "reject" } });
    await line(page, "call_2").waitFor({ state: "detached" });
    await page.waitForTimeout(1_500);
    await page.keyboard.type("just a jar and a rake, already, a a a a", { delay: 60 });
    expect(await card(page).count()).toBe(0);
    expect(await pendingIn(bank, "t")).toEqual(["call_1", "call_3"]);
    expect(bank.ran).toEqual([]);
  });
});

/** Presses a letter while Caps Lock is on: the browser reports the other case. */
const pressWithCapsLock = (page: Page, key: string, shiftKey = false): Promise<void> =>
  page.evaluate(
    (init) => {
      const event = new KeyboardEvent("keydown", { ...init, modifierCapsLock: true, bubbles: true, cancelable: true });
      document.activeElement?.dispatchEvent(event);
    },
    { key, shiftKey },
  );

describe.skipIf(noBrowser)("keys with Caps Lock", () => {
  test("Shift and A approve the selected calls, and not the card with the focus", async () => {
    const { bank, page } = await openInbox(3);
    await page.keyboard.press("j");
    await card(page).focus();
    for (const id of ["call_2", "call_3"]) await page.getByLabel(`Select transfer (${id})`).check();
    await card(page).focus();
    await page.waitForTimeout(600);
    await pressWithCapsLock(page, "a", true);
    await page.getByText("2 decisions accepted.").waitFor();
    expect(await pendingIn(bank, "t")).toEqual(["call_1"]);
  });

  test("decide about the card with the focus in a thread too", async () => {
    const bank = await openBank({ calls: () => transfers(2) });
    await bank.wait("t");
    const page = await bank.open("/t/t");
    await card(page).first().focus();
    await page.waitForTimeout(600);
    await pressWithCapsLock(page, "A");
    await expect.poll(() => pendingIn(bank, "t")).toEqual(["call_2"]);
  });
});

describe.skipIf(noBrowser)("the selection", () => {
  test("contains all lines that are shown, and leaves the buttons of the open card in sight", async () => {
    const { bank, page } = await openInbox(12);
    await page.setViewportSize({ width: 360, height: 740 });
    await line(page, "call_1").click();
    await page.getByLabel("Select all 12 shown").check();
    await page.getByText("12 selected").waitFor();
    const approve = page.getByRole("button", { name: "Approve transfer (call_1)", exact: true });
    const isHit = await approve.evaluate((button) => {
      const { x, y, width, height } = button.getBoundingClientRect();
      return button.contains(document.elementFromPoint(x + width / 2, y + height / 2));
    });
    expect(isHit).toBe(true);
    await page.getByLabel("Select transfer (call_2)").uncheck();
    await page.getByText("11 selected").waitFor();
    await page.getByRole("button", { name: "Reject 11 selected calls: transfer" }).click();
    await page.keyboard.type("Too many");
    await press(page.getByRole("button", { name: "Reject 11 selected calls: transfer" }));
    await expect.poll(() => pendingIn(bank, "t"), { timeout: 10_000 }).toEqual(["call_2"]);
  });

  test("a refused decision of the selection states who decided before", async () => {
    const { bank, page } = await openInbox(3);
    await page.getByLabel("Select all 3 shown").check();
    let isFirst = true;
    await page.route("**/threads/t/decisions", async (route) => {
      if (isFirst) await bank.client.threads.decide("t", { call_2: { type: "approve" } });
      isFirst = false;
      await route.continue();
    });
    await page.keyboard.press("R");
    await page.keyboard.type("Not today");
    await page.waitForTimeout(600);
    await page.keyboard.press("Enter");
    await page.getByText("transfer (call_2), Thread t: Approved by you (this machine), elsewhere").waitFor();
    await page.getByText("2 decisions accepted.").waitFor();
    expect(bank.ran).toEqual([{ to: "Person 1", amount: 2 }]);
  });
  test("a reason stays with the calls whose rejection the server refused", async () => {
    const { bank, page } = await openInbox(3);
    await page.getByLabel("Select transfer (call_1)").check();
    await page.getByLabel("Select transfer (call_2)").check();
    const body = { error: { message: "The thread is closed.", code: "closed" } };
    await page.route("**/threads/t/decisions", (route) => route.fulfill({ status: 409, json: body }), { times: 1 });
    const reject = page.getByRole("button", { name: "Reject 2 selected calls: transfer" });
    await reject.click();
    const reason = page.getByLabel("Reason for all (optional)");
    await reason.fill("A long reason");
    await page.waitForTimeout(600);
    await page.keyboard.press("Enter");
    await page.getByText("2 decisions were not accepted:").waitFor();
    expect(await reason.inputValue()).toBe("A long reason");
    expect(await reason.evaluate((input) => input === document.activeElement)).toBe(true);
    await press(reject);
    await page.getByText("2 decisions accepted.").waitFor();
    const decision = { type: "reject", reason: "A long reason" };
    expect((await bank.client.threads.get("t")).calls).toMatchObject([
      { decision },
      { decision },
      { status: "awaiting" },
    ]);
  });

  test("a report of earlier decisions does not return when others are selected and deselected", async () => {
    const { page } = await openInbox(3);
    await page.getByLabel("Select transfer (call_1)").check();
    await page.waitForTimeout(600);
    await page.keyboard.press("A");
    const report = page.getByText("1 decision accepted.");
    await report.waitFor();
    await page.getByLabel("Select transfer (call_2)").check();
    await page.getByText("1 selected").waitFor();
    await page.getByRole("button", { name: "Clear the selection" }).click();
    await page.getByText("1 selected").waitFor({ state: "detached" });
    expect(await report.count()).toBe(0);
  });
});
