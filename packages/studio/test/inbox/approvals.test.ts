import type { Route } from "playwright-core";
import { createClient } from "undangle/client";
import { describe, expect, test } from "vitest";

import { cardOf, openBank, press, threeCalls } from "../bank.ts";
import type { Bank } from "../bank.ts";
import { accessibilityFaults, noBrowser } from "../browser.ts";

/** The results that the model received with its last request. */
function receivedBy({ model }: Bank): string {
  const messages = model.requests.at(-1)?.messages ?? [];
  return JSON.stringify(messages.filter(({ role }) => role === "tool"));
}

const refuseDecision = (route: Route): Promise<void> =>
  route.fulfill({ status: 403, json: { error: { message: "The server is closed.", code: "forbidden" } } });

/** Waits until the model has said that it is done. */
async function finished({ client }: Bank, id: string): Promise<void> {
  await expect.poll(async () => (await client.threads.get(id)).status, { timeout: 10_000 }).toBe("idle");
}

async function expectStory(bank: Bank): Promise<void> {
  await finished(bank, "story");
  expect([...bank.ran].sort((one, other) => one.amount - other.amount)).toEqual([
    { to: "Cy", amount: 70, currency: "EUR" },
    { to: "Ann", amount: 250, currency: "EUR" },
  ]);
  expect(receivedBy(bank)).toContain("The bill is wrong");
  const { calls, messages } = await bank.client.threads.get("story");
  const results = messages.filter(({ role }) => role === "tool").map(({ content }) => JSON.stringify(content));
  expect(results).toHaveLength(3); // every call has one outcome
  expect(results[0]).toContain("250 sent to Ann.");
  expect(results[1]).toContain("The bill is wrong");
  expect(results[2]).toContain("70 sent to Cy.");
  const request = JSON.stringify(bank.model.requests.at(-1)?.messages);
  expect(request).toContain("Cy");
  expect(request).not.toContain("7000"); // the model sees the edited call
  expect(calls.map(({ status }) => status)).toEqual(["succeeded", "rejected", "succeeded"]);
}

describe.skipIf(noBrowser)("the story: approve one call, reject one with a reason, edit the third", () => {
  test("by keyboard", async () => {
    const bank = await openBank({ calls: threeCalls });
    await bank.wait("story");
    const page = await bank.open("/");
    await page.getByRole("button", { name: "Open transfer (call_1)" }).waitFor();
    await page.keyboard.press("j");
    await cardOf(page, "call_1").waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.waitForTimeout(600);
    await page.keyboard.press("a");
    await cardOf(page, "call_1").getByText("Approved by you (this machine), in this tab").waitFor();
    await page.keyboard.press("j");
    await cardOf(page, "call_2").waitFor();
    await page.keyboard.press("r");
    await page.keyboard.type("The bill is wrong");
    await page.waitForTimeout(600);
    await page.keyboard.press("Enter");
    await cardOf(page, "call_2").getByText("Reason: The bill is wrong").waitFor();
    await page.keyboard.press("j");
    await cardOf(page, "call_3").waitFor();
    await page.keyboard.press("e");
    const amount = page.getByLabel("Amount");
    await amount.waitFor();
    await page.keyboard.press("Tab");
    expect(await amount.evaluate((input) => input === document.activeElement)).toBe(true);
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("70");
    await page.getByRole("region", { name: "Proposed → edited" }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    const submit = page.getByRole("button", { name: "Approve with changes: transfer (call_3)" });
    while (!(await submit.evaluate((button) => button === document.activeElement))) await page.keyboard.press("Tab");
    await page.waitForTimeout(600);
    await page.keyboard.press("Enter");
    await expectStory(bank);
  });

  test("by touch on a phone", async () => {
    const bank = await openBank({ calls: threeCalls });
    await bank.wait("story");
    const page = await bank.open("/", { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
    await page.getByRole("button", { name: "Open transfer (call_1)" }).tap();
    const approve = page.getByRole("button", { name: "Approve transfer (call_1)", exact: true });
    for (const button of [approve, page.getByRole("button", { name: "Reject transfer (call_1) …" })]) {
      const box = await button.boundingBox();
      expect(box?.height).toBeGreaterThanOrEqual(44);
      expect(box?.width).toBeGreaterThanOrEqual(140);
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(740);
    }
    await press(approve, "tap");
    await cardOf(page, "call_1").getByText("Approved by you (this machine), in this tab").waitFor();
    await page.getByRole("button", { name: "Open transfer (call_2)" }).tap();
    await page.getByRole("button", { name: "Reject transfer (call_2) …" }).tap();
    await page.getByRole("textbox", { name: "Reason" }).fill("The bill is wrong");
    await press(page.getByRole("button", { name: "Reject transfer (call_2) with this reason" }), "tap");
    await cardOf(page, "call_2").getByText("Reason: The bill is wrong").waitFor();
    await page.getByRole("button", { name: "Open transfer (call_3)" }).tap();
    await page.getByRole("button", { name: "Edit and approve transfer (call_3) …" }).tap();
    await page.getByLabel("Amount").fill("70");
    await press(page.getByRole("button", { name: "Approve with changes: transfer (call_3)" }), "tap");
    await expectStory(bank);
  });
});

describe.skipIf(noBrowser)("the card", () => {
  test("turns into expired while it is open", async () => {
    const bank = await openBank({ expiresAfter: 4_000 });
    await bank.wait("late");
    const page = await bank.open("/");
    await page.getByRole("button", { name: "Open transfer (call_1)" }).click();
    await cardOf(page, "call_1")
      .getByText(/expires in \d/u)
      .waitFor();
    await cardOf(page, "call_1")
      .getByText(/expired/iu)
      .first()
      .waitFor();
    expect(await page.getByRole("button", { name: "Approve transfer (call_1)", exact: true }).count()).toBe(0);
    await finished(bank, "late");
    expect(bank.ran).toEqual([]);
  });

  test("refuses bad JSON, a wrong type and an unknown key while the person types; what was shown is what runs", async () => {
    const bank = await openBank();
    await bank.wait("edit");
    const page = await bank.open("/");
    await page.getByRole("button", { name: "Open transfer (call_1)" }).click();
    await page.getByRole("button", { name: "Edit and approve transfer (call_1) …" }).click();
    const submit = page.getByRole("button", { name: "Approve with changes: transfer (call_1)" });
    await page.getByText("Nothing has changed yet.").waitFor();
    expect(await submit.getAttribute("aria-disabled")).toBe("true");
    await page.getByLabel("Amount").fill("many");
    await page.getByText("amount must be a number").waitFor();
    await page.getByRole("button", { name: "JSON", exact: true }).click();
    const json = page.getByLabel("Arguments of transfer as JSON");
    for (const [text, problem] of [
      ['{"to": "Ann",\n "amount": }', "Not valid JSON at line 2, column 12."],
      ['{"to": "Ann", "amount": "250"}', "amount must be a number"],
      ['{"to": "Ann", "amount": 5, "cc": "Bob"}', "cc is not an argument of this tool"],
      ['{"to": "Ann"}', "amount is required"],
      ['{"to": "Ann", "amount": 12345678901234567890}', "has more digits than a number can hold"],
      ["[]", "The arguments must be an object"],
    ] as const) {
      await json.fill(text);
      await page.getByText(problem).waitFor();
      expect(await submit.getAttribute("aria-disabled")).toBe("true");
    }
    await json.fill('{"to": "Ann", "amount": 25, "currency": "USD"}');
    const diff = page.getByRole("region", { name: "Proposed → edited" });
    expect((await diff.innerText()).replaceAll(/\s+/gu, " ")).toContain(
      '- "amount": 250 - "currency": "EUR" + "amount": 25 + "currency": "USD"',
    );
    await press(submit);
    await finished(bank, "edit");
    expect(bank.ran).toEqual([{ to: "Ann", amount: 25, currency: "USD" }]);
    await cardOf(page, "call_1").getByText("Edited and approved by you (this machine)").waitFor();
  });

  test("runs another tool instead, whose arguments the server checks", async () => {
    const bank = await openBank();
    await bank.wait("instead");
    const page = await bank.open("/");
    await page.getByRole("button", { name: "Open transfer (call_1)" }).click();
    await page.getByRole("button", { name: "Edit and approve transfer (call_1) …" }).click();
    const toolChoice = page.getByLabel("Tool", { exact: true }).last();
    await page.getByLabel("Amount").fill("12345678901234567890"); // the arguments of another tool are JSON, without this text
    expect(await toolChoice.isDisabled()).toBe(true);
    await page.getByLabel("Amount").fill("250");
    await toolChoice.selectOption("wipe");
    await page.getByText("The server checks the arguments of another tool").waitFor();
    const json = page.getByLabel("Arguments of wipe as JSON");
    await json.fill('{"disk": 5}');
    const submit = page.getByRole("button", { name: /^Approve with changes: wipe \(call_1\)/u });
    const pressTwice = async (): Promise<void> => {
      await submit.scrollIntoViewIfNeeded();
      for (let i = 0; i < 2; i++) {
        await page.waitForTimeout(600);
        await submit.click(); // it may be destructive
      }
    };
    await pressTwice();
    await cardOf(page, "call_1").getByText("The decision was not accepted.").waitFor();
    expect(await json.inputValue()).toBe('{"disk": 5}');
    expect(bank.ran).toEqual([]);
    await json.fill('{"disk": "D"}');
    await pressTwice();
    await cardOf(page, "call_1").getByText("Edited and approved by you (this machine), in this tab").waitFor();
    expect(bank.ran).toEqual([{ to: "D", amount: 0 }]);
  });

  test("gives the model the result of a person, also as an error", async () => {
    const bank = await openBank();
    await bank.wait("respond");
    const page = await bank.open("/");
    await page.getByRole("button", { name: "Open transfer (call_1)" }).click();
    await page.getByRole("button", { name: "Respond in place of transfer (call_1) …" }).click();
    await page.getByLabel("Result", { exact: true }).fill("The bank is closed.");
    await page.getByLabel("The result is an error").check();
    const send = page.getByRole("button", { name: "Send as the result of transfer (call_1)" });
    await page.route("**/threads/respond/decisions", refuseDecision, { times: 1 });
    await send.scrollIntoViewIfNeeded();
    await page.waitForTimeout(600);
    await send.click();
    await cardOf(page, "call_1").getByText("The server is closed.").waitFor();
    expect(await page.getByLabel("Result", { exact: true }).inputValue()).toBe("The bank is closed."); // the draft stays
    await press(send);
    await finished(bank, "respond");
    const inCard = cardOf(page, "call_1").getByText("a person responded: error");
    expect(await inCard.getAttribute("class")).toContain("text-bad");
    expect(bank.ran).toEqual([]);
    expect(receivedBy(bank)).toContain("The bank is closed.");
    expect((await bank.client.threads.get("respond")).calls).toMatchObject([
      { status: "responded", error: "The bank is closed." },
    ]);
    await page.goto(`${bank.url}/t/respond`);
    const badge = page.getByRole("article").getByText("a person responded: error");
    expect(await badge.getAttribute("class")).toContain("text-bad");
  });

  test.each([
    { choice: "all transfer calls of this thread", scope: "thread", match: "tool" },
    { choice: "all transfer calls of every thread of helper", scope: "agent", match: "tool" },
    { choice: "only transfer calls with exactly these arguments, of this thread", scope: "thread", match: "arguments" },
  ])("states what is allowed before it allows $choice", async ({ choice, scope, match }) => {
    const bank = await openBank({
      calls: (words) => [{ name: "transfer", arguments: { to: words.includes("other") ? "Bob" : "Ann", amount: 250 } }],
    });
    await bank.wait("first");
    const page = await bank.open("/");
    await page.getByRole("button", { name: "Open transfer (call_1)" }).click();
    await page.getByRole("button", { name: "Approve and always allow transfer (call_1) …" }).click();
    await page.getByLabel(choice, { exact: true }).check();
    await page.getByText("Calls that are already pending still need a decision.").waitFor();
    await press(page.getByRole("button", { name: `Approve and allow: transfer (call_1); ${choice}` }));
    await page.getByText("Calls that were already pending need their own decision.").waitFor();
    await finished(bank, "first");
    expect(await bank.client.threads.allowances("first")).toMatchObject([{ scope, match, tool: "transfer" }]);
    expect((await bank.client.threads.send("first", "Again.")).status).toBe("done");
    expect((await bank.client.threads.send("first", "To the other.")).status).toBe(
      match === "tool" ? "done" : "waiting",
    );
    await bank.wait("second");
    expect((await bank.client.threads.get("second")).status).toBe(scope === "agent" ? "idle" : "waiting");
  });

  test("of a link comes into view among the others, so that its buttons are those that a person sees", async () => {
    const bank = await openBank({
      calls: () => Array.from({ length: 6 }, (_, i) => ({ name: "transfer", arguments: { to: `P${i}`, amount: 1 } })),
    });
    await bank.wait("linked");
    for (const viewport of [
      { width: 360, height: 740 },
      { width: 1280, height: 800 },
    ]) {
      const page = await bank.open("/t/linked#call_4", { viewport });
      const isInSight = (id: string): Promise<boolean> =>
        page.getByRole("button", { name: `Approve transfer (${id})`, exact: true }).evaluate((button) => {
          const { x, y, width, height } = button.getBoundingClientRect();
          return button.contains(document.elementFromPoint(x + width / 2, y + height / 2));
        });
      await expect.poll(() => isInSight("call_4")).toBe(true);
      await page.goto(`${bank.url}/t/linked#call_6`);
      await expect.poll(() => isInSight("call_6")).toBe(true);
    }
  });

  test("names the tool that ran instead, and shows its result", async () => {
    const bank = await openBank();
    await bank.wait("other");
    const page = await bank.open("/");
    await page.getByRole("button", { name: "Open transfer (call_1)" }).click();
    await bank.client.threads.decide("other", { call_1: { type: "edit", name: "wipe", arguments: { disk: "C" } } });
    const diff = cardOf(page, "call_1").getByRole("group", { name: "Proposed → what ran" });
    const written = (await diff.innerText()).replaceAll(/\s+/gu, " ");
    expect(written).toContain('- transfer { - "to": "Ann"');
    expect(written).toContain('+ wipe { + "disk": "C"');
    await cardOf(page, "call_1").getByText("Wiped.").waitFor();
    await cardOf(page, "call_1").getByRole("heading", { name: "Arguments" }).waitFor(); // nothing will happen any more
  });

  test("reads its result again after the server refused for a while", async () => {
    const bank = await openBank();
    await bank.wait("busy");
    const page = await bank.open("/");
    await page.getByRole("button", { name: "Open transfer (call_1)" }).click();
    const refuse = (route: Route): Promise<void> =>
      route.fulfill({ status: 429, json: { error: { message: "Too many requests.", code: "rate-limit" } } });
    await page.route("**/threads/busy/entries?limit=50", refuse, { times: 1 });
    await press(page.getByRole("button", { name: "Approve transfer (call_1)", exact: true }));
    await cardOf(page, "call_1").getByText("250 sent to Ann.").waitFor();
    expect(bank.ran).toHaveLength(1);
  });

  test("states the decision for a key that may decide and not read threads", async () => {
    const bank = await openBank();
    await bank.wait("narrow");
    const { text: admin } = await bank.client.keys.create({ name: "Admin", scopes: ["admin"] });
    const { text: key } = await createClient({ url: bank.url, key: admin }).keys.create({
      name: "Decider",
      scopes: ["approve"],
    });
    const page = await bank.open("/doctor");
    await page.request.post(`${bank.url}/session`, { data: { key } });
    await page.goto(bank.url);
    await page.getByRole("button", { name: "Open transfer (call_1)" }).click();
    await press(page.getByRole("button", { name: "Approve transfer (call_1)", exact: true }));
    await cardOf(page, "call_1").getByText("Approved by Decider, in this tab").waitFor();
    expect(bank.ran).toHaveLength(1);
  });

  test("sends a decision again when its response is lost, and the server takes it once", async () => {
    const bank = await openBank();
    await bank.wait("lost");
    const page = await bank.open("/");
    const keys: (string | null)[] = [];
    await page.route("**/threads/lost/decisions", async (route) => {
      keys.push(await route.request().headerValue("idempotency-key"));
      if (keys.length > 1) return route.continue();
      await route.fetch(); // the server decides, and the page does not learn of it
      return route.abort("connectionreset");
    });
    await page.getByRole("button", { name: "Open transfer (call_1)" }).click();
    await press(page.getByRole("button", { name: "Approve transfer (call_1)", exact: true }));
    await cardOf(page, "call_1").getByText("Approved by you (this machine), in this tab").waitFor();
    expect(keys).toHaveLength(2);
    expect(keys[0]).toBe(keys[1]);
    expect(bank.ran).toHaveLength(1);
  });

  test("is inert while a decision is sent again, brings the reason into view and does not count the call", async () => {
    const bank = await openBank({ calls: threeCalls });
    await bank.wait("dead");
    const page = await bank.open("/", { viewport: { width: 360, height: 600 }, hasTouch: true, isMobile: true });
    await page.route("**/threads/dead/decisions", (route) => route.abort("connectionrefused"));
    await page.getByRole("button", { name: "Open transfer (call_2)" }).tap();
    await page.getByRole("button", { name: "Reject transfer (call_2) …" }).tap();
    await page.getByRole("textbox", { name: "Reason" }).fill("The bill is wrong");
    const reject = page.getByRole("button", { name: "Reject transfer (call_2) with this reason" });
    const group = page.getByRole("region", { name: "Calls of this turn" });
    await group.getByText("0 of 3 decided").waitFor();
    await reject.scrollIntoViewIfNeeded();
    await page.waitForTimeout(600);
    await reject.tap();
    const notice = page.getByText(/^No response yet\. .*\(attempt \d\)/u);
    await notice.waitFor();
    const isInSight = (): Promise<boolean> =>
      notice.evaluate((element) => {
        const { top, bottom } = element.getBoundingClientRect();
        return top >= 0 && bottom <= innerHeight;
      });
    await expect.poll(isInSight).toBe(true);
    expect(await page.getByRole("group", { name: "Earlier reasons", includeHidden: true }).count()).toBe(0);
    const panel = page.locator("[data-card] [inert]");
    expect(await panel.evaluate((element) => Number(getComputedStyle(element).opacity))).toBeLessThan(1);
    await group.getByText("0 of 3 decided").waitFor();
    await group.getByRole("button", { name: "Approve all 2: transfer" }).waitFor();
    await page.unroute("**/threads/dead/decisions");
    await group.getByText("1 of 3 decided").waitFor();
    await cardOf(page, "call_2").getByText("Reason: The bill is wrong").waitFor();
  });

  test("states that a tool without arguments runs without them", async () => {
    const bank = await openBank({ calls: () => [{ name: "wipe", arguments: {} }] });
    await bank.wait("bare");
    const page = await bank.open("/");
    await page.getByRole("button", { name: "Open wipe (call_1)" }).click();
    await cardOf(page, "call_1").getByText("It runs without arguments.").waitFor();
    await bank.client.threads.decide("bare", { call_1: { type: "reject" } });
    await cardOf(page, "call_1").getByText("No arguments.").waitFor();
    expect(bank.ran).toEqual([]);
  });

  test("shows the calls that ran beside those that wait, and decides all of them at once", async () => {
    const bank = await openBank({ calls: () => [{ name: "look" }, ...threeCalls()] });
    await bank.wait("group");
    const page = await bank.open("/");
    await page.getByRole("button", { name: "Open transfer (call_2)" }).click();
    const group = page.getByRole("region", { name: "Calls of this turn" });
    await group.getByText("0 of 3 decided").waitFor(); // the fourth needed no decision
    const siblings = await group.getByRole("list", { name: "Other calls of this turn" }).innerText();
    expect(siblings.replaceAll(/\s+/gu, " ").trim()).toBe("look done");
    await bank.client.threads.decide("group", { call_4: { type: "reject" } });
    await group.getByText("1 of 3 decided").waitFor();
    await press(group.getByRole("button", { name: "Approve all 2: transfer" }));
    await finished(bank, "group");
    expect(bank.ran.map(({ to }) => to).sort()).toEqual(["Ann", "Bob"]);
  });

  test("waits for a decision until the server lets it expire, whatever the clock of this machine shows", async () => {
    const bank = await openBank({ expiresAfter: 60_000 });
    await bank.wait("clock");
    const page = await bank.open("/doctor");
    await page.addInitScript(() => {
      const { now } = Date;
      Date.now = () => now() + 5 * 60_000;
    });
    await page.goto(bank.url);
    await page.getByRole("button", { name: "Open transfer (call_1)" }).click();
    await cardOf(page, "call_1")
      .getByText(/expires in \d\d s/u)
      .waitFor();
    await press(page.getByRole("button", { name: "Approve transfer (call_1)", exact: true }));
    await finished(bank, "clock");
    expect(bank.ran).toHaveLength(1);
  });

  test("names the destructive tools before it approves all of a group", async () => {
    const bank = await openBank({ calls: () => [...threeCalls(), { name: "wipe", arguments: { disk: "C" } }] });
    await bank.wait("mixed");
    const page = await bank.open("/");
    await page.getByRole("button", { name: "Open transfer (call_1)" }).click();
    const approve = page.getByRole("button", { name: /^Approve all 4: transfer, wipe/u });
    await approve.scrollIntoViewIfNeeded();
    await page.waitForTimeout(600);
    await approve.click();
    await page.getByText("wipe is destructive: press again to approve all 4").filter({ visible: true }).waitFor();
    expect(await approve.getAttribute("class")).toContain("bg-bad-strong");
    expect(bank.ran).toEqual([]);
    await page.waitForTimeout(600);
    await approve.click();
    await expect.poll(() => bank.ran.length).toBe(4);
  });

  test("names the person of this machine in Chinese, in the order of that language", async () => {
    const bank = await openBank();
    await bank.wait("chinese");
    const page = await bank.open("/", { locale: "zh-CN" });
    await page.getByText("触发：工具规则").waitFor();
    await page.getByRole("button", { name: "打开 transfer（call_1）" }).click();
    await press(page.getByRole("button", { name: "批准 transfer（call_1）", exact: true }));
    await page.getByText("你（本机）已批准（在此标签页）").waitFor();
    expect(bank.ran).toHaveLength(1);
  });

  test("reads the other calls of its turn when the queue changes, and not while they wait", async () => {
    const bank = await openBank({ calls: threeCalls });
    await bank.wait("quiet");
    const page = await bank.open("/");
    const reads: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/entries")) reads.push(request.url());
    });
    await page.getByRole("button", { name: "Open transfer (call_1)" }).click();
    const group = page.getByRole("region", { name: "Calls of this turn" });
    await group.getByText("0 of 3 decided").waitFor();
    await page.waitForTimeout(3_000);
    expect(reads.length).toBe(2); // the turn, and the conversation before the call
    await bank.client.threads.decide("quiet", { call_3: { type: "reject" } });
    await group.getByText("rejected").waitFor();
    await page.waitForTimeout(3_000);
    expect(reads.length).toBeLessThan(6);
  });

  test("offers the last three reasons", async () => {
    const bank = await openBank({
      calls: () => Array.from({ length: 5 }, () => ({ name: "transfer", arguments: { to: "Ann", amount: 1 } })),
    });
    await bank.wait("reasons");
    const page = await bank.open("/");
    for (const [i, reason] of ["Too much", "Too late", "Too early", "Unknown"].entries()) {
      await page.getByRole("button", { name: `Open transfer (call_${i + 1})` }).click();
      await page.getByRole("button", { name: `Reject transfer (call_${i + 1}) …` }).click();
      await page.getByRole("textbox", { name: "Reason" }).fill(reason);
      await press(page.getByRole("button", { name: `Reject transfer (call_${i + 1}) with this reason` }));
      await cardOf(page, `call_${i + 1}`)
        .getByText(`Reason: ${reason}`)
        .waitFor();
    }
    await page.getByRole("button", { name: "Open transfer (call_5)" }).click();
    await page.getByRole("button", { name: "Reject transfer (call_5) …" }).click();
    const chips = page.getByRole("group", { name: "Earlier reasons" }).getByRole("button");
    expect(await chips.allInnerTexts()).toEqual(["Unknown", "Too early", "Too late"]);
    await chips.first().click();
    expect(await page.getByRole("textbox", { name: "Reason" }).inputValue()).toBe("Unknown");
    const long = "Not this one. ".repeat(100).trim();
    await page.getByRole("textbox", { name: "Reason" }).fill(long); // a text about this call
    await press(page.getByRole("button", { name: "Reject transfer (call_5) with this reason" }));
    await expect
      .poll(async () => (await bank.client.threads.get("reasons")).calls[4]?.decision)
      .toMatchObject({ reason: long });
    expect(await page.evaluate(() => localStorage.getItem("undangle-studio"))).not.toContain("Not this one.");
  });
});
