/** One decision for many calls: the page shows which ones, and counts what people had to decide. */
import type { Locator, Page } from "playwright-core";
import { tool } from "undangle/agent";
import { describe, expect, test } from "vitest";

import { cardOf, openBank, press, threeCalls } from "../bank.ts";
import { accessibilityFaults, noBrowser, openStudio } from "../browser.ts";

const group = (page: Page): Locator => page.getByRole("region", { name: "Calls of this turn" });

/** The rows of the calls that are decided together. */
async function rowsOf(page: Page): Promise<readonly string[]> {
  const rows = group(page).getByRole("list", { name: "Calls that are decided together" }).getByRole("listitem");
  return (await rows.allInnerTexts()).map((text) => text.replaceAll(/\s+/gu, " ").trim());
}

const looks = [
  { width: 1280, height: 800 },
  { width: 360, height: 740 },
] as const;

describe.skipIf(noBrowser)("one decision for many calls", () => {
  test("shows each of them beside its button, in a thread and in an open card of the inbox", async () => {
    const bank = await openBank({ calls: () => [...threeCalls(), { name: "wipe", arguments: { disk: "C" } }] });
    await bank.wait("many");
    const all = [
      "Transfer money to: Ann · amount: 250 · currency: EUR",
      "Transfer money to: Bob · amount: 99 · currency: EUR",
      "Transfer money to: Cy · amount: 7000 · currency: EUR",
      "Wipe the disk Destructive disk: C",
    ];
    for (const viewport of looks)
      for (const path of ["/t/many", "/"]) {
        const page = await bank.open(path, { viewport });
        if (path === "/") await page.getByRole("button", { name: "Open transfer (call_2)" }).click();
        await expect.poll(() => rowsOf(page)).toEqual(all);
        const list = await group(page).getByRole("list", { name: "Calls that are decided together" }).boundingBox();
        expect(list?.height).toBeLessThanOrEqual(96);
        await page.context().close();
      }
    const page = await bank.open("/t/many");
    await bank.client.threads.decide("many", { call_1: { type: "reject" } });
    await expect.poll(() => rowsOf(page)).toEqual(all.slice(1));
    await press(group(page).getByRole("button", { name: "Reject all 3: transfer, wipe" }));
    await expect.poll(async () => (await bank.client.threads.get("many")).pending).toEqual([]);
    expect(bank.ran).toEqual([]);
  });

  test("counts further calls by tool, and marks those that a button leaves out", async () => {
    const common = { description: "Works.", execute: () => "done" };
    const strict = tool({ name: "strict", ...common, approval: { decisions: ["reject", "edit"] } });
    const plain = tool({ name: "plain", ...common, approval: true });
    const calls = [...Array.from({ length: 24 }, () => ({ name: "plain" })), { name: "strict" }].toReversed();
    const { client, open } = await openStudio({ agent: { tools: [strict, plain] }, turns: [{ calls }] });
    await client.threads.create({ id: "t" });
    await client.threads.send("t", "Go.");
    const page = await open("/t/t");
    await group(page).getByRole("button", { name: "Approve all 24: plain" }).waitFor();
    await group(page).getByRole("button", { name: "Reject all 25: strict, plain" }).waitFor();
    const rows = await rowsOf(page);
    expect(rows).toHaveLength(21);
    expect(rows[0]).toBe("strict cannot be approved");
    expect(rows.at(-1)).toBe("5 more: plain × 5");
    await page.goto(new URL("/", page.url()).href);
    await page.getByLabel("Select all 25 shown").check();
    await page.getByText("Cannot be approved: strict × 1").waitFor();
  });

  test("names the tools of a selection with their counts", async () => {
    const bank = await openBank({ calls: () => [...threeCalls(), { name: "wipe", arguments: { disk: "C" } }] });
    await bank.wait("one");
    await bank.wait("two");
    for (const viewport of looks) {
      const page = await bank.open("/", { viewport });
      await page.getByLabel("Select all 8 shown").check();
      const bar = page.getByRole("region", { name: "8 selected" });
      await expect
        .poll(() => bar.getByRole("listitem").allInnerTexts())
        .toEqual(["transfer × 6", "wipe × 2\nDestructive"]);
      const approve = bar.getByRole("button", { name: "Approve 8 selected calls: transfer, wipe" });
      await page.waitForTimeout(600);
      await approve.click();
      await bar.getByText("wipe is destructive: press again to approve all 8").filter({ visible: true }).waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
    }
    expect(bank.ran).toEqual([]);
  });

  test("counts only the calls that needed a decision, also when one of them failed", async () => {
    const work = { description: "Works.", execute: () => "done" };
    const tools = [
      tool({ name: "look", ...work }),
      tool({ name: "pay", ...work, approval: true }),
      tool({ name: "fail", ...work, execute: () => Promise.reject(new Error("No.")) }),
    ];
    const { client, open } = await openStudio({
      agent: { tools },
      turns: [{ calls: ["look", "fail", "pay", "pay"].map((name) => ({ name })) }],
    });
    await client.threads.create({ id: "t" });
    await client.threads.send("t", "Go.");
    const [thread, inbox] = [await open("/t/t"), await open("/")];
    await inbox.getByRole("button", { name: "Open pay (call_3)" }).click();
    for (const page of [thread, inbox]) await group(page).getByText("0 of 2 decided").waitFor();
    await client.threads.decide("t", { call_4: { type: "reject" } });
    for (const page of [thread, inbox]) {
      await group(page).getByText("1 of 2 decided").waitFor();
      const others = group(page).getByRole("list", { name: "Other calls of this turn" }).getByRole("listitem");
      await expect.poll(() => others.count()).toBe(3);
      await cardOf(page, "call_3").waitFor();
    }
  });
});
