/** What the page does when requests fail, and with the few connections that a browser has to a server. */
import { tool } from "undangle/agent";
import { describe, expect, test } from "vitest";

import { noBrowser, openStudio } from "./browser.ts";

const pay = tool({ name: "pay", description: "Pays.", approval: true, execute: () => "paid" });

describe.skipIf(noBrowser)("connections", () => {
  test("a read that fails while the events continue is repeated", async () => {
    const studio = await openStudio({ agent: { tools: [pay] }, turns: [{ calls: [{ name: "pay" }] }] });
    const { id } = await studio.client.threads.create();
    const page = await studio.open(`/t/${id}`);
    await page.getByRole("textbox", { name: "Message" }).waitFor();
    let refused = 0;
    await page.route("**/entries?*", async (route) => {
      if (refused++ < 2) await route.fulfill({ status: 503, json: { error: { message: "The server is busy." } } });
      else await route.continue();
    });
    await studio.client.threads.start.send(id, "Pay.");
    await page.getByRole("button", { name: "Approve pay (call_1)", exact: true }).waitFor();
    expect(refused).toBeGreaterThan(2);
  });

  test("a proxy that refuses everything while the server restarts ends neither the thread nor the queue", async () => {
    const studio = await openStudio({ agent: { tools: [pay] }, turns: [{ calls: [{ name: "pay" }] }] });
    const { id } = await studio.client.threads.create();
    const page = await studio.open("/doctor");
    let refused = 0;
    let isRestarting = true;
    await page.route(/\/(?:queue\/events|entries\?.*|events\?.*)$/u, async (route) => {
      if (!isRestarting) return route.continue();
      refused++;
      return route.fulfill({ status: 404, contentType: "text/plain", body: "404 page not found" });
    });
    await page.goto(`${studio.url}/t/${id}`);
    await expect.poll(() => refused).toBeGreaterThan(3);
    isRestarting = false;
    await studio.client.threads.send(id, "Pay.");
    await page.getByRole("button", { name: "Approve pay (call_1)", exact: true }).waitFor();
    await page.getByRole("link", { name: "Inbox" }).getByText("1", { exact: true }).waitFor();
  });

  test("a tab in the background holds no stream, and reads the thread when it is shown", async () => {
    const studio = await openStudio({ turns: [{ text: "Heard." }] });
    const { id } = await studio.client.threads.create();
    const page = await studio.open("/doctor");
    await page.addInitScript(() => {
      let state = "hidden";
      Object.defineProperty(document, "visibilityState", { get: () => state });
      document.addEventListener("shown-by-test", () => {
        state = "visible";
        document.dispatchEvent(new Event("visibilitychange"));
      });
    });
    const streams: string[] = [];
    page.on("request", (request) => {
      if (/\/threads\/.+\/events/u.test(request.url())) streams.push(request.url());
    });
    const opened = page.waitForResponse(/\/entries/u);
    await page.goto(`${studio.url}/t/${id}`);
    await opened;
    await page.waitForTimeout(1000);
    await studio.client.threads.send(id, "Hello?");
    expect(streams).toEqual([]);
    await page.evaluate(() => document.dispatchEvent(new Event("shown-by-test")));
    await page.getByText("Heard.", { exact: true }).waitFor();
    await expect.poll(() => streams.length).toBe(1);
  });
});
