import { readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Page } from "playwright-core";
import { check } from "undangle";
import { describe, expect, onTestFinished, test } from "vitest";

import { sampleNames, samples } from "../../src/doctor/samples.ts";
import type { Sample } from "../../src/doctor/samples.ts";
import { continueTexts } from "../../src/texts/continue-texts.ts";
import { doctorNoticeTexts } from "../../src/texts/doctor-notice-texts.ts";
import { doctorTexts } from "../../src/texts/doctor-texts.ts";
import { accessibilityFaults, noBrowser, withoutFreeze } from "../browser.ts";
import { goOffline, openDoctor, openSample, verdictOf } from "./doctor-page.ts";

const texts = doctorTexts.en;

async function download(page: Page): Promise<unknown> {
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: texts.download.repaired }).click(),
  ]);
  return JSON.parse(await readFile(await file.path(), "utf8"));
}

/** The number of problems in the downloaded history. Streams and error texts have none to download. */
async function problemsAfter(page: Page, { provider }: Sample): Promise<number> {
  const isHistory = await page.getByRole("button", { name: texts.download.repaired }).isVisible();
  return isHistory ? check(await download(page), { provider }).length : 0;
}

describe.skipIf(noBrowser)("the doctor without a network", () => {
  test("examines every sample, and what it repairs passes the check", async () => {
    const page = await openDoctor("", { acceptDownloads: true });
    const requests = await goOffline(page);
    const reports: (readonly [sample: string, verdict: string, problems: number])[] = [];
    for (const name of sampleNames) {
      await openSample(page, name);
      reports.push([name, await verdictOf(page), await problemsAfter(page, samples[name])]);
      await page.getByRole("button", { name: texts.clear }).click();
    }
    const valid = [texts.valid, texts.stream.incomplete, "A tool call has no result"];
    expect(reports.filter(([, title]) => !valid.includes(title) && !/^\d+ problem/u.test(title))).toEqual([]);
    expect(reports.filter(([, , problems]) => problems > 0)).toEqual([]);
    expect(reports.filter(([, title]) => title === texts.valid).map(([name]) => name)).toEqual(["valid"]);
    expect(requests).toEqual([]);
  });

  test("explains an error text alone", async () => {
    const page = await openDoctor();
    const requests = await goOffline(page);
    await page.getByRole("textbox", { name: texts.input }).fill("400 No tool output found for function call call_9.");
    await page.getByRole("button", { name: texts.examine }).click();
    await page.getByRole("heading", { name: "A tool call has no result" }).first().waitFor();
    await page.getByRole("link", { name: /unanswered-call/u }).click();
    await page.locator("#cases").waitFor();
    await page.goBack();
    await page.locator("#verdict").waitFor();
    await page.getByRole("button", { name: texts.pasteRequest }).click();
    await expect.poll(() => page.getByRole("textbox", { name: texts.input }).inputValue()).toBe("");
    expect(requests).toEqual([]);
  });

  test("names the call and its place beside the rule that it breaks", async () => {
    const page = await openDoctor();
    const broken = [
      { role: "user", content: "Pay." },
      {
        role: "assistant",
        tool_calls: [{ id: "call_7", type: "function", function: { name: "pay", arguments: "{}" } }],
      },
      { role: "user", content: "Well?" },
    ];
    await page.getByRole("textbox", { name: texts.input }).fill(JSON.stringify(broken));
    await page.getByRole("button", { name: texts.examine }).click();
    const rule = page
      .getByRole("listitem")
      .filter({ has: page.getByRole("heading", { name: "A tool call has no result" }) });
    await rule.waitFor();
    expect(await rule.innerText()).toContain("The call pay (call_7) has no result. messages[1].tool_calls[0]");
  });

  test("assembles a captured stream", async () => {
    const page = await openDoctor();
    await goOffline(page);
    await openSample(page, "stream");
    expect(await verdictOf(page)).toBe(texts.stream.incomplete);
    await page.getByText(texts.stream.states.truncated).waitFor();
    await page.getByText("arguments-truncated").waitFor();
  });

  test("loads no image that an input names", async () => {
    const page = await openDoctor();
    const requests: string[] = [];
    page.context().on("request", (request) => requests.push(request.url()));
    const messages = [
      { role: "user", content: [{ type: "image_url", image_url: { url: "https://images.example/a.png" } }] },
      { role: "user", content: "![x](https://images.example/b.png) <img src=https://images.example/c.png>" },
      { role: "assistant", tool_calls: [] },
    ];
    await page.getByRole("textbox", { name: texts.input }).fill(JSON.stringify(messages));
    await page.keyboard.press("Control+Enter");
    await page.locator("#verdict").waitFor();
    await page.locator("summary").first().click();
    await page.getByText("https://images.example/a.png").first().waitFor();
    expect(requests).toEqual([]);
  });

  test("has no means to send anything", async () => {
    const page = await openDoctor();
    const [worker] = page.workers();
    const means = ["fetch", "XMLHttpRequest", "WebSocket", "EventSource", "WebTransport"];
    const left = await worker?.evaluate(
      (names) => names.filter((name) => Reflect.get(self, name) !== undefined),
      means,
    );
    expect(left).toEqual([]);
    const [policy, hints, registrations] = await page.evaluate(async () => [
      document.querySelector("meta[http-equiv]")?.getAttribute("content"),
      document.querySelectorAll("link:not([rel=icon], [rel=stylesheet]), form").length,
      (await navigator.serviceWorker.getRegistrations()).length,
    ]);
    expect(policy).toContain(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; worker-src 'self'; connect-src 'none'",
    );
    expect([hints, registrations]).toEqual([0, 0]);
    await openSample(page, "cancelled");
    expect(await page.getByRole("button", { name: continueTexts.en.continue }).count()).toBe(0);
    await page.getByText(texts.private).waitFor();
  });

  test("copies on pages without TLS", async () => {
    const page = await openDoctor("", { permissions: ["clipboard-read"] });
    await page.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
    await openSample(page, "cancelled");
    await page.getByRole("button", { name: texts.copy.repaired }).click();
    await page.getByText(texts.copied).waitFor();
    await page.getByRole("button", { name: texts.clear }).click();
    await page.getByRole("textbox", { name: texts.input }).press("Control+V");
    await page.getByText(texts.valid).waitFor();
    expect(await page.getByText("get_weather").count()).toBeGreaterThan(0);
  });

  test("points at the place where an input stops being JSON", async () => {
    const page = await openDoctor();
    await goOffline(page);
    const field = page.getByRole("textbox", { name: texts.input });
    await field.fill('{\n  "messages": [\n    {"role" "user", "content": "Hi"}\n  ]\n}');
    await page.getByRole("button", { name: texts.examine }).click();
    expect(await page.locator("#verdict").innerText()).toBe(texts.notJson);
    const excerpt = page.getByRole("group", { name: texts.place(3, 13) });
    expect(await excerpt.innerText()).toBe(`    {"role" "user", "content": "Hi"}\n${" ".repeat(12)}^`);
    await page.getByRole("button", { name: texts.editInput }).click();
    await field.fill((await field.inputValue()).replace('"role"', '"role":'));
    await page.keyboard.press("Control+Enter");
    await page.getByText(texts.valid).waitFor();
  });

  test("repairs what is almost JSON, and names the place", async () => {
    const page = await openDoctor("", { acceptDownloads: true });
    await goOffline(page);
    const call = "{'id': 'a', 'type': 'function', 'function': {'name': 'f', 'arguments': '{}'}}";
    const python = `{'messages': [{'role': 'assistant', 'content': None, 'tool_calls': [${call}]}]}`;
    await page.getByRole("textbox", { name: texts.input }).fill(python);
    await page.keyboard.press("Control+Enter");
    await page.getByText(texts.readAsSource).waitFor();
    await page.getByRole("group", { name: texts.place(1, 2) }).waitFor();
    const output = await download(page);
    expect(output).toHaveProperty("messages.length", 2);
    expect(check(output)).toEqual([]);
  });

  test("reads a file of 50 MB without blocking the page, and can be stopped", { timeout: 120_000 }, async () => {
    const path = join(tmpdir(), `undangle-doctor-${process.pid}.json`);
    onTestFinished(() => rm(path, { force: true }));
    const long = "The quick brown fox. ".repeat(500);
    const messages = Array.from({ length: 4900 }, (_, i) => ({
      role: i % 2 === 0 ? "user" : "assistant",
      content: long,
    }));
    const open = { id: "call_1", type: "function", function: { name: "look", arguments: "{}" } };
    messages.splice(2000, 0, { role: "assistant", content: "", tool_calls: [open] } as never);
    await writeFile(path, JSON.stringify({ model: "gpt-4.1", messages }));
    const page = await openDoctor();
    const requests = await goOffline(page);
    const picker = page.locator("input[type=file]");
    await page.evaluate((name) => {
      const observer = new MutationObserver(() => {
        const cancel = [...document.querySelectorAll("button")].find((each) => each.innerText.includes(name));
        if (cancel === undefined) return;
        observer.disconnect();
        document.body.dataset["cancelled"] = "";
        cancel.click(); // a fast machine has read the file before Playwright finds the button
      });
      observer.observe(document.body, { childList: true, subtree: true });
    }, texts.cancel);
    await withoutFreeze(page, "A file of 50 MB", async () => {
      await picker.setInputFiles(path);
      await page.locator("body[data-cancelled]").waitFor();
      await page.getByRole("button", { name: texts.cancel }).waitFor({ state: "detached" });
      expect(await page.locator("#verdict").count()).toBe(0);
      await picker.setInputFiles(path);
      await page.locator("#verdict").waitFor({ timeout: 60_000 });
      expect(await verdictOf(page)).toBe(texts.verdict(1));
    });
    await page.getByText(texts.unchanged(1999)).first().waitFor();
    expect(requests).toEqual([]);
  });
});

describe.skipIf(noBrowser)("the doctor", () => {
  test("shows a valid history once, without words about problems", async () => {
    const page = await openDoctor();
    await openSample(page, "valid");
    await page.getByRole("heading", { name: texts.history, exact: true }).waitFor();
    expect(await page.locator("[id^=before-]").count()).toBe(4);
    expect(await page.locator("[id^=after-]").count()).toBe(0);
    for (const name of [texts.before, texts.after])
      expect(await page.getByRole("heading", { name, exact: true }).count()).toBe(0);
  });

  test("starts both columns at the same height, and names short sizes in the plural", async () => {
    const page = await openDoctor();
    const call = { id: "call_1", type: "function", function: { name: "pay", arguments: "{}" } };
    const messages = [{ role: "assistant", tool_calls: [call] }];
    await page.getByRole("textbox", { name: texts.input }).fill(JSON.stringify(messages));
    await page.keyboard.press("Control+Enter");
    await page.getByText(`${texts.paste}, ${JSON.stringify(messages).length} bytes`).waitFor();
    const bottomOf = (id: string): Promise<number> =>
      page
        .locator(`#${id}`)
        .evaluate((heading) => heading.closest("section")?.children[1]?.getBoundingClientRect().y ?? 0);
    expect(await bottomOf("before")).toBe(await bottomOf("after"));
  });

  test("labels recorded errors as examples, in both languages", async () => {
    for (const [locale, words] of [
      ["en-US", doctorTexts.en],
      ["zh-CN", doctorTexts.zh],
    ] as const) {
      const page = await openDoctor("", { locale });
      await page.getByRole("button", { name: words.sampleNames.interrupted, exact: true }).click();
      await page.locator("#verdict").waitFor();
      const labels = [words.exampleError, words.avoids].map((label) => page.getByText(label, { exact: true }).count());
      expect(await Promise.all(labels)).toEqual([1, 1]);
    }
  });

  test("names the tool of a problem in Chinese, and does not repeat the title", async () => {
    const page = await openDoctor("", { locale: "zh-CN" });
    await page.getByRole("button", { name: doctorTexts.zh.sampleNames.log, exact: true }).click();
    const heading = page.getByRole("heading", { name: "工具调用没有结果" }).first();
    const rule = page.getByRole("listitem").filter({ has: heading });
    expect(await rule.innerText()).toContain("reset_password（call_rp） messages[1].tool_calls[0]");
    expect((await rule.innerText()).split("工具调用没有结果")).toHaveLength(2);
  });

  test("changes its language without a network", async () => {
    const page = await openDoctor();
    const requests = await goOffline(page);
    await openSample(page, "cancelled");
    await page.getByRole("heading", { name: "A tool call has no result" }).first().waitFor();
    await page.getByRole("button", { name: texts.otherLanguage }).click();
    await page.getByRole("heading", { name: "工具调用没有结果" }).first().waitFor();
    expect(requests).toEqual([]);
  });

  test("steps through the edits by keyboard", async () => {
    const page = await openDoctor();
    await openSample(page, "trimmed");
    await page.getByText(texts.edit(1, 2)).waitFor();
    await page.getByRole("button", { name: texts.nextEdit }).focus();
    await page.keyboard.press("ArrowRight");
    await page.getByText(texts.edit(2, 2)).waitFor();
    await page.keyboard.press("ArrowLeft");
    await page.getByText(texts.edit(1, 2)).waitFor();
    expect(await page.getByText(texts.edit(2, 2)).count()).toBe(0);
  });

  test("lets the person choose among the requests of a log", async () => {
    const page = await openDoctor();
    await openSample(page, "log");
    expect(await verdictOf(page)).toBe(texts.verdict(1)); // the broken one is chosen first
    await page.getByRole("button", { name: /line 2/u }).click();
    await page.getByText(texts.valid).waitFor();
    await page.getByRole("button", { name: texts.choice.errorText }).click();
    await page.getByText(texts.errorNext).waitFor();
  });

  test("checks for the chosen provider", async () => {
    const page = await openDoctor();
    await openSample(page, "valid");
    await page.getByRole("button", { name: texts.clear }).click();
    await openSample(page, "mistral");
    expect(await verdictOf(page)).not.toBe(texts.valid);
    await page.getByRole("combobox", { name: texts.provider }).selectOption("openai");
    await page.getByText(texts.valid).waitFor();
  });

  test("applies the rules of the provider that the model or the address shows", async () => {
    const page = await openDoctor();
    const field = page.getByRole("textbox", { name: texts.input });
    const detected = page.getByRole("option", { name: texts.detected("mistral"), exact: true });
    await field.fill(samples.mistral.text);
    await page.keyboard.press("Control+Enter");
    await detected.waitFor({ state: "attached" });
    expect(await verdictOf(page)).not.toBe(texts.valid);
    await page.getByRole("button", { name: texts.clear }).click();
    await field.fill(
      `curl https://api.mistral.ai/v1 -d '${samples.mistral.text.replace("mistral-large-latest", "mine")}'`,
    );
    await page.keyboard.press("Control+Enter");
    await detected.waitFor({ state: "attached" });
    expect(await verdictOf(page)).not.toBe(texts.valid);
  });

  test("takes what is dropped anywhere, and what is pasted beside the field", async () => {
    const page = await openDoctor("#rules");
    const give = (type: "drop" | "dragover" | "paste", text: string): Promise<void> =>
      page.evaluate(
        ([name, given]) => {
          const data = new DataTransfer();
          if (name === "paste") data.setData("text/plain", given);
          else data.items.add(new File([given], "chat.json"));
          const options = { bubbles: true, cancelable: true };
          document
            .querySelector("h1, p")
            ?.dispatchEvent(
              name === "paste"
                ? new ClipboardEvent(name, { ...options, clipboardData: data })
                : new DragEvent(name, { ...options, dataTransfer: data }),
            );
        },
        [type, text] as const,
      );
    await page.getByRole("searchbox").waitFor();
    await give("dragover", "");
    await page.getByText(texts.drop).waitFor();
    await give("drop", samples.cancelled.text);
    await page.getByText(/^chat\.json, /u).waitFor();
    await page.getByText(texts.verdict(1)).waitFor();
    expect(await page.getByText(texts.drop).count()).toBe(0);
    await give("paste", samples.valid.text);
    await page.getByText(texts.valid).waitFor();
  });

  test("examines what was pasted while a file was read", async () => {
    const page = await openDoctor();
    await page.evaluate((pasted) => {
      const options = { bubbles: true, cancelable: true };
      const [dropped, data] = [new DataTransfer(), new DataTransfer()];
      dropped.items.add(new File(["x".repeat(30_000_000)], "large.txt"));
      data.setData("text/plain", pasted);
      document.body.dispatchEvent(new DragEvent("drop", { ...options, dataTransfer: dropped }));
      document.body.dispatchEvent(new ClipboardEvent("paste", { ...options, clipboardData: data }));
    }, samples.mistral.text);
    await page.getByRole("combobox", { name: texts.provider }).selectOption("openai");
    await page.getByText(texts.valid).waitFor();
    expect(await verdictOf(page)).toBe(texts.valid);
  });

  test.each([
    ["the worker", /doctor-worker/u],
    ["the assembler", /assembler/u],
    ["the Chinese words", /chinese-words/u],
  ])("starts again with the next input after %s could not be loaded", async (_, part) => {
    const page = await openDoctor("#rules");
    await page.context().route(part, (route) => route.abort());
    await page.reload();
    await page.getByText(texts.notLoaded).waitFor();
    await page.getByRole("link", { name: texts.rules.back }).click();
    await page.getByRole("textbox", { name: texts.input }).fill(samples.cancelled.text);
    await page.keyboard.press("Control+Enter");
    await page.getByText(texts.notLoaded).waitFor();
    expect(await page.getByText(texts.loading).count()).toBe(0);
    await page.context().unroute(part);
    await page.getByRole("button", { name: texts.examine }).click();
    await page.getByText(texts.verdict(1)).waitFor();
    await page.getByText(texts.ready).waitFor();
  });

  test("shows each message once after another provider is chosen", async () => {
    const page = await openDoctor();
    const call = { id: "call_1", type: "function", function: { name: "look", arguments: "{}" } };
    const messages = [
      ...Array.from({ length: 40 }, (_, i) => ({ role: i % 2 === 0 ? "user" : "assistant", content: `Text ${i}` })),
      { role: "user", content: "Look." },
      { role: "assistant", content: "", tool_calls: [call] },
      { role: "tool", tool_call_id: "call_1", content: "ok" },
      ...Array.from({ length: 40 }, (_, i) => ({ role: i % 2 === 0 ? "assistant" : "user", content: `More ${i}` })),
    ];
    await page.getByRole("textbox", { name: texts.input }).fill(JSON.stringify({ messages }));
    await page.keyboard.press("Control+Enter");
    const before = page.locator("[id^=before-]");
    await page
      .getByRole("button", { name: texts.showMore(50) })
      .first()
      .click();
    await before.nth(49).waitFor();
    await page.getByRole("combobox", { name: texts.provider }).selectOption("mistral");
    await page.getByText(texts.valid).waitFor({ state: "detached" });
    const ids = await before.evaluateAll((elements) => elements.map(({ id }) => id));
    expect(ids).toEqual([...new Set(ids)]);
  });

  test("returns to the field, with what was in it", async () => {
    const page = await openDoctor();
    await openSample(page, "cancelled");
    await page.getByRole("button", { name: texts.editInput }).click();
    const field = page.getByRole("textbox", { name: texts.input });
    expect(await field.inputValue()).toBe(samples.cancelled.text);
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press("Control+Enter");
    await page.getByRole("button", { name: texts.clear }).click();
    expect(await field.inputValue()).toBe("");
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
  });

  test("copies the response of a stream, and names each of its choices", async () => {
    const page = await openDoctor("", { permissions: ["clipboard-read", "clipboard-write"] });
    const chunk = (index: number): string =>
      `data: {"object":"chat.completion.chunk","choices":[{"index":${index},"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n`;
    await page.getByRole("textbox", { name: texts.input }).fill(`${chunk(0)}${chunk(1)}data: [DONE]\n\n`);
    await page.keyboard.press("Control+Enter");
    await page.locator("#verdict-1").waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole("button", { name: texts.copy.response }).click();
    await page.getByText(texts.copied).waitFor();
    const copied: unknown = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
    expect(copied).toMatchObject([{ text: "Hi", complete: true }, { text: "Hi" }]);
  });

  test("says that a conversation is only too long", async () => {
    const page = await openDoctor();
    const error =
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.";
    await page.getByRole("textbox", { name: texts.input }).fill(error);
    await page.keyboard.press("Control+Enter");
    expect(await verdictOf(page)).toBe(texts.tooLong);
  });

  test("names the agent of a session file, which it cannot read yet", async () => {
    const page = await openDoctor();
    const line = { type: "user", sessionId: "a", parentUuid: null, message: { role: "user", content: "Hi" } };
    await page.getByRole("textbox", { name: texts.input }).fill(JSON.stringify(line));
    await page.keyboard.press("Control+Enter");
    expect(await verdictOf(page)).toBe(doctorNoticeTexts.en.session.title("Claude Code"));
  });

  test.each([
    ["light", "en-US", 1280],
    ["dark", "zh-CN", 1280],
    ["dark", "en-US", 360],
    ["light", "zh-CN", 360],
  ] as const)("is accessible in %s, %s, %i px", { timeout: 120_000 }, async (colorScheme, locale, width) => {
    const page = await openDoctor("", { colorScheme, locale, viewport: { width, height: 800 } });
    const words = doctorTexts[locale === "zh-CN" ? "zh" : "en"];
    const inspect = async (): Promise<void> => {
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    };
    await inspect();
    for (const name of ["trimmed", "log", "stream", "errorText", "valid"] as const) {
      await page.getByRole("button", { name: words.sampleNames[name], exact: true }).click();
      await page.locator("#verdict").waitFor();
      await inspect();
      await page.getByRole("button", { name: words.clear }).click();
    }
    for (const [hash, place] of [
      ["#rules", "input[type=search]"],
      ["#explain=unanswered-call", "#cases"],
    ] as const) {
      await page.evaluate((next) => location.assign(next), hash);
      await page.locator(place).waitFor();
      await inspect();
    }
  });
});
