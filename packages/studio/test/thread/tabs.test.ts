import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";

import { openBank } from "../bank.ts";
import { noBrowser, openStudio } from "../browser.ts";

/** Browsers permit six connections to a server. Each followed thread holds one. */
const count = 9;

describe.skipIf(noBrowser)("many tabs", () => {
  test("in the background hold no connections, so that others can load", async () => {
    const studio = await openStudio({ turns: [{ text: "Heard." }] });
    const ids: string[] = [];
    for (let i = 0; i < count; i++) {
      const { id } = await studio.client.threads.create({ title: `Thread ${i}` });
      await studio.client.threads.send(id, "Hello.");
      ids.push(id);
    }
    const first = await studio.open(`/t/${ids[0]}`);
    await first.getByText("Heard.", { exact: true }).waitFor();
    const context = first.context();
    await context.addInitScript(() => {
      Object.defineProperty(document, "visibilityState", { get: () => "hidden" }); // as after a click with Ctrl
    });
    for (const id of ids.slice(1)) {
      const tab = await context.newPage();
      await tab.goto(`${studio.url}/t/${id}`);
      await tab.getByText("Heard.", { exact: true }).waitFor({ timeout: 15_000 });
    }
    await studio.client.threads.start.send(ids[0] ?? "", "Again.");
    await expect.poll(() => first.getByText("Heard.", { exact: true }).count()).toBe(2);
  }, 60_000);

  test("of a page without TLS read the queue only while they are shown", async () => {
    const bank = await openBank();
    const first = await bank.open("/doctor");
    const context = first.context();
    await context.addInitScript(() => void Reflect.deleteProperty(Navigator.prototype, "locks")); // as without TLS
    const tabs: Page[] = [first];
    for (let i = 0; i < 7; i++) {
      const tab = tabs[i] ?? (tabs[i] = await context.newPage());
      const patience = { timeout: 15_000 }; // until another tab has closed its stream
      await Promise.all([tab.waitForResponse(/\/queue\/events$/u, patience), tab.goto(bank.url, patience)]);
      await setVisibility(tab, "hidden"); // another tab comes to the front
    }
    await first.waitForTimeout(4_000);
    await bank.wait("t");
    await first.waitForTimeout(1_000);
    expect(await first.title()).not.toMatch(/^\(1\)/u);
    await setVisibility(first, "visible");
    await expect.poll(() => first.title()).toMatch(/^\(1\)/u);
    await expect.poll(() => tabs[1]?.title()).toMatch(/^\(1\)/u); // the shown tab passes on what it reads
  }, 90_000);
});

const setVisibility = (page: Page, state: "hidden" | "visible"): Promise<void> =>
  page.evaluate((value) => {
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => value });
    document.dispatchEvent(new Event("visibilitychange"));
  }, state);
