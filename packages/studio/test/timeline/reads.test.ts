import { setTimeout as sleep } from "node:timers/promises";

import { openaiCompatible } from "undangle/models";
import { describe, expect, test } from "vitest";

import { noBrowser, openStudio } from "../browser.ts";
import { slowResponses } from "../slow-responses.ts";

describe.skipIf(noBrowser)("what the timeline reads from the server", () => {
  test("a recorded exchange is shown and copied as it was sent and received", async () => {
    const choices = '[{"index":0, "message":{"role":"assistant","content":"Hello."},"finish_reason":"stop"}]';
    const received = `{"id":"r", "object":"chat.completion","created":12345678901234567890,\n"model":"m","choices":${choices}}`;
    let sent = "";
    const fetch = (_url: unknown, init: RequestInit = {}): Promise<Response> => {
      sent = typeof init.body === "string" ? init.body : "";
      return Promise.resolve(new Response(received, { headers: { "content-type": "application/json" } }));
    };
    const model = openaiCompatible({ baseURL: "http://localhost:1/v1", apiKey: "a", env: {}, fetch })("m");
    const studio = await openStudio({ config: { agents: { helper: { model } } }, options: { record: true } });
    const { id } = await studio.client.threads.create();
    await studio.client.threads.send(id, "Hi.");
    const page = await studio.open(`/t/${id}/timeline`, { permissions: ["clipboard-read", "clipboard-write"] });
    await page.locator("[data-type=model]").click();
    const copied = async (part: string, button: string): Promise<string> => {
      const region = page.getByRole("region", { name: part });
      await region.getByText("Recorded", { exact: true }).waitFor();
      await region.getByRole("button", { name: button }).click();
      await region.getByText("Copied").waitFor();
      return page.evaluate(() => navigator.clipboard.readText());
    };
    expect(await copied("Response", "Copy JSON")).toBe(received);
    expect(await page.getByRole("region", { name: "Response" }).locator("pre").textContent()).toBe(received);
    expect(await copied("Request", "Copy as curl")).toContain(`\n${sent}\nJSON`);
  });

  test("a trace that takes longer than the thread needs to change again is shown", async () => {
    const studio = await openStudio({ turns: [{ text: "Done." }] });
    const { id } = await studio.client.threads.create();
    await studio.client.threads.send(id, "Start.");
    const page = await studio.open("/settings");
    const traces = await slowResponses(page, /\/trace$/u, 3_000);
    await page.evaluate((place) => history.pushState(null, "", place), `/t/${id}/timeline`);
    const end = new AbortController();
    const work = async (): Promise<void> => {
      for (; !end.signal.aborted; await sleep(1_000)) await studio.client.threads.send(id, "Continue.");
    };
    const working = work();
    try {
      const runs = page.locator("[data-type=run]");
      await runs.first().waitFor();
      const before = await runs.count();
      await expect.poll(() => runs.count(), { timeout: 15_000 }).toBeGreaterThan(before);
    } finally {
      end.abort();
      await working;
    }
    expect(traces.most).toBe(1);
  });

  test("the title of a thread follows in every view", async () => {
    const studio = await openStudio({ turns: [{ text: "Done." }] });
    for (const view of ["timeline", "repairs"]) {
      const { id } = await studio.client.threads.create();
      const page = await studio.open(`/t/${id}/${view}`);
      await page.getByRole("heading", { name: "Untitled" }).waitFor();
      await studio.client.threads.update(id, { title: `A ${view}` });
      await page.getByRole("heading", { name: `A ${view}` }).waitFor();
      await expect.poll(() => page.title()).toMatch(new RegExp(`^A ${view} · `, "u"));
    }
  });
});
