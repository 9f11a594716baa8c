/** Acceptance test 13: an imported broken history, its repairs, and the way to the doctor. */
import { defineMiddleware, tool } from "undangle/agent";
import { describe, expect, test } from "vitest";

import { accessibilityFaults, noBrowser, openStudio } from "../browser.ts";
import type { Studio } from "../browser.ts";
import { brokenHistory } from "../office.ts";

const look = { locale: "zh-CN", colorScheme: "dark", viewport: { width: 360, height: 740 } } as const;

/** A server whose requests lose every tool result, and are repaired. */
async function openForgetful(): Promise<Studio> {
  const forgetful = defineMiddleware({
    name: "forgetful",
    beforeModel: (request) => ({ ...request, messages: request.messages.filter(({ role }) => role !== "tool") }),
  });
  const add = tool({ name: "add", description: "Adds.", execute: () => "3" });
  return await openStudio({
    turns: [{ calls: [{ name: "add" }], faults: ["id-never"] }, { text: "Three." }],
    agent: { tools: [add], middleware: [forgetful] },
  });
}

describe.skipIf(noBrowser)("the repairs of a thread", () => {
  test("a broken history is imported from the empty view, and each edit is shown with its rule and its diff", async () => {
    const studio = await openStudio({ turns: [{ text: "Hello." }] });
    const { id } = await studio.client.threads.create();
    const page = await studio.open(`/t/${id}/repairs`);
    await page.getByRole("heading", { name: "Nothing was repaired" }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.getByLabel("History as JSON").fill("{ not JSON");
    await page.getByRole("button", { name: "Import and repair" }).click();
    await page.getByText("This is not JSON").waitFor();
    await page.getByLabel("History as JSON").fill(JSON.stringify(brokenHistory));
    await page.getByRole("button", { name: "Import and repair" }).click();
    await page.waitForURL((url) => url.pathname.endsWith("/repairs") && !url.pathname.includes(id));

    const thread = decodeURIComponent(new URL(page.url()).pathname.split("/")[2] ?? "");
    const repairs = await studio.client.threads.repairs(thread);
    expect(repairs.length).toBeGreaterThan(1);
    for (const { rule, message, edit, avoided } of repairs) {
      const group = page.getByRole("region", { name: rule, exact: true });
      const item = group.getByRole("listitem").filter({ hasText: message }).first();
      await item.waitFor();
      const text = await item.innerText();
      expect(text).toContain(edit?.to ?? edit?.from);
      expect(text).toContain(avoided?.message ?? "");
      expect(text).toContain(edit?.lossless === true ? "lossless" : "not lossless");
      expect(await group.getByRole("link").getAttribute("href")).toBe(`/doctor#explain=${rule}`);
    }
    const inserted = repairs.find(({ edit }) => edit?.type === "insert");
    const diff = page.getByRole("group", { name: `Change by ${inserted?.rule} at ` }).first();
    expect(await diff.innerText()).toMatch(/^\+ /mu);
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test("a repair of a request is shown with its diff and the avoided error, also in Chinese", async () => {
    const studio = await openForgetful();
    const { id } = await studio.client.threads.create();
    await studio.client.threads.send(id, "Add.");
    const page = await studio.open(`/t/${id}/repairs`);
    const ofRequest = page.getByRole("region", { name: "unanswered-call" });
    expect(await ofRequest.getByRole("group", { name: "Change by unanswered-call" }).innerText()).toContain(
      "no recorded result",
    );
    const text = await ofRequest.innerText();
    for (const part of ["Request", "inserted", "lossless", "messages[1].tool_calls[0]", "must be followed by"])
      expect(text).toContain(part);
    const ofResponse = page.getByRole("region", { name: "id-missing" });
    expect(await ofResponse.getByRole("link", { name: "Show in the chat" }).getAttribute("href")).toBe(
      `/t/${id}#call_1`,
    );
    expect(await ofResponse.getByRole("link", { name: /Explain/u }).count()).toBe(0); // the doctor knows no anomalies
    const chinese = await studio.open(`/t/${id}/repairs`, { locale: "zh-CN" });
    await chinese.getByText("工具调用没有结果").waitFor();
    await chinese.getByText("提供商没有给出调用的 ID").waitFor();
    await chinese.goto(`${studio.url}/t/${id}/timeline`);
    await chinese.locator("[data-span=marks]").click();
    await chinese.getByRole("dialog").getByText("工具调用没有结果").waitFor();
    expect(await chinese.getByRole("dialog").getByRole("link", { name: "id-missing" }).count()).toBe(0);
  });

  test("a badge beside the title of the thread counts them and leads to them, also while the page is open", async () => {
    const studio = await openForgetful();
    const { id } = await studio.client.threads.create();
    const page = await studio.open(`/t/${id}`);
    await page.getByText("idle", { exact: true }).waitFor();
    expect(await page.getByRole("link", { name: /^\d+ repairs?$/u }).count()).toBe(0); // nothing was repaired yet
    await page.getByRole("textbox", { name: "Message" }).fill("Add.");
    await page.keyboard.press("Enter");
    await page.getByText("Three.", { exact: true }).waitFor();
    const repairs = await studio.client.threads.repairs(id);
    expect(repairs.length).toBeGreaterThan(1);
    await page.getByRole("link", { name: `${repairs.length} repairs`, exact: true }).waitFor();
    await page.reload();
    await page.getByRole("link", { name: `${repairs.length} repairs`, exact: true }).click();
    await page.waitForURL(`**/t/${id}/repairs`);
    for (const { rule } of repairs) await page.getByRole("region", { name: rule, exact: true }).waitFor();
    expect(await page.getByRole("main").getByRole("listitem").count()).toBe(repairs.length);

    const call = { id: "call_1", type: "function", function: { name: "add", arguments: "{}" } };
    const messages = [
      { role: "user", content: "Add." },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "user", content: "Thanks." },
    ];
    const imported = await studio.client.threads.import({ history: { model: "gpt-4.1", messages } });
    expect(await studio.client.threads.repairs(imported.id)).toHaveLength(1);
    await page.goto(`${studio.url}/t/${imported.id}`);
    await page.getByRole("link", { name: "1 repair", exact: true }).click();
    await page.waitForURL(`**/t/${imported.id}/repairs`);
    await page.getByRole("region", { name: "unanswered-call", exact: true }).waitFor();
  });

  test("the doctor receives the history as it was imported", async () => {
    const studio = await openStudio();
    const { id } = await studio.client.threads.import({ history: brokenHistory });
    const page = await studio.open(`/t/${id}/repairs`);
    await page.getByRole("button", { name: "Open in the doctor" }).click();
    await page.waitForURL(/\/doctor$/u);
    const main = page.getByRole("main");
    await main.getByText("unanswered-call").first().waitFor();
    expect(await main.innerText()).toContain("Bergen");
    await page.reload();
    await main.getByRole("heading", { name: "Doctor" }).waitFor();
    expect(await main.innerText()).not.toContain("Bergen"); // it was handed over once
    await page.goBack();
    await page.getByRole("link", { name: "Explain arguments-json in the doctor" }).click();
    await page.waitForURL(/\/doctor#explain=arguments-json$/u);
    await main.getByText("arguments-json").first().waitFor();
  });

  test("the doctor receives the history of a thread whose requests were repaired", async () => {
    const studio = await openForgetful();
    const { id } = await studio.client.threads.create();
    await studio.client.threads.send(id, "Add the numbers of Bergen.");
    const page = await studio.open(`/t/${id}/repairs`);
    await page.getByRole("button", { name: "Open in the doctor" }).click();
    await page.waitForURL(/\/doctor$/u);
    const main = page.getByRole("main");
    await main.locator("#verdict").waitFor();
    await main.getByText("Add the numbers of Bergen.").first().waitFor();
    expect(await main.locator("#verdict").locator("..").innerText()).toContain("openai-chat");
  });

  test("a long file stays outside the field, and a file that cannot be read is reported", async () => {
    const studio = await openStudio();
    const { id } = await studio.client.threads.create();
    const page = await studio.open(`/t/${id}/repairs`);
    const [question, ...rest] = brokenHistory.messages;
    const messages = [{ ...question, content: `Oslo? ${"x".repeat(300_000)}` }, ...rest];
    const open = async (name: string): Promise<void> =>
      await page.locator("input[type=file]").setInputFiles({
        name,
        mimeType: "application/json",
        buffer: Buffer.from(JSON.stringify({ ...brokenHistory, messages })),
      });
    const field = page.getByLabel("History as JSON");
    await open("first.json");
    await page.getByText("first.json, ").waitFor();
    expect(await field.count()).toBe(0);
    await page.getByRole("button", { name: "Remove" }).click();
    expect(await field.inputValue()).toBe("");
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.evaluate(() => {
      File.prototype.text = () => Promise.reject(new DOMException("It has changed.", "NotReadableError"));
    });
    await open("gone.json");
    await page.getByText("gone.json could not be read. It has changed.").waitFor();
    await page.evaluate(() => Reflect.deleteProperty(File.prototype, "text"));
    await open("third.json");
    await page.getByText("third.json, ").waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    await page.getByRole("button", { name: "Import and repair" }).click();
    await page.getByRole("region", { name: "unanswered-call" }).waitFor();
  });

  test("the doctor receives a history that is larger than the storage of a browser", async () => {
    const studio = await openStudio();
    const [question, ...rest] = brokenHistory.messages;
    const messages = [{ ...question, content: `Oslo? ${"x".repeat(6_000_000)}` }, ...rest];
    const { id } = await studio.client.threads.import({ history: { ...brokenHistory, messages } });
    const page = await studio.open(`/t/${id}/repairs`);
    await page.getByRole("button", { name: "Open in the doctor" }).click();
    await page.waitForURL(/\/doctor$/u);
    await page.getByRole("main").getByText("unanswered-call").first().waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  test("a repair of a very long value shows the start of its diff", async () => {
    const studio = await openStudio();
    const args = `{"text": "${"x".repeat(300_000)}`; // cut off
    const call = { id: "call_1", type: "function", function: { name: "write", arguments: args } };
    const messages = [
      { role: "user", content: "Write." },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "user", content: "Thanks." },
    ];
    const { id } = await studio.client.threads.import({ history: { model: "gpt-4.1", messages } });
    const page = await studio.open(`/t/${id}/repairs`);
    const diff = page.getByRole("group", { name: "Change by arguments-json" }).first();
    await diff.getByText("more characters").first().waitFor();
    expect((await diff.innerText()).length).toBeLessThan(60_000);
  });

  test("is readable in Chinese, in the dark, on a phone", async () => {
    const studio = await openStudio();
    const { id } = await studio.client.threads.import({ history: brokenHistory });
    const page = await studio.open(`/t/${id}/repairs`, look);
    await page.getByText("导入的历史").first().waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  });
});
