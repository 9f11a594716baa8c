import { image, tool } from "undangle/agent";
import { describe, expect, test } from "vitest";

import { openBank } from "../bank.ts";
import { accessibilityFaults, noBrowser, openStudio } from "../browser.ts";

const pay = tool({ name: "pay", description: "Pays.", approval: true, execute: () => "paid" });
const look = tool({ name: "look", description: "Looks.", execute: () => "seen" });

describe.skipIf(noBrowser)("the thread view", () => {
  test("sends a message, streams the response, and keeps both after a reload", async () => {
    const studio = await openStudio({
      agent: { tools: [look] },
      turns: [
        {
          reasoning: "I look first.",
          text: "Let me **look**.",
          calls: [{ name: "look" }],
        },
        { text: "I have seen it." },
      ],
    });
    const { id } = await studio.client.threads.create({ title: "A look" });
    const page = await studio.open(`/t/${id}`);
    await page.getByRole("heading", { name: "A look" }).waitFor();
    await page.getByRole("textbox", { name: "Message" }).fill("Look around.");
    await page.keyboard.press("Enter");
    await page.getByText("I have seen it.", { exact: true }).waitFor();
    await page.getByRole("article", { name: "Call of look: done" }).waitFor();
    expect(await page.locator("strong").innerText()).toBe("look");
    expect(await page.getByRole("textbox", { name: "Message" }).inputValue()).toBe("");
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.reload();
    await page.getByText("I have seen it.", { exact: true }).waitFor();
    await page.getByText("Look around.").waitFor();
    await page.getByText("Reasoning").click();
    await page.getByText("I look first.").waitFor();
  });

  test("shows a pending call in its place and above the composer, and says what sending does", async () => {
    const studio = await openStudio({
      agent: { tools: [pay] },
      turns: [{ text: "I pay.", calls: [{ name: "pay" }, { name: "pay" }] }, { text: "All right." }],
    });
    const { id } = await studio.client.threads.create();
    await studio.client.threads.send(id, "Pay.");
    const page = await studio.open(`/t/${id}`);
    await page.getByText("2 calls are pending: they will be cancelled if you send a message.").waitFor();
    expect(await page.getByRole("article", { name: "Call of pay: waiting for a decision" }).count()).toBe(2);
    expect(await page.getByRole("region", { name: "2 calls need a decision." }).count()).toBe(1);
    await page.getByRole("combobox", { name: "What a message does to open calls" }).selectOption("queue");
    await page.getByText("2 calls are pending: your message will wait for their decisions.").waitFor();
    await page.getByRole("textbox", { name: "Message" }).fill("And then?");
    await page.keyboard.press("Enter");
    await page.getByText("waiting until open calls have results").waitFor();
    await studio.client.threads.decide(id, { call_1: { type: "reject", reason: "Too much." } });
    await page.getByRole("article", { name: "Call of pay: rejected" }).waitFor();
    await page.getByRole("group", { name: "scripted" }).getByText("Reason: Too much.").waitFor();
    await page.getByText("1 call is pending").waitFor();
    await studio.client.threads.approveAll(id);
    await page.getByRole("article", { name: "Call of pay: done" }).waitFor();
    await page.getByText("All right.", { exact: true }).waitFor();
    await page.getByText("waiting until open calls have results").waitFor({ state: "detached" });
  });

  test("a call without a result says why: imported, or cancelled before it ran", async () => {
    const studio = await openStudio({
      agent: { tools: [pay] },
      turns: [{ calls: [{ name: "pay" }] }, { text: "As you wish." }],
    });
    const tool_calls = [{ id: "a", type: "function", function: { name: "book_flight", arguments: "{}" } }];
    const history = [
      { role: "user", content: "Book it." },
      { role: "assistant", content: null, tool_calls },
      { role: "user", content: "Wait." },
    ];
    const imported = await studio.client.threads.import({ history });
    const page = await studio.open(`/t/${imported.id}`);
    const card = page.getByRole("article", { name: "Call of book_flight: imported without a result" });
    await card.getByText("another message came in before it could be completed").waitFor();
    expect(await page.getByText(/The process ended|unknown outcome/u).count()).toBe(0);
    const { id } = await studio.client.threads.create();
    await studio.client.threads.send(id, "Pay.");
    await studio.client.threads.send(id, "No, wait.");
    await page.goto(`${studio.url}/t/${id}`);
    await page.getByText("It was cancelled and did not run.").waitFor();
  });

  test("a call shows its result in a line, and the image that it returned", async () => {
    const url =
      "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const draw = tool({ name: "draw", description: "Draws.", execute: () => ["A small dot", image(url)] });
    const studio = await openStudio({
      agent: { tools: [draw] },
      turns: [{ calls: [{ name: "draw" }] }, { text: "Drawn." }],
    });
    const { id } = await studio.client.threads.create();
    await studio.client.threads.send(id, "Draw.");
    const page = await studio.open(`/t/${id}`);
    const card = page.getByRole("article", { name: "Call of draw: done" });
    await card.getByText("A small dot [image]").waitFor();
    expect(await card.locator("img").count()).toBe(0);
    await card.locator("summary").click();
    expect(await card.locator("img").getAttribute("src")).toBe(url);
    const chinese = await studio.open(`/t/${id}`, { locale: "zh-CN" });
    await chinese.getByText("A small dot [图片]").click();
    await chinese.getByRole("img", { name: "图片" }).waitFor();
  });

  test("a card stays while the focus is in it, and the focus moves to the next one after a decision", async () => {
    const bank = await openBank({
      calls: () => ["Ann", "Bob", "Cy"].map((to) => ({ name: "transfer", arguments: { to, amount: 1 } })),
    });
    await bank.wait("cards");
    const page = await bank.open("/t/cards");
    const card = (id: string) => page.locator(`[data-card=${id}]`);
    const focused = (): Promise<string | undefined> =>
      page.evaluate(() => document.activeElement?.closest<HTMLElement>("[data-card]")?.dataset["card"]);
    await page.getByRole("button", { name: "Reject transfer (call_1) …" }).click();
    await page.getByRole("textbox", { name: "Reason" }).fill("I am still thinking");
    await bank.client.threads.decide("cards", { call_1: { type: "approve" } });
    await card("call_1").getByText("Approved by you (this machine), elsewhere").waitFor();
    expect(await focused()).toBe("call_1");
    await card("call_1").getByRole("button", { name: "Close this card" }).press("Enter");
    await card("call_1").waitFor({ state: "detached" });
    expect(await focused()).toBe("call_2");
    const approve = page.getByRole("button", { name: "Approve transfer (call_2)", exact: true });
    await approve.focus();
    await page.waitForTimeout(600);
    await approve.press("Enter");
    await expect.poll(focused).toBe("call_3");
    expect(await card("call_2").count()).toBe(0);
  });

  test("a press that another person was faster than keeps the card, which says who decided", async () => {
    const bank = await openBank({ calls: () => [{ name: "transfer", arguments: { to: "Ann", amount: 1 } }] });
    await bank.wait("late");
    const page = await bank.open("/t/late");
    const approve = page.getByRole("button", { name: "Approve transfer (call_1)", exact: true });
    await approve.waitFor();
    await page.waitForTimeout(600); // the buttons of a new card are inactive for a moment
    await page.route("**/threads/late/decisions", async (route) => {
      await bank.client.threads.decide("late", { call_1: { type: "reject" } });
      await page.getByRole("article", { name: "Call of transfer: rejected" }).waitFor();
      await route.continue();
    });
    await approve.press("Enter");
    const card = page.locator("[data-card=call_1]");
    await card.getByText("Rejected by you (this machine), elsewhere").waitFor();
    expect(bank.ran).toEqual([]);
  });

  test("a message that another client queues while calls wait appears", async () => {
    const bank = await openBank({ calls: () => [{ name: "transfer", arguments: { to: "Ann", amount: 1 } }] });
    await bank.wait("queued");
    const page = await bank.open("/t/queued");
    await page.locator("[data-card=call_1]").waitFor();
    await bank.client.threads.start.send("queued", "And then?", { onInput: "queue" });
    const message = page.getByRole("group", { name: "You" }).filter({ hasText: "And then?" });
    await message.waitFor();
    expect(await message.innerText()).toContain("waiting until open calls have results");
  });

  test("an announcement keeps its element, so that screen readers do not repeat it with the next ones", async () => {
    const studio = await openStudio({
      turns: ["One", "Two", "Three", "Four", "Five", "Six"].map((text) => ({ text })),
    });
    const { id } = await studio.client.threads.create();
    const page = await studio.open(`/t/${id}`);
    await page.getByRole("textbox", { name: "Message" }).waitFor();
    const log = page.getByRole("log");
    const answer = async (text: string): Promise<void> => {
      await studio.client.threads.send(id, "Next?");
      await log.getByText(text).waitFor({ state: "attached" });
    };
    for (const text of ["One", "Two", "Three", "Four", "Five"]) await answer(text);
    const third = await log.getByText("Three").elementHandle();
    const before = await third?.innerText();
    await answer("Six");
    expect(await third?.innerText()).toBe(before);
    expect(await log.locator("p").count()).toBe(5);
  });
});
