/** The doctor as a view of the studio, where a history can become a thread. */
import { fileURLToPath } from "node:url";

import { repair } from "undangle";
import { describe, expect, test } from "vitest";

import { readInput } from "../../src/doctor/input/input-readers.ts";
import { sampleNames, samples } from "../../src/doctor/samples.ts";
import { doctorTexts } from "../../src/texts/doctor-texts.ts";
import { continueTexts } from "../../src/texts/continue-texts.ts";
import { accessibilityFaults, noBrowser, openPage, openStudio } from "../browser.ts";
import { serveFiles } from "../static-files.ts";
import { goOffline, openSample, verdictOf } from "./doctor-page.ts";

const texts = doctorTexts.en;
const words = continueTexts.en;

describe.skipIf(noBrowser)("the doctor in the studio", () => {
  test("continues a repaired history as a thread, and sends nothing before", async () => {
    const studio = await openStudio({ turns: [{ text: "Hello." }] });
    const page = await studio.open("/doctor");
    const sent: string[] = [];
    page.on("request", (request) => {
      if (request.method() !== "GET") sent.push(new URL(request.url()).pathname);
    });
    await openSample(page, "interrupted");
    await page.getByText(words.private).waitFor();
    const start = page.getByRole("button", { name: `${words.continue} ${words.note}` });
    await start.waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(sent).toEqual([]);
    await start.click();
    await page.waitForURL(/\/t\/[^/]+$/u);
    await page.getByRole("link", { name: "1 repair", exact: true }).waitFor();
    await page.getByText("I will look at the schema").waitFor();
    expect(sent).toEqual(["/threads/import"]);
    const [thread] = (await studio.client.threads.list()).data;
    expect(await studio.client.threads.export(thread?.id ?? "", "original")).toEqual(
      JSON.parse(samples.interrupted.text),
    );
  });

  test("does not offer to continue a valid history, and reports why a server refuses one", async () => {
    const studio = await openStudio();
    const page = await studio.open("/doctor");
    await openSample(page, "valid");
    const start = page.getByRole("button", { name: words.continue });
    expect(await start.count()).toBe(0);
    await page.getByRole("button", { name: texts.clear }).click();
    await openSample(page, "cancelled");
    await page.route("**/threads/import", (route) =>
      route.fulfill({ status: 403, json: { error: { code: "x", message: "Not you." } } }),
    );
    await start.click();
    await page.getByRole("alert").getByText("Not you.").waitFor();
    expect(await start.isEnabled()).toBe(true);
  });

  test("every format of the samples can be continued", async () => {
    const { client } = await openStudio();
    for (const name of sampleNames) {
      const found = readInput(samples[name].text).found.findLast(({ type }) => type === "history");
      if (found?.type !== "history") continue;
      const { format } = repair(found.value);
      const { id } = await client.threads.import({ history: found.value, format });
      expect([name, (await client.threads.entries(id)).data.length > 0]).toEqual([name, true]);
    }
  });

  test.each([401, 503])("works while the API responds with %i", async (apiStatus) => {
    const folder = fileURLToPath(new URL("../../../server/dist/studio", import.meta.url));
    const { url } = await serveFiles(folder, { apiStatus });
    const page = await openPage(url, "doctor");
    await openSample(page, "cancelled");
    expect(await verdictOf(page)).toBe(texts.verdict(1));
  });

  test("loads the rules when the person turns to the field, and works without a network then", async () => {
    const folder = fileURLToPath(new URL("../../../server/dist/studio", import.meta.url));
    const { url, requests } = await serveFiles(folder, { apiStatus: 503 });
    const page = await openPage(url, "doctor");
    const field = page.getByRole("textbox", { name: texts.input });
    await field.waitFor();
    await page.waitForTimeout(1_000);
    expect(requests.filter((path) => /worker|assembler/u.test(path))).toEqual([]);
    expect(await page.getByText(texts.loading).count()).toBe(0);
    await field.focus();
    await page.getByText(texts.ready).waitFor();
    await goOffline(page);
    await openSample(page, "stream");
    expect(await verdictOf(page)).toBe(texts.stream.incomplete);
  });

  test("keeps the report when the language changes without a network, with the words that are loaded", async () => {
    const folder = fileURLToPath(new URL("../../../server/dist/studio", import.meta.url));
    const { url } = await serveFiles(folder, { apiStatus: 503 });
    const page = await openPage(url, "doctor");
    await openSample(page, "cancelled");
    const settings = await page.context().newPage();
    await settings.goto(`${url}doctor`);
    const choose = (language: string): Promise<void> =>
      settings.evaluate((chosen) => localStorage.setItem("undangle-studio", JSON.stringify(chosen)), { language });
    await goOffline(page);
    await choose("zh");
    const zh = doctorTexts.zh;
    await expect.poll(() => verdictOf(page)).toBe(zh.verdict(1));
    await page.getByText("A tool call has no result").first().waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    await page.evaluate(() => location.assign("#rules"));
    await page.getByRole("heading", { name: zh.rules.title }).waitFor();
    await page.getByRole("link", { name: "A tool call has no result" }).waitFor();

    await page.context().setOffline(false);
    await page.evaluate(() => location.assign("#"));
    await page.getByRole("button", { name: zh.clear }).click();
    await page.getByRole("button", { name: zh.sampleNames.cancelled, exact: true }).click();
    await page.getByText("工具调用没有结果").first().waitFor();
  });
});
