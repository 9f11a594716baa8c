import { fileURLToPath } from "node:url";

import { createClient } from "undangle/client";
import { describe, expect, test } from "vitest";

import { project, serving } from "../../../test/server/program.ts";
import type { Serving } from "../../../test/server/program.ts";
import { press } from "./bank.ts";
import { noBrowser, openPage } from "./browser.ts";

/** A server in a process of its own, whose model writes slowly and whose tool does not end by itself. */
function start(folder: string, port = "0"): Promise<Serving> {
  const inTests = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
  const options = ["--conditions=undangle-source", "--import", inTests("from-sources.ts")];
  return serving([...options, inTests("slow-server.ts"), port], folder);
}

describe.skipIf(noBrowser)("a killed server", () => {
  test("during a stream: the page says so, reconnects by itself and shows what is saved", async () => {
    const { folder } = project();
    const first = await start(folder);
    const port = new URL(first.url).port;
    const page = await openPage(first.url);
    await page.getByRole("button", { name: "New thread" }).click();
    await page.getByRole("textbox", { name: "Message" }).fill("Write.");
    await page.keyboard.press("Enter");
    await page
      .getByRole("region", { name: "Conversation" })
      .getByText(/One two/u)
      .waitFor();
    await first.end("SIGKILL");
    await page.getByText("Connection lost. Reconnecting …").waitFor();
    await start(folder, port);
    await page.getByText("Connection lost. Reconnecting …").waitFor({ state: "detached", timeout: 30_000 });
    await page.getByText("idle", { exact: true }).waitFor({ timeout: 40_000 }); // the lease of the dead process ends
    const shown = await page.getByRole("region", { name: "Conversation" }).innerText();
    expect(shown).toContain("Write.");
    await page.reload();
    await page.getByText("idle", { exact: true }).waitFor();
    await expect.poll(() => page.getByRole("region", { name: "Conversation" }).innerText()).toBe(shown);
  });

  test("between approve and result: the call is lost, in words, and is not run again", async () => {
    const { folder } = project();
    const first = await start(folder);
    const port = new URL(first.url).port;
    const page = await openPage(first.url);
    await page.getByRole("button", { name: "New thread" }).click();
    await page.getByRole("textbox", { name: "Message" }).fill("Pay.");
    await page.keyboard.press("Enter");
    await page.getByRole("article", { name: "Call of pay: waiting for a decision" }).waitFor();
    await press(page.getByRole("button", { name: /^Approve pay/u }));
    await page.getByRole("article", { name: "Call of pay: running" }).waitFor();
    await first.end("SIGKILL");
    await page.getByText("Connection lost. Reconnecting …").waitFor();
    await start(folder, port);
    await page.getByRole("article", { name: "Call of pay: lost, outcome unknown" }).waitFor({ timeout: 30_000 });
    const card = page.getByRole("article", { name: "Call of pay: lost, outcome unknown" });
    expect(await card.innerText()).toContain("The process ended while this call was running.");
  });

  test("while a card is open in the inbox: the call still waits afterwards, and is decided once", async () => {
    const { folder } = project();
    const first = await start(folder);
    const port = new URL(first.url).port;
    const page = await openPage(first.url);
    const before = createClient({ url: first.url });
    await before.threads.create({ id: "bill" });
    await before.threads.send("bill", "Pay.");
    await page.getByRole("button", { name: /^Open pay/u }).click();
    const approve = page.getByRole("button", { name: /^Approve pay/u });
    await approve.waitFor();
    await page.waitForTimeout(600); // the buttons of a new card are inactive for a moment
    await first.end("SIGKILL");
    await page.getByText("Connection lost. Reconnecting …").waitFor();
    await approve.click(); // the decision is sent again until the server is back
    const second = await start(folder, port);
    await page.getByText("Connection lost. Reconnecting …").waitFor({ state: "detached", timeout: 30_000 });
    const client = createClient({ url: second.url });
    await expect.poll(async () => (await client.threads.get("bill")).status, { timeout: 30_000 }).toBe("running");
    await expect.poll(() => page.title()).not.toContain("(1)");
  });
});
