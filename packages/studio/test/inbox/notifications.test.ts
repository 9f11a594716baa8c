import type { Page } from "playwright-core";
import { tool } from "undangle/agent";
import { describe, expect, test } from "vitest";

import { noBrowser, openStudio } from "../browser.ts";
import type { Studio } from "../browser.ts";

const pay = tool({ name: "pay", description: "Pays.", title: "Pay a bill", approval: true, execute: () => "paid" });

const openBank = (): Promise<Studio> => openStudio({ agent: { tools: [pay] }, turns: [{ calls: [{ name: "pay" }] }] });

/** A tab in the background whose browser has permission, and whether it can construct notifications. */
async function inBackground(page: Page, { canConstruct }: { readonly canConstruct: boolean }): Promise<void> {
  await page.addInitScript((isPossible) => {
    Object.defineProperty(document, "hidden", { get: () => true });
    const shown: string[] = [];
    const notes: EventTarget[] = [];
    const Stub = class extends EventTarget {
      static readonly permission = "granted";
      readonly text: string;
      constructor(text: string) {
        super();
        if (!isPossible) throw new TypeError("Failed to construct 'Notification': Illegal constructor."); // as Chrome for Android
        this.text = text;
        shown.push(text);
        notes.push(this);
      }
      close(): void {
        shown.push(`closed: ${this.text}`);
      }
    };
    Object.assign(globalThis, { Notification: Stub, shown, notes });
  }, canConstruct);
  await page.reload();
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
}

const shownOn = (page: Page): Promise<unknown> => page.evaluate((): unknown => Reflect.get(globalThis, "shown"));

describe.skipIf(noBrowser)("notifications", () => {
  test("are shown once for each new call while the page is in the background", async () => {
    const { client, open } = await openBank();
    const { id } = await client.threads.create({ title: "Bills" });
    const page = await open("/");
    await inBackground(page, { canConstruct: true });
    await page.getByText("No call is waiting for a decision").waitFor();
    await client.threads.send(id, "Pay.");
    await expect.poll(() => shownOn(page)).toEqual(["Pay a bill needs a decision"]);
    await client.threads.update(id, { title: "Bills of March" });
    await page.getByText("Bills of March").first().waitFor();
    expect(await shownOn(page)).toHaveLength(1);
  });

  test("are one for the new calls of a thread, and end when these are decided", async () => {
    const { client, open } = await openStudio({
      agent: { tools: [pay] },
      turns: [{ calls: [{ name: "pay" }, { name: "pay" }, { name: "pay" }] }, { text: "Done." }],
    });
    const { id } = await client.threads.create({ title: "Bills" });
    const page = await open("/");
    await inBackground(page, { canConstruct: true });
    await page.getByText("No call is waiting for a decision").waitFor();
    await client.threads.send(id, "Pay.");
    const shown = "3 calls need a decision: Pay a bill, …";
    await expect.poll(() => shownOn(page)).toEqual([shown]);
    await client.threads.decide(id, { call_1: { type: "reject" }, call_3: { type: "reject" } });
    await page.getByText("1 call is waiting for a decision").waitFor();
    expect(await shownOn(page)).toEqual([shown]);
    await client.threads.decide(id, { call_2: { type: "reject" } });
    await expect.poll(() => shownOn(page)).toEqual([shown, `closed: ${shown}`]);
  });

  test("lead to the call, and what the page holds stays", async () => {
    const { client, open } = await openBank();
    const { id } = await client.threads.create();
    const page = await open("/");
    await inBackground(page, { canConstruct: true });
    await page.getByText("No call is waiting for a decision").waitFor();
    await page.evaluate(() => Reflect.set(globalThis, "isSamePage", true));
    await client.threads.send(id, "Pay.");
    await expect.poll(() => shownOn(page)).toHaveLength(1);
    await page.evaluate(() => {
      const [note] = Reflect.get(globalThis, "notes") as EventTarget[]; // set by the script above
      note?.dispatchEvent(new Event("click"));
    });
    await expect.poll(() => new URL(page.url()).pathname + new URL(page.url()).hash).toBe(`/t/${id}#call_1`);
    await page.getByRole("button", { name: "Approve pay (call_1)", exact: true }).waitFor();
    expect(await page.evaluate((): unknown => Reflect.get(globalThis, "isSamePage"))).toBe(true);
  });

  test("that the browser cannot construct leave the page as it is", async () => {
    const { client, open } = await openBank();
    const { id } = await client.threads.create();
    const page = await open("/");
    await inBackground(page, { canConstruct: false });
    await client.threads.send(id, "Pay.");
    await page.getByText("Pay a bill").first().waitFor();
    await page.getByRole("link", { name: "Settings" }).click();
    const box = page.getByRole("checkbox", { name: /Notify me/u });
    await expect.poll(() => box.isChecked()).toBe(false);
  });
});
