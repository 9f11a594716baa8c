import { describe, expect, test } from "vitest";

import { noBrowser, openStudio } from "./browser.ts";

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
});
