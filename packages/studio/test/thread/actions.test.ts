import { UndangleError } from "undangle";
import { memoryStore } from "undangle/agent";
import { demoAgent } from "undangle/config";
import type { Model } from "undangle/models";
import { scriptedModel } from "undangle/testing";
import { describe, expect, test } from "vitest";

import { noBrowser, openStudio } from "../browser.ts";
import { slowResponses } from "../slow-responses.ts";

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

  test("a text that was sent, deleted and written again is another message", async () => {
    const studio = await openStudio({ turns: [{ text: "Heard." }] });
    const { id } = await studio.client.threads.create();
    const page = await studio.open(`/t/${id}`);
    const field = page.getByRole("textbox", { name: "Message" });
    let isLost = false;
    await page.route("**/messages", async (route) => {
      if (isLost) return route.continue();
      isLost = true;
      await route.fetch();
      return route.abort();
    });
    await field.fill("Yes.");
    await field.press("Enter");
    await page.getByRole("alert").waitFor();
    await page.getByText("Heard.", { exact: true }).waitFor(); // it did arrive
    await field.fill("");
    await field.fill("Yes.");
    await field.press("Enter");
    await expect.poll(() => field.inputValue()).toBe("");
    await expect.poll(async () => (await studio.client.threads.entries(id)).data.length).toBe(4);
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

  test("a message whose response was lost is not sent twice after a reload either", async () => {
    const studio = await openStudio({ turns: [{ text: "Heard." }] });
    const { id } = await studio.client.threads.create();
    const page = await studio.open(`/t/${id}`);
    const field = page.getByRole("textbox", { name: "Message" });
    await page.route("**/messages", async (route) => {
      await route.fetch();
      return route.abort();
    });
    await field.fill("Say it once.");
    await field.press("Enter");
    await page.getByText("The server did not confirm the message.").waitFor();
    await page.unroute("**/messages");
    await page.reload();
    await expect.poll(() => field.inputValue()).toBe("Say it once.");
    await field.press("Enter");
    await expect.poll(() => field.inputValue()).toBe("");
    const { data } = await studio.client.threads.entries(id);
    expect(data.map(({ type }) => type)).toEqual(["input", "turn"]);
  });

  test("a message that the server has lost track of is explained, and can be sent again as another one", async () => {
    const studio = await openStudio({ turns: [{ text: "Heard." }] });
    const { id } = await studio.client.threads.create();
    const page = await studio.open(`/t/${id}`);
    const field = page.getByRole("textbox", { name: "Message" });
    const keys: unknown[] = [];
    await page.route("**/messages", async (route) => {
      keys.push(route.request().headers()["idempotency-key"]);
      if (keys.length > 1) return route.continue();
      return route.fulfill({ status: 409, json: { error: { code: "idempotency-unknown", message: "Lost." } } });
    });
    await field.fill("Yes.");
    await field.press("Enter");
    await page.getByText("The message may have arrived").waitFor();
    await field.press("Enter");
    await page.getByText("Heard.", { exact: true }).waitFor();
    expect(new Set(keys).size).toBe(2);
  });

  test("the persona of an empty thread is chosen with the arrow keys", async () => {
    const model = scriptedModel([{ text: "Heard." }], { loop: true });
    const studio = await openStudio({ config: { agents: { first: { model }, second: { model }, third: { model } } } });
    const page = await studio.open("/");
    await page.getByRole("button", { name: "New thread" }).click();
    const persona = page.getByRole("combobox", { name: "Persona" });
    await expect.poll(() => persona.inputValue()).toBe("first");
    await persona.focus();
    for (const name of ["second", "third"]) {
      const saved = page.waitForResponse((response) => response.request().method() === "PATCH");
      await page.keyboard.press("ArrowDown");
      await saved;
      await expect.poll(() => persona.inputValue()).toBe(name);
    }
  });

  test("a thread that became read-only says so, until a message has another mode", async () => {
    const studio = await openStudio({ turns: [{ text: "Heard." }] });
    const { id } = await studio.client.threads.create();
    const page = await studio.open(`/t/${id}`);
    const field = page.getByRole("textbox", { name: "Message" });
    const mode = page.getByRole("combobox", { name: "Mode", exact: true });
    const shownMode = (): Promise<string> =>
      mode.evaluate((select) => (select as HTMLSelectElement).selectedOptions[0]?.text ?? "");
    await expect.poll(shownMode).toBe("Mode of the persona");
    const note = page.getByText("Read only: only tools that read are offered, also for later messages");
    expect(await note.count()).toBe(0);
    await mode.selectOption("read-only");
    await note.waitFor();
    await field.fill("Look only.");
    await field.press("Enter");
    await expect.poll(async () => (await studio.client.threads.entries(id)).mode).toBe("read-only");
    await page.reload();
    await expect.poll(shownMode).toBe("Read only");
    await note.waitFor();
    await mode.selectOption("ask");
    await page.getByText("Ask: all tools are offered.").waitFor();
    await field.fill("Ask me again.");
    await field.press("Enter");
    await expect.poll(async () => (await studio.client.threads.entries(id)).mode).toBe("ask");
    await page.reload();
    await expect.poll(shownMode).toBe("Mode of the persona");
  });

  test("the persona and the model of a thread are chosen, and a persona that is gone is explained", async () => {
    const models = { large: scriptedModel([{ text: "I am large." }], { name: "large", loop: true }) };
    const small = scriptedModel([{ text: "I am small." }], { name: "small", loop: true });
    const store = memoryStore();
    const old = await openStudio({ config: { agents: { old: { model: small } } }, options: { store } });
    const { id } = await old.client.threads.create();
    const studio = await openStudio({
      config: { models, agents: { helper: { model: small }, other: { model: small } } },
      options: { store },
    });
    const page = await studio.open(`/t/${id}`);
    await page.getByText("This server has no persona “old”.").waitFor();
    const field = page.getByRole("textbox", { name: "Message" });
    await field.fill("Who are you?");
    expect(await page.getByRole("button", { name: "Send" }).isDisabled()).toBe(true);
    await page.getByRole("combobox", { name: "Persona" }).selectOption("helper");
    await page.getByText("Enter sends.").waitFor();
    await page.getByRole("combobox", { name: "Model" }).selectOption("large");
    await expect.poll(async () => (await studio.client.threads.pending(id)).model).toBe("large");
    await field.press("Enter");
    await page.getByText("I am large.", { exact: true }).waitFor();
    await page.reload();
    await expect.poll(() => page.getByRole("combobox", { name: "Model" }).inputValue()).toBe("large");
  });

  test("images are attached, sent and shown", async () => {
    const studio = await openStudio({ turns: [{ text: "A dot." }] });
    const { id } = await studio.client.threads.create();
    const page = await studio.open(`/t/${id}`);
    const buffer = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    );
    const choose = async (name: string, content: Buffer): Promise<void> => {
      const chooser = page.waitForEvent("filechooser");
      await page.getByRole("button", { name: "Attach images" }).click();
      await (await chooser).setFiles({ name, mimeType: "image/png", buffer: content });
    };
    await choose("first.png", buffer);
    await choose("second.png", buffer);
    await page.getByRole("button", { name: "Remove the image first.png" }).click();
    await choose("large.png", Buffer.alloc(8_000_000));
    await page.getByText("The images are too large.").waitFor();
    await page.getByRole("textbox", { name: "Message" }).fill("What is this?");
    await page.keyboard.press("Enter");
    await page.getByText("A dot.", { exact: true }).waitFor();
    const sent = page.getByRole("group", { name: "You" }).locator("img"); // read after the first words of the response
    await expect.poll(() => sent.count()).toBe(1);
    expect(await page.getByRole("button", { name: /^Remove the image/u }).count()).toBe(0);
    expect(studio.model.requests[0]?.messages[0]).toMatchObject({
      parts: [
        { type: "text", text: "What is this?" },
        { type: "media", kind: "image" },
      ],
    });
  });

  test("a thread is renamed, and the list of threads follows at once", async () => {
    const studio = await openStudio({ turns: [{ text: "Heard." }] });
    const page = await studio.open("/");
    await page.getByRole("button", { name: "New thread" }).dblclick();
    await page.getByRole("textbox", { name: "Message" }).waitFor();
    await page.keyboard.type("My first words"); // the composer of a new thread has the focus
    await page.keyboard.press("Enter");
    const list = page.getByRole("region", { name: "Threads" });
    await list.getByRole("link", { name: "My first words" }).waitFor({ timeout: 3_000 });
    await page.getByRole("button", { name: "Rename the thread" }).click();
    await page.getByRole("textbox", { name: "Title of the thread" }).fill("Not this one");
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { name: "My first words" }).waitFor();
    await page.keyboard.press("Enter"); // the button has the focus again
    await page.getByRole("textbox", { name: "Title of the thread" }).fill("Another title");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Another title" }).waitFor();
    await list.getByRole("link", { name: "Another title" }).waitFor({ timeout: 3_000 });
    expect((await studio.client.threads.list()).data.map(({ title }) => title)).toEqual(["Another title"]);
  });

  test("a fork that ends with a message can be responded to", async () => {
    const studio = await openStudio({ turns: [{ text: "First answer." }, { text: "Second answer." }] });
    const { id } = await studio.client.threads.create({ title: "Original" });
    await studio.client.threads.send(id, "Hello.");
    const page = await studio.open(`/t/${id}`);
    await page.getByRole("button", { name: "Fork the thread from here" }).first().click();
    await page.getByRole("heading", { name: "Original (fork)" }).waitFor();
    await page.getByText("The last message has no response.").waitFor();
    await page.getByRole("button", { name: "Request a response", exact: true }).click();
    await page.getByText("Second answer.", { exact: true }).waitFor();
    expect(await page.getByText("The last message has no response.").count()).toBe(0);
  });

  test.each([
    ["model/rate-limit", "Wait a moment and try again"],
    ["model/auth", "Set a valid key where the server runs"],
    ["model/context-overflow", "Choose a model with a larger context below"],
    ["model/content-filter", "change your message"],
  ] as const)("a run that failed with %s is explained, and the response is requested again", async (code, words) => {
    const ready = scriptedModel([{ text: "It works." }], { loop: true });
    let isBroken = true;
    const stream: Model["stream"] = (request) => {
      if (!isBroken) return ready.stream(request);
      throw new UndangleError(code, { model: "m", message: "secret words", status: 400, canRetry: false });
    };
    const studio = await openStudio({ config: { agents: { helper: { model: { name: "m", stream } } } } });
    const { id } = await studio.client.threads.create();
    const page = await studio.open(`/t/${id}`);
    await page.getByRole("textbox", { name: "Message" }).fill("Hello.");
    await page.keyboard.press("Enter");
    await page.getByText(words).waitFor();
    await page.reload();
    await page.getByText(words).waitFor();
    expect(await page.locator("main").innerText()).not.toContain("secret words");
    isBroken = false;
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("It works.", { exact: true }).waitFor();
    expect(await page.getByText(words).count()).toBe(0);
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

  test("a click on Retry while the title is edited saves the title and requests a response", async () => {
    const studio = await openStudio({ turns: [{ text: "First answer." }, { text: "Second answer." }] });
    const { id } = await studio.client.threads.create({ title: "Old title" });
    await studio.client.threads.send(id, "Hello.");
    const page = await studio.open(`/t/${id}`);
    const { promise: isClicked, resolve: go } = Promise.withResolvers<void>();
    await page.route(`**/threads/${id}`, async (route) => {
      if (route.request().method() === "PATCH") await isClicked;
      await route.continue();
    });
    await page.getByRole("button", { name: "Rename the thread" }).click();
    await page.getByRole("textbox", { name: "Title of the thread" }).fill("New title");
    await page.getByRole("button", { name: "Retry: request another response" }).click();
    await page.getByText("Second answer.", { exact: true }).waitFor();
    go();
    await page.getByRole("heading", { name: "New title" }).waitFor();
    expect((await studio.client.threads.pending(id)).title).toBe("New title");
  });

  test("the button that opened the side panel has the focus again when the panel is closed", async () => {
    const studio = await openStudio();
    const { id } = await studio.client.threads.create();
    const page = await studio.open(`/t/${id}`);
    const opener = page.getByRole("button", { name: "Show tasks, files and details" });
    const hasFocus = (): Promise<boolean> => opener.evaluate((button) => button === document.activeElement);
    const panel = page.getByRole("complementary");
    for (const key of ["Enter", "Escape"]) {
      await opener.click();
      await panel.getByRole("button", { name: "Close" }).focus();
      await page.keyboard.press(key);
      await panel.waitFor({ state: "detached" });
      expect(await hasFocus()).toBe(true);
    }
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

  test("tasks and files are read again after events, one read at a time", async () => {
    const studio = await openStudio({ turns: [{ text: "Done." }] });
    const { id } = await studio.client.threads.create();
    const page = await studio.open(`/t/${id}`);
    const [states, lists] = [
      await slowResponses(page, /\/state$/u, 1_500),
      await slowResponses(page, /\/files$/u, 1_500),
    ];
    await page.getByRole("button", { name: "Show tasks, files and details" }).click();
    await expect.poll(() => lists.count).toBe(1);
    for (let i = 0; i < 5; i++) {
      await studio.client.threads.send(id, "Write.", { files: { [`/file-${i}.txt`]: "a" } });
      await page.waitForTimeout(300);
    }
    await page.locator("aside").getByText("/file-4.txt").waitFor();
    expect([states.most, lists.most]).toEqual([1, 1]);
  });

  test("a title and a deletion of another client appear when the person returns to the page", async () => {
    const studio = await openStudio();
    const { id } = await studio.client.threads.create({ title: "Old title" });
    const page = await studio.open(`/t/${id}`);
    await page.getByRole("heading", { name: "Old title" }).waitFor();
    await studio.client.threads.update(id, { title: "New title" });
    await page.evaluate(() => dispatchEvent(new Event("focus")));
    await page.getByRole("heading", { name: "New title" }).waitFor();
    await studio.client.threads.delete(id);
    await page.evaluate(() => dispatchEvent(new Event("focus")));
    await page.getByText("This thread was deleted.").waitFor();
    expect(await page.getByRole("textbox", { name: "Message" }).count()).toBe(0);
  });

  test("a composition of an input method does not send, and neither does Shift+Enter", async () => {
    const studio = await openStudio({ turns: [{ text: "Heard." }] });
    const { id } = await studio.client.threads.create();
    const page = await studio.open(`/t/${id}`);
    const field = page.getByRole("textbox", { name: "Message" });
    await field.fill("你好");
    await field.dispatchEvent("keydown", { key: "Enter", isComposing: true });
    await field.dispatchEvent("keydown", { key: "Enter", keyCode: 229 }); // Safari
    await field.press("Shift+Enter");
    expect(await field.inputValue()).toBe("你好\n");
    expect((await studio.client.threads.entries(id)).data).toEqual([]);
  });
});
