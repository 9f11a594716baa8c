import type { Page } from "playwright-core";
import { tool } from "undangle/agent";
import { createClient } from "undangle/client";
import { demoAgent } from "undangle/config";
import { describe, expect, test } from "vitest";

import { openBank, press } from "../bank.ts";
import { accessibilityFaults, noBrowser, openPage, openStudio, withoutFreeze } from "../browser.ts";

const patience = { timeout: 10_000 }; // the machine of the tests may be busy

const lines = (page: Page) => page.getByRole("list", { name: "Pending calls" }).getByRole("listitem");

describe.skipIf(noBrowser)("the inbox", () => {
  test("200 calls of 40 threads: order, filters, rejection of many, decisions of others", async () => {
    const bank = await openBank({
      calls: (words) => [
        ...Array.from({ length: 4 }, (_, i) => ({ name: "transfer", arguments: { to: `Person ${i}`, amount: i + 1 } })),
        { name: "wipe", arguments: { disk: words.includes("Please") ? "C" : "D" } },
      ],
    });
    for (let i = 0; i < 40; i++) await bank.wait(`t${String(i).padStart(2, "0")}`);
    const page = await bank.open("/");
    await expect.poll(() => page.title(), patience).toMatch(/^\(200\) /u);
    await expect.poll(() => lines(page).count(), patience).toBe(200);
    await page.getByText("200 calls are waiting for a decision").waitFor();
    const threadsInOrder = await lines(page).getByRole("link").allInnerTexts();
    const oldestFirst = Array.from({ length: 200 }, (_, i) => `Thread t${String(Math.floor(i / 5)).padStart(2, "0")}`);
    expect(threadsInOrder).toEqual(oldestFirst);

    await page.getByLabel("Risk").selectOption("destructive");
    await expect.poll(() => lines(page).count(), patience).toBe(40);
    await page.getByLabel("Tool").selectOption("transfer");
    await page.getByText("No pending call matches the filters.").waitFor();
    await page.getByRole("button", { name: "Clear the filters" }).click();
    await page.getByLabel("Tool").selectOption("wipe");
    await expect.poll(() => lines(page).count(), patience).toBe(40);
    await page.getByLabel("Tool").selectOption("");

    await bank.client.threads.decide("t00", { call_1: { type: "reject" } });
    const start = Date.now();
    await expect.poll(() => page.title(), { ...patience, interval: 20 }).toMatch(/^\(199\) /u);
    process.stdout.write(`A decision of another client: shown after ${Date.now() - start} ms\n`);
    await expect.poll(() => lines(page).count(), patience).toBe(199);

    await withoutFreeze(page, "Rejection of many calls", async () => {
      for (let i = 0; i < 30; i++) {
        await page.keyboard.press("j");
        if (i % 2 === 0) await page.keyboard.press("x");
      }
      await page.getByText("15 selected").waitFor();
      await page.keyboard.press("R");
      await page.getByLabel("Reason for all (optional)").fill("Not today");
      await page.waitForTimeout(700);
      await page.keyboard.press("Enter");
      await page.getByText("15 decisions accepted.").waitFor();
      await expect.poll(() => page.title(), patience).toMatch(/^\(184\) /u);
    });
    const rejected = (await bank.client.threads.get("t01")).calls.filter(({ status }) => status === "rejected");
    expect(rejected.length).toBeGreaterThan(0);
    expect(rejected).toMatchObject(rejected.map(() => ({ decision: { reason: "Not today" } })));
  }, 120_000);

  test("the selection: destructive calls are confirmed by the names of their tools, refusals are listed", async () => {
    const bank = await openBank({
      calls: () => [
        { name: "transfer", arguments: { to: "Ann", amount: 1 } },
        { name: "wipe", arguments: { disk: "C" } },
      ],
    });
    await bank.wait("one");
    await bank.wait("two");
    const page = await bank.open("/");
    await expect.poll(() => lines(page).count(), patience).toBe(4);
    for (const box of await page.getByRole("checkbox").all()) await box.check();
    await page.route("**/threads/two/decisions", (route) =>
      route.fulfill({
        status: 409,
        contentType: "application/json",
        body: JSON.stringify({ error: { message: "The thread is closed.", code: "closed" } }),
      }),
    );
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.waitForTimeout(600);
    await page.keyboard.press("A");
    await page.getByText("wipe is destructive: press again to approve all 4").filter({ visible: true }).waitFor();
    expect(bank.ran).toEqual([]);
    await page.waitForTimeout(600);
    await page.keyboard.press("A");
    await page.getByText("2 decisions accepted.").waitFor();
    await page.getByText("2 decisions were not accepted:").waitFor();
    await page.getByText("wipe (call_2), Thread two: The thread is closed.").waitFor();
    expect(bank.ran).toHaveLength(2);
  });

  test("two tabs and another client: a decision appears in all, and a stale press says who decided", async () => {
    const bank = await openBank();
    await bank.wait("shared");
    const page = await bank.open("/");
    await page.getByRole("button", { name: "Open transfer (call_1)" }).waitFor();
    const other = await page.context().newPage(); // another tab of the same browser
    const streams: string[] = [];
    page.context().on("request", (request) => {
      if (request.url().endsWith("/queue/events")) streams.push(request.url());
    });
    await other.goto(bank.url);
    for (const tab of [page, other]) await tab.getByRole("button", { name: "Open transfer (call_1)" }).click();
    expect(streams).toEqual([]); // the second tab reads what the first one reads

    const approve = other.getByRole("button", { name: "Approve transfer (call_1)", exact: true });
    await approve.waitFor();
    await other.route("**/queue/events", (route) => route.abort());
    await bank.client.threads.decide("shared", { call_1: { type: "reject", reason: "By phone" } });
    for (const tab of [page, other]) {
      await tab.getByText("Rejected by you (this machine), elsewhere").waitFor();
      await tab.getByText("Reason: By phone").waitFor();
      expect(await tab.getByRole("button", { name: /^Approve transfer/u }).count()).toBe(0);
    }
    expect(bank.ran).toEqual([]);

    await page.close(); // the other tab reads the queue from now on
    await other.unroute("**/queue/events");
    await bank.wait("later");
    await other.getByRole("link", { name: "Thread later" }).waitFor();
  });

  test("a press that crosses with the decision of another person decides nothing and says who decided", async () => {
    const bank = await openBank();
    await bank.wait("race");
    const page = await bank.open("/");
    await page.getByRole("button", { name: "Open transfer (call_1)" }).click();
    await page.route("**/threads/race/decisions", async (route) => {
      await bank.client.threads.decide("race", { call_1: { type: "reject", reason: "I was first" } });
      await route.continue();
    });
    await page.getByRole("button", { name: "Approve transfer (call_1)", exact: true }).click();
    await page.getByText("Rejected by you (this machine), elsewhere").waitFor();
    await page.getByText("Reason: I was first").waitFor();
    expect(bank.ran).toEqual([]);
  });

  test("a call that changed after it was shown cannot be approved by the old button", async () => {
    const bank = await openBank();
    await bank.wait("changed");
    const [shown] = (await bank.client.threads.get("changed")).pending;
    const pending = { ...shown, digest: "another", arguments: { to: "Mallory", amount: 9_999 } };
    const page = await bank.open("/");
    await page.route("**/threads/changed/decisions", (route) =>
      route.fulfill({
        status: 409,
        contentType: "application/json",
        body: JSON.stringify({
          error: { code: "decision/refused", message: "The call has changed." },
          undangle: { calls: [{ id: "call_1", problem: "it has changed", status: "awaiting", pending }] },
        }),
      }),
    );
    await page.getByRole("button", { name: "Open transfer (call_1)" }).click();
    await press(page.getByRole("button", { name: "Approve transfer (call_1)", exact: true }));
    await page.getByText("This call changed after it was shown here.").waitFor();
    await page.getByText('"to": "Mallory"').waitFor();
    expect(await page.getByRole("button", { name: /^Approve transfer/u }).count()).toBe(0);
    await page.getByRole("button", { name: "Show the new version of transfer (call_1)" }).waitFor();
  });

  test("a key without the scope approve sees the calls, a sentence and no buttons", async () => {
    const bank = await openBank();
    await bank.wait("scoped");
    const admin = createClient({
      url: bank.url,
      key: (await bank.client.keys.create({ name: "Admin", scopes: ["admin"] })).text,
    });
    const { text: key } = await admin.keys.create({ name: "Reader", scopes: ["threads"] });
    const page = await bank.open("/doctor");
    await page.request.post(`${bank.url}/session`, { data: { key } });
    await page.goto(bank.url);
    await page.getByText("Your key does not have the approve scope.").waitFor();
    await page.goto(`${bank.url}/t/scoped`);
    await page.getByText("Your key does not have the approve scope.").waitFor();
    expect(await page.getByRole("button", { name: /Approve|Reject|Edit|Respond/u }).count()).toBe(0);
    const reader = createClient({ url: bank.url, key });
    await expect(reader.threads.decide("scoped", { call_1: { type: "approve" } })).rejects.toMatchObject({
      status: 403,
    });
    expect(bank.ran).toEqual([]);
  });

  test("hostile arguments: nothing runs, nothing leaves the page, nothing freezes", async () => {
    const bomb = {
      to: "<script>globalThis.hacked = 1</script><img src=https://evil.example/x onerror=hacked=1> javascript:alert(1)",
      amount: 1,
    };
    const spoof = { to: "invoice\u202Efdp.exe \u200Bpаypal \u001B[31mred", amount: 1 }; // the second letter of paypal is Cyrillic
    const bank = await openBank({
      calls: () => [
        { name: "transfer", arguments: bomb },
        { name: "transfer", arguments: spoof },
        { name: "transfer", arguments: { to: "x".repeat(5_000_000), amount: 1 } },
        {
          name: "wipe",
          arguments: { disk: "C", ...Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`key${i}`, "v"])) },
        },
      ],
    });
    await bank.wait("hostile");
    const page = await openPage(bank.url, "/");
    const foreign: string[] = [];
    page.on("request", (request) => {
      if (!request.url().startsWith(bank.url)) foreign.push(request.url());
    });
    await expect.poll(() => lines(page).count(), patience).toBe(4);
    await page.keyboard.press("j");
    await page.getByText("<script>globalThis.hacked = 1</script>").first().waitFor();
    await page.keyboard.press("j");
    for (const mark of ["U+202E", "U+200B", "U+0430", "U+001B"]) await page.getByText(mark).first().waitFor();
    await withoutFreeze(page, "Hostile arguments", async () => {
      await page.keyboard.press("j");
      await page.getByText("Show 4,999,200 more characters").waitFor();
      await page.keyboard.press("j");
      await page.getByText("Show 9,961 more fields").waitFor();
      await page.keyboard.press("e");
      await page.getByText("Nothing has changed yet.").waitFor();
    });
    expect(await page.evaluate(() => "hacked" in globalThis)).toBe(false);
    expect(foreign).toEqual([]);
  });

  test("the last decision leaves everything at its place", async () => {
    const bank = await openBank({
      calls: () => [
        { name: "transfer", arguments: { to: "Ann", amount: 1 } },
        { name: "transfer", arguments: { to: "Bob", amount: 2 } },
      ],
    });
    await bank.wait("jump");
    const looks = [
      { width: 1280, height: 800 },
      { width: 360, height: 740 },
    ];
    const pages = await Promise.all(looks.map((viewport) => bank.open("/", { viewport })));
    const topOf = async (page: Page, id: string): Promise<number> =>
      (await page.getByRole("button", { name: `Open transfer (${id})` }).boundingBox())?.y ?? NaN;
    for (const id of ["call_1", "call_2"]) {
      for (const page of pages) {
        await page.getByRole("button", { name: `Open transfer (${id})` }).click();
        await page.getByRole("button", { name: `Approve transfer (${id})`, exact: true }).waitFor();
      }
      const before = await Promise.all(pages.map((page) => topOf(page, id)));
      await bank.client.threads.decide("jump", { [id]: { type: "reject" } });
      for (const page of pages) await page.getByText("Rejected by you").waitFor();
      expect(await Promise.all(pages.map((page) => topOf(page, id)))).toEqual(before);
    }
  });

  test("an open card keeps what is written in it while more urgent calls push it past the last line", async () => {
    const common = { description: "Waits.", execute: () => "Done." };
    const plain = tool({ ...common, name: "plain", approval: true });
    const urgent = tool({ ...common, name: "urgent", approval: { expiresAfter: 5 * 60_000 } });
    const studio = await openStudio({
      agent: { tools: [plain, urgent] },
      turns: [
        ({ messages }) => {
          const isUrgent = JSON.stringify(messages).includes("Hurry");
          return { calls: Array.from({ length: isUrgent ? 3 : 250 }, () => ({ name: isUrgent ? "urgent" : "plain" })) };
        },
      ],
    });
    const send = async (words: string): Promise<void> => {
      const { id } = await studio.client.threads.create();
      await studio.client.threads.send(id, words);
    };
    await send("Begin.");
    const page = await studio.open("/");
    await page.getByRole("button", { name: "Open plain (call_250)" }).click();
    await page.getByRole("button", { name: "Reject plain (call_250) …" }).click();
    const reason = page.getByRole("textbox", { name: "Reason" });
    await reason.fill("Still thinking");
    await send("Hurry.");
    await page.getByRole("button", { name: "Open urgent (call_3)" }).waitFor();
    expect(await reason.inputValue()).toBe("Still thinking");
    expect(await reason.evaluate((input) => input === document.activeElement)).toBe(true);
    await page.getByRole("button", { name: "Show 2 more calls" }).click();
    expect(await reason.inputValue()).toBe("Still thinking");
    await page.getByRole("button", { name: "Open plain (call_249)" }).waitFor();
  });

  test("a filter survives a reload", async () => {
    const bank = await openBank({
      calls: () => [
        { name: "transfer", arguments: { to: "Ann", amount: 1 } },
        { name: "wipe", arguments: { disk: "C" } },
      ],
    });
    await bank.wait("filtered");
    const page = await bank.open("/");
    await page.getByLabel("Tool").selectOption("wipe");
    await expect.poll(() => lines(page).count(), patience).toBe(1);
    await page.reload();
    await page.getByRole("button", { name: "Open wipe (call_2)" }).waitFor();
    expect(await lines(page).count()).toBe(1);
    await page.getByLabel("Tool").selectOption("");
    await expect.poll(() => lines(page).count(), patience).toBe(2);
  });

  test("explains how to try it: one press with the demo agent", async () => {
    const studio = await openStudio({ config: { agents: { demo: { ...demoAgent("en"), model: "demo" } } } });
    const page = await studio.open("/");
    await page.getByRole("button", { name: "Start a demo thread that needs approval" }).click();
    await page.getByRole("button", { name: "Open pay_invoice (call_1)" }).waitFor();
    await page.getByRole("button", { name: "Open pay_invoice (call_2)" }).waitFor();
    await page.getByRole("button", { name: /Open delete_mail/u }).waitFor();
    expect(await lines(page).count()).toBe(3);
  });

  test("explains how to try it: the steps with other agents", async () => {
    const bank = await openBank();
    const page = await bank.open("/");
    await page.getByText("No call is waiting for a decision").waitFor();
    await page.getByText("Give a tool approval: true").waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
  });
});
