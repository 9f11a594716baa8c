/** What the timeline shows about decisions and about calls without a known end. */
import { describe, expect, test } from "vitest";

import { span, traceOf } from "../../src/timeline/trace.fixture.ts";
import { noBrowser, openStudio } from "../browser.ts";
import { openTrace, pay, row } from "./timeline-page.ts";

describe.skipIf(noBrowser)("the timeline", () => {
  test("an edited decision is one comparison of what was proposed with what a person wrote", async () => {
    const studio = await openStudio({
      turns: [{ calls: [{ name: "pay", arguments: { invoice: 12 } }] }, { text: "Paid." }],
      agent: { tools: [pay] },
    });
    const { id } = await studio.client.threads.create();
    await studio.client.threads.send(id, "Pay.");
    await studio.client.threads.decide(id, { call_1: { type: "edit", arguments: { invoice: 13 } } });
    const page = await studio.open(`/t/${id}/timeline`);
    await page.locator("[data-type=wait]").click();
    const dialog = page.getByRole("dialog");
    const edited = dialog.getByRole("group", { name: "Proposed by the model → edited" });
    expect((await edited.innerText()).split("\n").map((line) => line.trim())).toEqual([
      "pay {",
      '-   "invoice": 12',
      '+   "invoice": 13',
      "}",
    ]);
    expect(await dialog.getByRole("region", { name: "Arguments" }).count()).toBe(0);
  });

  test("a call that was lost has no known duration, in any form", async () => {
    const studio = await openStudio();
    const { id } = await studio.client.threads.create();
    const page = await studio.open(`/t/${id}/timeline`);
    const lost = span("lost", { name: "pay", start: 1_000, end: 1_000, status: "lost", call_id: "call_1" });
    await openTrace(page, traceOf([span("run", { type: "run", start: 0, end: 1_000, status: "crashed" }), lost]));
    expect(await row(page, lost).getAttribute("aria-label")).toContain("duration unknown");
    expect(
      await page
        .getByRole("listitem")
        .filter({ has: row(page, lost) })
        .innerText(),
    ).not.toContain("0 ms");
    await row(page, lost).hover();
    await page.getByText("Start 1.00 s · duration unknown").waitFor();
    await row(page, lost).click();
    const facts = page.getByRole("dialog").getByRole("definition");
    await expect.poll(async () => (await facts.allInnerTexts()).slice(1, 3)).toEqual(["unknown", "unknown"]);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Table" }).click();
    expect(
      await page
        .getByRole("row")
        .filter({ hasText: "pay" })
        .getByRole("cell", { name: "unknown", exact: true })
        .count(),
    ).toBe(1);
  });

  test("decisions about the same tool are told apart by their calls, and a pause that ended is no warning", async () => {
    const studio = await openStudio({
      turns: [
        { calls: [1, 2].map((invoice) => ({ name: "pay", arguments: { invoice } })) },
        { text: "Both are paid." },
      ],
      agent: { tools: [pay] },
    });
    const { id } = await studio.client.threads.create();
    await studio.client.threads.send(id, "Pay both.");
    await studio.client.threads.approveAll(id);
    const page = await studio.open(`/t/${id}/timeline`);
    for (const call of ["call_1", "call_2"])
      await page.getByRole("listitem").filter({ hasText: "Decision: pay" }).getByText(call, { exact: true }).waitFor();
    await page.getByRole("button", { name: "Table" }).click();
    for (const call of ["call_1", "call_2"])
      await page.getByRole("button", { name: `Decision: pay · ${call}`, exact: true }).waitFor();
    const paused = page.getByText("paused: a call needed a decision");
    await paused.waitFor();
    expect(await paused.evaluate((badge) => badge.closest("[class*=warn]"))).toBeNull();
  });
});
