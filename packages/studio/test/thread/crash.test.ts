/** Acceptance test 4: the server is killed. The page reconnects, shows what is saved, and no tool runs twice. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { errors } from "playwright-core";
import type { Page } from "playwright-core";
import { createClient } from "undangle/client";
import { describe, expect, test } from "vitest";

import { project, serving } from "../../../../test/server/program.ts";
import type { Serving } from "../../../../test/server/program.ts";
import { stateTexts } from "../../src/texts/state-texts.ts";
import { press } from "../bank.ts";
import { noBrowser, openPage } from "../browser.ts";
import { sourceProgram } from "../source-program.ts";

interface KilledServer {
  readonly url: string;
  readonly kill: () => Promise<void>;
  /** Starts it again on the same port. */
  readonly restart: () => Promise<void>;
  /** The ids of the calls whose tool was executed, once for each execution. */
  readonly executions: () => readonly string[];
}

/** A server in a process of its own, whose model can write slowly and whose tool can take very long. */
async function startServer(mode = ""): Promise<KilledServer> {
  const { folder } = project();
  const start = (...argv: readonly string[]): Promise<Serving> =>
    serving([...sourceProgram("slow-server.ts"), ...argv], folder);
  let current = await start("0", mode);
  const { url } = current;
  const log = join(folder, "executions.log");
  return {
    url,
    kill: async () => void (await current.end("SIGKILL")),
    restart: async () => {
      current = await start(new URL(url).port);
    },
    executions: () => (existsSync(log) ? readFileSync(log, "utf8").trimEnd().split("\n") : []),
  };
}

const lostConnection = (page: Page) => page.getByText("Connection lost. Reconnecting …");

/** Opens a new thread and sends a message. */
async function sendInNewThread(page: Page, words: string): Promise<void> {
  await page.getByRole("button", { name: "New thread" }).click();
  await page.getByRole("textbox", { name: "Message" }).fill(words);
  await page.keyboard.press("Enter");
}

const payCard = (page: Page, state: string) => page.getByRole("article", { name: `Call of pay: ${state}` });

describe.skipIf(noBrowser)("a killed server", () => {
  test("during a stream: the page says so, reconnects by itself and shows what is saved", async () => {
    const server = await startServer();
    const page = await openPage(server.url);
    await sendInNewThread(page, "Write.");
    await page
      .getByRole("region", { name: "Conversation" })
      .getByText(/One two/u)
      .waitFor();
    const stop = page.getByRole("button", { name: "Stop the run" });
    await stop.waitFor();
    await server.kill();
    await lostConnection(page).waitFor();
    await page.getByText("not connected", { exact: true }).waitFor();
    expect(await page.locator("main header").getByText("running", { exact: true }).count()).toBe(0);
    expect(await stop.count()).toBe(0);
    await server.restart();
    await lostConnection(page).waitFor({ state: "detached", timeout: 30_000 });
    await page.getByText("idle", { exact: true }).waitFor({ timeout: 40_000 }); // the response is requested again
    const shown = await page.getByRole("region", { name: "Conversation" }).innerText();
    expect(shown).toContain("Write.");
    expect(shown.match(/One two/gu)).toHaveLength(3); // once the whole response
    expect(server.executions()).toEqual(["call_1"]); // the call before the stream
    await page.reload();
    await page.getByText("idle", { exact: true }).waitFor();
    await expect.poll(() => page.getByRole("region", { name: "Conversation" }).innerText()).toBe(shown);
  });

  test("between approve and result: the call is lost, in words, and is not run again", async () => {
    const server = await startServer();
    const page = await openPage(server.url);
    await sendInNewThread(page, "Wait.");
    await payCard(page, "waiting for a decision").waitFor();
    await press(page.getByRole("button", { name: /^Approve pay/u }));
    await payCard(page, "running").waitFor();
    await expect.poll(server.executions).toEqual(["call_1"]);
    await server.kill();
    await lostConnection(page).waitFor();
    await server.restart();
    const card = payCard(page, "lost, outcome unknown");
    await card.waitFor({ timeout: 30_000 });
    expect(await card.innerText()).toContain("The process ended while this call was running.");
    await page.getByText("It is over.", { exact: true }).waitFor(); // the model has responded to the lost call
    expect(server.executions()).toEqual(["call_1"]);
    await page.getByRole("link", { name: "1 call with unknown outcome" }).click(); // it stays after the run
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("call_1");
  });

  test("while a sub-agent runs a call: the badge counts its lost call, and leads to it", async () => {
    const server = await startServer();
    const page = await openPage(server.url);
    await sendInNewThread(page, "Delegate.");
    await press(page.getByRole("button", { name: /^Approve pay.*call_1\/call_1/u }));
    await expect.poll(server.executions).toEqual(["call_1"]);
    await server.kill();
    await lostConnection(page).waitFor();
    await server.restart();
    await page.getByRole("article", { name: "Call of task: done" }).waitFor({ timeout: 40_000 });
    expect(server.executions()).toEqual(["call_1"]);
    await page.reload(); // nothing of the sub-agent was read
    const subAgent = page.getByRole("button", { name: "Sub-agent of task" });
    await subAgent.click();
    await payCard(page, "lost, outcome unknown").waitFor();
    const badge = page.getByRole("link", { name: "1 call with unknown outcome" });
    await badge.waitFor();
    await subAgent.click();
    await payCard(page, "lost, outcome unknown").waitFor({ state: "detached" });
    await badge.click(); // it is still known, and the link opens the sub-agent again
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("call_1/call_1");
  });

  test("while another call waits: the page asks for its decision, and offers nothing that would cancel it", async () => {
    const server = await startServer();
    const page = await openPage(server.url);
    await sendInNewThread(page, "Both.");
    await expect.poll(() => payCard(page, "waiting for a decision").count()).toBe(2);
    await press(page.getByRole("button", { name: /^Approve pay.*call_1/u }).first());
    await payCard(page, "running").waitFor();
    await server.kill();
    await lostConnection(page).waitFor();
    await server.restart();
    await payCard(page, "lost, outcome unknown").waitFor({ timeout: 30_000 });
    const banner = page.getByText("Decide about the pending calls to continue.");
    await banner.getByText("Unknown outcome:").waitFor();
    const badge = page.getByRole("link", { name: "1 call with unknown outcome" });
    for (const link of [banner.getByRole("link", { name: "pay (call_1)" }), badge]) {
      await link.click();
      await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("call_1");
      await page.getByRole("textbox", { name: "Message" }).focus();
    }
    expect(await page.getByRole("button", { name: /^(?:Try again|Retry)/u }).count()).toBe(0);
    await press(page.getByRole("button", { name: /^Approve pay.*call_2/u }).first());
    await payCard(page, "done").waitFor();
    await page.getByText("It is over.", { exact: true }).waitFor();
    expect(server.executions()).toEqual(["call_1", "call_2"]);
  });

  test("right after a result was saved: the page, which has not shown it, shows it as done", async () => {
    const server = await startServer("die-after-result");
    const page = await openPage(server.url);
    await sendInNewThread(page, "Pay.");
    await payCard(page, "waiting for a decision").waitFor();
    await press(page.getByRole("button", { name: /^Approve pay/u }));
    await lostConnection(page).waitFor();
    expect(await payCard(page, "done").count()).toBe(0);
    await server.restart();
    await payCard(page, "done").waitFor({ timeout: 30_000 });
    await page.getByText("It is over.", { exact: true }).waitFor();
    expect(server.executions()).toEqual(["call_1"]);
  });

  test("while a card is open in the inbox: the call still waits afterwards, is decided once and runs once", async () => {
    const server = await startServer();
    const client = createClient({ url: server.url });
    const page = await openPage(server.url);
    const accepted: number[] = [];
    page.on("response", (response) => {
      if (response.url().endsWith("/threads/bill/decisions")) accepted.push(response.status());
    });
    await client.threads.create({ id: "bill" });
    await client.threads.send("bill", "Pay.");
    await page.getByRole("button", { name: /^Open pay/u }).click();
    const approve = page.getByRole("button", { name: /^Approve pay/u });
    await approve.waitFor();
    await page.waitForTimeout(600); // the buttons of a new card are inactive for a moment
    await server.kill();
    await lostConnection(page).waitFor();
    await page.getByText("This page shows the last known state.").waitFor();
    await approve.click(); // the decision is sent again until the server is back
    await server.restart();
    await lostConnection(page).waitFor({ state: "detached", timeout: 30_000 });
    await expect.poll(() => server.executions().length, { timeout: 30_000 }).toBe(1);
    await expect.poll(async () => (await client.threads.get("bill")).status).toBe("idle");
    await expect.poll(() => page.title()).not.toContain("(1)");
    await page.getByText("Approved by you (this machine), in this tab").waitFor();
    const { calls } = await client.threads.get("bill");
    expect(calls).toMatchObject([{ id: "call_1", status: "succeeded", decision: { type: "approve" } }]);
    expect(accepted).toEqual([202]);
    expect(server.executions()).toEqual(["call_1"]);
  });

  test("at random moments of a run: every card finally shows what is saved, and no call runs twice", async () => {
    const server = await startServer();
    const client = createClient({ url: server.url });
    await client.threads.create({ id: "settle" });
    const page = await openPage(server.url, "/t/settle", { viewport: { width: 1000, height: 5_000 } }); // all cards
    await page.getByRole("textbox", { name: "Message" }).fill("Settle.");
    await page.keyboard.press("Enter");
    let isOver = false;
    const approvals = approveUntil(page, () => isOver);
    const moments: number[] = [];
    try {
      for (let kill = 0; kill < 6; kill++) {
        const moment = Math.round(200 + Math.random() * 1_600);
        moments.push(moment);
        await page.waitForTimeout(moment);
        await server.kill();
        await server.restart();
      }
      await page.getByText("It is over.", { exact: true }).waitFor({ timeout: 40_000 });
    } finally {
      isOver = true;
      await approvals;
    }

    const kills = `killed after ${moments.join(", ")} ms`;
    const calls = (await client.threads.entries("settle")).data.flatMap((entry) => entry.calls);
    const labels = calls.map(({ id, name, status }) => [id, `Call of ${name}: ${stateTexts.en.states[status]}`]);
    await expect.poll(() => shownCalls(page), { message: kills }).toEqual(labels);
    const executions = server.executions();
    const twice = executions.filter((id, i) => executions.indexOf(id) !== i);
    const neither = calls.filter(({ status }) => status !== "succeeded" && status !== "lost");
    const unexecuted = calls.filter(({ id, status }) => status === "succeeded" && !executions.includes(id));
    expect({ kills, count: calls.length, twice, neither, unexecuted }).toEqual({
      kills,
      count: 15,
      twice: [],
      neither: [],
      unexecuted: [],
    });
  }, 120_000);
});

/** The id and the accessible name of each call in the conversation. */
const shownCalls = (page: Page): Promise<(string | null)[][]> =>
  page.locator("main article").evaluateAll((all) => all.map((each) => [each.id, each.getAttribute("aria-label")]));

/** Approves calls as their buttons appear. A button can disappear while the server is away. */
async function approveUntil(page: Page, isOver: () => boolean): Promise<void> {
  const approve = page.getByRole("button", { name: /^Approve pay/u }).first();
  while (!isOver()) {
    if (await approve.isVisible()) {
      await approve.click({ timeout: 500 }).catch((error: unknown) => {
        if (!(error instanceof errors.TimeoutError)) throw error;
      });
    }
    await page.waitForTimeout(150);
  }
}
