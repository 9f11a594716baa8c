import { describe, expect, test } from "vitest";

import { demoAgent } from "undangle/config";

import { noBrowser, openStudio } from "./browser.ts";

describe.skipIf(noBrowser)("actions of a thread", () => {
  test("a draft survives a reload, and a lost response does not send a message twice", async () => {
    const studio = await openStudio({ turns: [{ text: "Heard." }] });
    const { id } = await studio.client.threads.create();
    const page = await studio.open(`/t/${id}`);
    const field = page.getByRole("textbox", { name: "Message" });
    await field.fill("Say it once.");
    await page.reload();
    await expect.poll(() => field.inputValue()).toBe("Say it once.");
    let isLost = false;
    await page.route("**/messages", async (route) => {
      if (isLost) return route.continue();
      isLost = true;
      await route.fetch(); // the server gets the message, and its response is lost
      return route.abort();
    });
    await field.press("Enter");
    await page.getByRole("alert").waitFor();
    await field.press("Enter");
    await expect.poll(() => field.inputValue()).toBe("");
    await page.getByText("Heard.", { exact: true }).waitFor();
    const { data } = await studio.client.threads.entries(id);
    expect(data.map(({ type }) => type)).toEqual(["input", "turn"]);
  });

  test("text that is written while a message is sent stays, also in another view", async () => {
    const studio = await openStudio({ turns: [{ text: "Heard." }] });
    const { id } = await studio.client.threads.create();
    const page = await studio.open(`/t/${id}#%E0%A4%A`); // people cut addresses off
    const field = page.getByRole("textbox", { name: "Message" });
    const { promise: isWritten, resolve: go } = Promise.withResolvers<void>();
    await page.route("**/messages", async (route) => {
      await isWritten;
      await route.continue();
    });
    await field.fill("First.");
    await field.press("Enter");
    await field.press("End");
    await field.pressSequentially(" Second.");
    await page.getByRole("link", { name: "Inbox" }).click();
    go();
    await expect.poll(async () => (await studio.client.threads.entries(id)).data.length).toBe(2);
    await page.goBack();
    await expect.poll(() => field.inputValue()).toBe("Second.");
  });

  test("a new thread has the demo agent, and its examples fill the composer", async () => {
    const agents = { plain: { instructions: "Hello.", model: "demo" }, demo: { ...demoAgent("en"), model: "demo" } };
    const studio = await openStudio({ config: { agents } });
    const page = await studio.open("/");
    await page.getByRole("button", { name: "New thread" }).click();
    await page.getByText("This persona can use: get_time, read_mail").waitFor();
    await page.getByRole("button", { name: /^Pay invoice 12 of 300 euros/u }).click();
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "3 calls need a decision." }).waitFor();
    const [thread] = (await studio.client.threads.list()).data;
    expect(thread?.persona).toBe("demo");
  });

  test("a run is stopped, its turn is requested again, and the thread is forked", async () => {
    const studio = await openStudio({
      turns: [{ text: "One two three four five six seven.", pace: 300 }, { text: "Second answer." }],
    });
    const { id } = await studio.client.threads.create({ title: "Original" });
    const page = await studio.open(`/t/${id}`);
    await page.getByRole("textbox", { name: "Message" }).fill("Count.");
    await page.keyboard.press("Enter");
    await page.getByText(/One/u).first().waitFor();
    await page.getByRole("button", { name: "Stop the run" }).click();
    await page.getByText("The run was stopped.").waitFor();
    await page.getByRole("button", { name: "Retry: request another response" }).click();
    await page.getByText("Second answer.", { exact: true }).waitFor();
    await page.getByText("Replaced by a newer response.").waitFor();
    await page.getByRole("button", { name: "Fork the thread from here" }).last().click();
    await expect.poll(() => page.url()).not.toContain(id);
    await page.getByText("Second answer.", { exact: true }).waitFor();
    expect((await studio.client.threads.list()).data).toHaveLength(2);
  });

  test("a deleted thread is explained and can be restored; an unknown one is explained", async () => {
    const studio = await openStudio();
    const { id } = await studio.client.threads.create({ title: "Short life" });
    const page = await studio.open(`/t/${id}`);
    await page.getByRole("button", { name: "Show tasks, files and details" }).click();
    await page.getByRole("button", { name: "Delete the thread" }).click();
    await page
      .getByRole("group", { name: "Delete the thread" })
      .getByRole("button", { name: "Delete the thread" })
      .click();
    await page.getByText("This thread was deleted.").waitFor();
    await page.getByRole("button", { name: "Restore it" }).click();
    await page.getByRole("heading", { name: "Short life" }).waitFor();
    expect((await studio.client.threads.pending(id)).deleted_at).toBeNull();
    await page.goto(`${studio.url}/t/nothing-here`);
    await page.getByText("There is no thread at this address.").waitFor();
  });

  test("a composition of an input method does not send, and neither does Shift+Enter", async () => {
    const studio = await openStudio({ turns: [{ text: "Heard." }] });
    const { id } = await studio.client.threads.create();
    const page = await studio.open(`/t/${id}`);
    const field = page.getByRole("textbox", { name: "Message" });
    await field.fill("你好");
    await field.dispatchEvent("keydown", { key: "Enter", isComposing: true });
    await field.press("Shift+Enter");
    expect(await field.inputValue()).toBe("你好\n");
    expect((await studio.client.threads.entries(id)).data).toEqual([]);
  });
});
