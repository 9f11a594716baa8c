/** Acceptance test 12: the bars add up to the time of the run, waits are separate, and an export can be opened again. */
import { execFile, spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

import type { Page } from "playwright-core";
import { tool } from "undangle/agent";
import type { Trace, TraceSpan } from "undangle/client";
import { anthropic, gemini, openai } from "undangle/models";
import { wireServer } from "undangle/testing";
import { describe, expect, onTestFinished, test } from "vitest";

import { approvedTransfer, span, traceOf } from "../../src/timeline/trace.fixture.ts";
import { accessibilityFaults, noBrowser, openStudio } from "../browser.ts";
import type { Studio } from "../browser.ts";
import { fillOffice, office } from "../office.ts";
import { openTrace, pay, row } from "./timeline-page.ts";

const lookUp = tool({
  name: "look_up",
  description: "Finds an invoice.",
  execute: async () => {
    await sleep(400);
    return "The invoice is open.";
  },
});
/** A thread that looked something up, waited for a person, and then paid. */
async function paid(): Promise<{ readonly studio: Studio; readonly id: string; readonly trace: Trace }> {
  const studio = await openStudio({
    turns: [
      { delay: 500, calls: [{ name: "look_up" }], usage: { prompt_tokens: 1_200, completion_tokens: 30 } },
      { delay: 400, calls: [{ name: "pay", arguments: { invoice: 12 } }] },
      { delay: 300, text: "Invoice 12 is paid." },
    ],
    agent: { tools: [lookUp, pay] },
  });
  const { id } = await studio.client.threads.create({ title: "Invoice 12" });
  await studio.client.threads.send(id, "Pay invoice 12.");
  await sleep(600);
  await studio.client.threads.approveAll(id);
  return { studio, id, trace: await studio.client.threads.trace(id) };
}

/** Where each bar is drawn: its start and its width, as shares of the axis. */
async function drawn(page: Page): Promise<ReadonlyMap<string, { readonly left: number; readonly width: number }>> {
  const bars = await page.locator("[data-bar]").evaluateAll((elements) =>
    elements.map((element) => {
      const axis = element.parentElement?.getBoundingClientRect() ?? new DOMRect();
      const bar = element.getBoundingClientRect();
      const left = (bar.left - axis.left) / axis.width;
      return [element.getAttribute("data-bar") ?? "", { left, width: bar.width / axis.width }] as const;
    }),
  );
  return new Map(bars);
}

const lengthOf = ({ start, end }: TraceSpan): number => (end ?? Infinity) - start;

const noCurl = spawnSync("curl", ["--version"]).error !== undefined;

/** The id of the span of a failed run. */
async function runThatFailed({ client }: Studio, id: string): Promise<string> {
  const { spans } = await client.threads.trace(id);
  return spans.find(({ type, status }) => type === "run" && status === "failed")?.id ?? "";
}

describe.skipIf(noBrowser)("the timeline", () => {
  test("every bar is as long as its span, and the bars of a run add up to it", async () => {
    const { studio, id, trace } = await paid();
    const page = await studio.open(`/t/${id}/timeline`);
    await page.locator("[data-bar]").first().waitFor();
    const start = Math.min(...trace.spans.map((each) => each.start));
    const whole = Math.max(...trace.spans.map((each) => each.end ?? 0)) - start;
    const bars = await drawn(page);
    expect(bars.size).toBe(trace.spans.length);
    for (const each of trace.spans) {
      expect(bars.get(each.id)?.left).toBeCloseTo((each.start - start) / whole, 2);
      const tooWide = (bars.get(each.id)?.width ?? 1) - lengthOf(each) / whole;
      expect(Math.abs(tooWide)).toBeLessThan(0.01); // bars have at least 3 pixels
    }
    const runs = trace.spans.filter(({ type }) => type === "run");
    expect(runs.map(({ status }) => status)).toEqual(["waiting", "done"]);
    for (const run of runs) {
      const inside = trace.spans.filter(({ parent, type }) => parent === run.id && type !== "wait");
      const sum = inside.reduce((total, each) => total + (bars.get(each.id)?.width ?? 0), 0);
      const ofRun = bars.get(run.id)?.width ?? 0;
      expect(sum).toBeLessThanOrEqual(ofRun + 0.02);
      expect(sum).toBeGreaterThan(ofRun * 0.6); // the rest is saving
    }
    const [wait, ...others] = trace.spans.filter(({ type }) => type === "wait");
    expect(others).toEqual([]);
    const bar = bars.get(wait?.id ?? "") ?? { left: 0, width: 0 };
    const [first, second] = runs.map((run) => bars.get(run.id));
    expect(bar.left).toBeGreaterThanOrEqual((first?.left ?? 0) + (first?.width ?? 0) - 0.02);
    expect(bar.left + bar.width).toBeLessThanOrEqual((second?.left ?? 0) + 0.02);
    expect(await page.locator("dd[data-total=waits]").innerText()).toMatch(/^(?:\d+ ms|[\d.]+ s)$/u);
    expect(await row(page, runs[0] ?? { id: "" }).getAttribute("aria-label")).toContain("Run after a message");
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test("rows are moved, opened, closed and zoomed by keyboard", async () => {
    const { studio, id, trace } = await paid();
    const page = await studio.open(`/t/${id}/timeline`);
    await page.locator("[data-span]").first().focus();
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("data-span"));
    const model = trace.spans.find(({ type }) => type === "model");
    await page.keyboard.press("ArrowDown");
    expect(await focused()).toBe(model?.id);
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByText("1,200 in").waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(await focused()).toBe(model?.id);

    const width = async () => (await page.locator(`[data-bar="${model?.id}"]`).boundingBox())?.width ?? 0;
    const before = await width();
    await page.keyboard.press("+");
    await expect.poll(width).toBeGreaterThan(before * 1.4);
    await page.keyboard.press("0");
    await expect.poll(width).toBeCloseTo(before, 0);
    await page.keyboard.press("Home");
    const rows = await page.locator("[data-span]").count();
    await page.keyboard.press("ArrowLeft");
    await expect.poll(() => page.locator("[data-span]").count()).toBeLessThan(rows);
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => page.locator("[data-span]").count()).toBe(rows);
  });

  test("a model response shows its request, which can be copied as a command", async () => {
    const { studio, id, trace } = await paid();
    const page = await studio.open(`/t/${id}/timeline`);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await row(page, trace.spans.find(({ type }) => type === "model") ?? { id: "" }).click();
    const request = page.getByRole("region", { name: "Request" });
    await request.getByText("Pay invoice 12.").waitFor();
    expect(await request.innerText()).toMatch(/Reconstructed from the thread|Recorded/u);
    await page.getByRole("region", { name: "Response" }).getByText("look_up").waitFor();
    await request.getByRole("button", { name: "Copy as curl" }).click();
    await request.getByText("Copied").waitFor();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    expect(command).toContain("https://api.openai.com/v1"); // a scripted model has no address of its own
    expect(command).toContain("$OPENAI_API_KEY");
    expect(command).toContain("Pay invoice 12.");
  });

  test.skipIf(noCurl).each(["openai-chat", "openai-responses", "anthropic", "gemini"] as const)(
    "a command for %s sends the same request again from bash, with the key of a variable",
    async (format) => {
      const provider = await wireServer({ turns: () => ({ text: "It rains." }) });
      onTestFinished(() => provider.close());
      const options = { baseURL: provider.baseUrl(format), apiKey: "sk-secret-0123456789", env: {} };
      const models = {
        "openai-chat": () => openai("gpt-4.1", { ...options, api: "chat" }),
        "openai-responses": () => openai("gpt-5.1", options),
        anthropic: () => anthropic("claude-sonnet-4-5", options),
        gemini: () => gemini("gemini-2.5-flash", options),
      };
      const instructions = `It's "odd": $HOME \`id\` \\ !!\nJSON\n${"x".repeat(200_000)}`; // longer than an argument may be
      const studio = await openStudio({
        config: { agents: { helper: { model: models[format](), instructions, tools: [lookUp] } } },
      });
      const { id } = await studio.client.threads.create();
      await studio.client.threads.send(id, "Will it rain in 'Oslo'? 天气 \u202E");
      const page = await studio.open(`/t/${id}/timeline`);
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await page.locator("[data-type=model]").click();
      const request = page.getByRole("region", { name: "Request" });
      await request.getByRole("button", { name: "Copy as curl" }).click();
      await request.getByText("Copied").waitFor();
      const command = await page.evaluate(() => navigator.clipboard.readText());
      expect(command).not.toContain("sk-secret");
      const keys = { OPENAI_API_KEY: "again", ANTHROPIC_API_KEY: "again", GEMINI_API_KEY: "again" };
      const { PATH = "" } = process.env;
      const response = await new Promise<string>((resolve, reject) => {
        const shell = execFile("bash", ["-s"], { env: { PATH, ...keys } }, (error, stdout) =>
          error === null ? resolve(stdout) : reject(error),
        );
        shell.stdin?.end(command);
      });
      expect(response).toContain("It rains");
      const [first, second] = provider.requests;
      expect(second).toMatchObject({ path: first?.path, body: first?.body, refused: undefined });
      expect(JSON.stringify(second?.headers)).toContain("again");
    },
  );

  test("a call shows its arguments and its result, and a wait what was proposed", async () => {
    const { studio, id, trace } = await paid();
    const page = await studio.open(`/t/${id}/timeline`);
    const pays = trace.spans.filter(({ call_id: call }) => call === "call_2");
    expect(pays.map(({ type }) => type).toSorted()).toEqual(["call", "wait"]);
    for (const each of pays) {
      await row(page, each).click();
      await page.getByRole("region", { name: "Arguments" }).getByText('"invoice": 12').waitFor();
      expect(await page.getByRole("region", { name: "Result" }).count()).toBe(each.type === "call" ? 1 : 0);
      await page.keyboard.press("Escape");
    }
    await row(page, pays.find(({ type }) => type === "call") ?? { id: "" }).click();
    await page.getByRole("region", { name: "Result" }).getByText("Paid.").waitFor();
    await page.getByRole("link", { name: "Show in the chat" }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test("modes and allowances are in the language of the page", async () => {
    const studio = await openStudio({
      turns: [{ calls: [{ name: "pay", arguments: { invoice: 12 } }] }, { text: "Paid." }],
      agent: { tools: [pay] },
    });
    const { id } = await studio.client.threads.create();
    await studio.client.threads.send(id, "Pay.", { mode: "accept-edits" });
    await studio.client.threads.decide(id, {
      call_1: { type: "approve", always: { scope: "thread", match: "tool" } },
    });
    const page = await studio.open(`/t/${id}/timeline`, { locale: "zh-CN" });
    await page.locator("[data-type=run]").first().click();
    const texts = async (): Promise<string> => await page.getByRole("dialog").innerText();
    expect(await texts()).toContain("接受修改");
    await page.keyboard.press("Escape");
    await page.locator("[data-type=wait]").click();
    expect(await texts()).toContain("此会话中该工具的所有调用");
    expect(await texts()).not.toMatch(/thread|tool/u);
  });

  test("a thread that waits is read again when it changes, and not before", async () => {
    const studio = await openStudio({
      turns: [{ calls: [{ name: "pay" }] }, { text: "Invoice 12 is paid." }],
      agent: { tools: [pay] },
    });
    const { id } = await studio.client.threads.create();
    await studio.client.threads.send(id, "Pay invoice 12.");
    const page = await studio.open(`/t/${id}/timeline`);
    await page.locator('[data-type="wait"]').waitFor();
    let reads = 0;
    page.on("request", (request) => (reads += request.url().endsWith("/trace") ? 1 : 0));
    await page.waitForTimeout(5_000);
    expect(reads).toBe(0);
    await studio.client.threads.approveAll(id);
    await page.locator('[data-type="call"][aria-label*="done"]').waitFor();
    await page.getByText("Live").waitFor({ state: "detached" });
  });

  test("an exported trace is opened again, and an exported thread is imported again", async () => {
    const { studio, id } = await paid();
    const page = await studio.open(`/t/${id}/timeline`);
    await page.locator("[data-bar]").first().waitFor();
    const before = await drawn(page);
    const saved = async (name: string): Promise<string> => {
      const download = page.waitForEvent("download");
      await page.getByRole("button", { name }).click();
      return (await download).path();
    };
    const file = await saved("Export the trace");
    const thread: unknown = JSON.parse(await readFile(await saved("Export the thread"), "utf8"));
    const empty = await studio.client.threads.create();
    await page.goto(`${studio.url}/t/${empty.id}/timeline`);
    await page.getByText("Nothing has run").waitFor();
    await page.locator("input[type=file]").setInputFiles(file);
    await page.getByText("This is the trace of the file").waitFor();
    expect(await drawn(page)).toEqual(before);
    await page.getByRole("button", { name: "Show this thread" }).click();
    await page.getByText("Nothing has run").waitFor();

    const copy = await studio.client.threads.import({ history: thread });
    const texts = async (of: string) => (await studio.client.threads.entries(of)).data.map(({ parts }) => parts);
    expect(await texts(copy.id)).toEqual(await texts(id));

    await page.locator("input[type=file]").setInputFiles({
      name: "other.json",
      mimeType: "application/json",
      buffer: Buffer.from("{}"),
    });
    await page.getByText("other.json is not an exported trace: thread_id").waitFor();
    await page.locator("input[type=file]").setInputFiles({
      name: "thread.json",
      mimeType: "application/json",
      buffer: Buffer.from(JSON.stringify(thread)),
    });
    await page.getByText("thread.json is an exported thread").waitFor();
    await page.getByRole("button", { name: "Import it as a new thread" }).click();
    await page.getByText("Invoice 12 is paid.").waitFor();
  });

  test("bars that last end when the totals were counted, whatever the clock of the browser shows", async () => {
    const hour = 3_600_000;
    const open = span("wait", { type: "wait", name: "pay", start: hour, end: null, status: "awaiting", parent: "run" });
    const run = span("run", { type: "run", start: 0, end: hour, status: "waiting" });
    const counted = traceOf([run, open]);
    const trace = { ...counted, at: 3 * hour, totals: { ...counted.totals, runs: hour, waits: 2 * hour } };
    const studio = await openStudio();
    const { id } = await studio.client.threads.create();
    const page = await studio.open();
    await page.route("**/trace", (route) => route.fulfill({ json: trace }));
    await page.goto(`${studio.url}/t/${id}/timeline`);
    for (const source of ["the server", "a file"]) {
      expect([source, await row(page, open).getAttribute("aria-label")]).toEqual([
        source,
        expect.stringContaining("duration 2 h."),
      ]);
      expect(await page.locator("dd[data-total=waits]").innerText()).toBe("2 h");
      await openTrace(page, trace);
    }
  });

  test("a server that does not respond leaves the last state, with its time", async () => {
    const { studio, id } = await paid();
    const page = await studio.open(`/t/${id}/timeline`);
    await page.locator("[data-bar]").first().waitFor();
    const isRead = (url: URL): boolean => url.pathname.includes(id);
    await page.route(isRead, (route) => route.fulfill({ status: 404, json: { error: { message: "Gone." } } }));
    await page.getByRole("alert").getByText("This is the state of").waitFor();
    expect(await page.locator("[data-bar]").count()).toBeGreaterThan(0);
    await page.unroute(isRead);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("alert").waitFor({ state: "detached" });
  });

  test("failures, discarded responses and expired waits are named beside their bars, and responses have costs", async () => {
    const studio = await openStudio({
      turns: [
        { text: "Half of a" },
        { discard: "the connection broke" },
        { calls: [{ name: "fail" }, { name: "ask" }], usage: { prompt_tokens: 1_000, completion_tokens: 100 } },
        { error: { status: 400, message: "no such model" } },
      ],
      agent: {
        tools: [
          tool({
            name: "fail",
            description: "Fails.",
            execute: () => {
              throw new Error("The archive is full.");
            },
          }),
          tool({ name: "ask", description: "Asks.", approval: { expiresAfter: 300 }, execute: () => "" }),
        ],
      },
      options: { prices: { models: { scripted: { input: 2, output: 10 } } } },
    });
    const { id } = await studio.client.threads.create();
    await studio.client.threads.send(id, "Go.");
    await expect.poll(async () => (await studio.client.threads.get(id)).status).toBe("idle");
    const page = await studio.open(`/t/${id}/timeline`);
    const named = (type: string, text: string) =>
      page
        .getByRole("listitem")
        .filter({ has: page.locator(`[data-type=${type}]`), hasText: text })
        .first();
    await named("call", "failed").waitFor();
    await named("wait", "expired").waitFor();
    await named("run", "failed").waitFor();
    await named("model", "discarded").waitFor();
    expect(await named("model", "discarded").locator(".line-through").innerText()).toBe("scripted");
    expect(await page.locator("dd[data-total=cost]").innerText()).toContain("$0.003");
    expect(await page.locator("dd[data-total=cost]").innerText()).toContain("at least");
    await page.locator("[data-type=model]").first().click();
    await page.getByRole("dialog").getByText("did not become a turn").waitFor();
    await page.keyboard.press("Escape");
    await row(page, { id: await runThatFailed(studio, id) }).click();
    await page.getByRole("dialog").getByText("no such model").waitFor(); // the page is that of an administrator
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test("a run that lasts is drawn until now, and its end appears by itself", async () => {
    const studio = await openStudio({ turns: [{ delay: 4_000, text: "Done." }] });
    const { id } = await studio.client.threads.create();
    await studio.client.threads.start.send(id, "Think.");
    const page = await studio.open(`/t/${id}/timeline`);
    await page.getByText("Live").waitFor();
    await page.locator('[data-type="run"][aria-label*="done"]').waitFor();
    await page.getByText("Live").waitFor({ state: "detached" });
    expect(await page.locator("[data-bar]").count()).toBe(2);
  });

  test("sub-agents are nested under their calls, with the tool that waits", async () => {
    const studio = await openStudio({ config: office() });
    const { supplier } = await fillOffice(studio.client);
    const page = await studio.open(`/t/${supplier}/timeline`);
    const { spans } = await studio.client.threads.trace(supplier);
    const wait = spans.find(({ type }) => type === "wait");
    expect(wait?.path).toHaveLength(1);
    await row(page, wait ?? { id: "" }).waitFor();
    expect(await row(page, wait ?? { id: "" }).getAttribute("aria-label")).toContain("Decision: send_mail");
    const indent = (each: TraceSpan | undefined) =>
      row(page, each ?? { id: "" }).evaluate((element) => element.nextElementSibling?.getAttribute("style") ?? "");
    const call = spans.find(({ name }) => name === "task");
    expect(Number.parseFloat((await indent(wait)).slice(14))).toBeGreaterThan(
      Number.parseFloat((await indent(call)).slice(14)),
    );
    const inner = spans.find(({ type, path }) => type === "model" && path !== undefined);
    await row(page, inner ?? { id: "" }).click();
    await page.getByRole("region", { name: "Request" }).getByText("You research suppliers.").waitFor();
    await page.getByRole("region", { name: "Response" }).getByText("send_mail").waitFor();
    await page.keyboard.press("Escape");
    expect(await page.getByText("researcher: Run after a message").count()).toBe(1);
    await page.getByRole("button", { name: "Close task" }).click();
    await row(page, wait ?? { id: "" }).waitFor({ state: "detached" });
  });

  test("a wait of an hour is compressed at a break, which can be switched off", async () => {
    const studio = await openStudio();
    const { id } = await studio.client.threads.create();
    const page = await studio.open(`/t/${id}/timeline`);
    await openTrace(page, approvedTransfer);
    expect((await drawn(page)).get("wait1")?.width).toBeLessThan(0.1);
    await page.getByTitle("Waiting for people: 59 min 58 s, shortened").waitFor();
    await page.getByRole("checkbox", { name: "Compress waits" }).uncheck();
    await expect.poll(async () => (await drawn(page)).get("wait1")?.width).toBeGreaterThan(0.99);
    await row(page, { id: "marks" }).click();
    const rule = page.getByRole("dialog").getByRole("link", { name: "arguments-json" });
    expect(await rule.getAttribute("href")).toBe("/doctor#explain=arguments-json");
  });

  test("idle time is no wait for people, and the totals add up", async () => {
    const minute = 60_000;
    const spans = [
      span("first", { type: "run", start: 0, end: minute }),
      span("a", { type: "model", start: 0, end: minute, parent: "first" }),
      span("wait", { type: "wait", start: minute, end: 11 * minute, parent: "first" }),
      span("second", { type: "run", start: 11 * minute, end: 12 * minute }),
      span("b", { type: "model", start: 11 * minute, end: 12 * minute, parent: "second" }),
      span("third", { type: "run", start: 72 * minute, end: 73 * minute }),
      span("c", { type: "model", start: 72 * minute, end: 73 * minute, parent: "third" }),
    ];
    const trace = traceOf(spans);
    const totals = { ...trace.totals, runs: 3 * minute, model: 3 * minute, waits: 10 * minute };
    const studio = await openStudio();
    const { id } = await studio.client.threads.create();
    const page = await studio.open(`/t/${id}/timeline`);
    await openTrace(page, { ...trace, totals });
    const total = (name: string) => page.locator(`dd[data-total=${name}]`).innerText();
    expect([await total("whole"), await total("runs"), await total("waits"), await total("idle")]).toEqual([
      "1 h 13 min",
      "3 min",
      "10 min",
      "1 h",
    ]);
    const breaks = page.locator("[data-break]");
    expect(await breaks.evaluateAll((all) => all.map((each) => each.getAttribute("data-break")))).toEqual([
      "wait",
      "idle",
    ]);
    await page.getByTitle("Idle: 1 h, shortened").waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test("a thousand spans are drawn as far as they are visible", async () => {
    const spans = Array.from({ length: 1_000 }, (_, i) => span(`s${i}`, { start: i * 1_000, parent: "run" }));
    const studio = await openStudio();
    const { id } = await studio.client.threads.create();
    const page = await studio.open(`/t/${id}/timeline`);
    await openTrace(page, traceOf([span("run", { type: "run", start: 0, end: 1_000_000 }), ...spans]));
    expect(await page.locator("[data-span]").count()).toBeLessThan(100);
    for (let i = 0; i < 8; i++) await page.getByRole("button", { name: "Zoom in" }).click();
    await expect.poll(async () => (await page.locator('[data-bar="s5"]').boundingBox())?.x).toBeLessThan(1280); // bars stay in sight
    expect((await page.locator('[data-bar="s5"]').boundingBox())?.x).toBeGreaterThan(500);
    await page.getByRole("button", { name: "Show all" }).click();
    await row(page, { id: "run" }).focus();
    await page.keyboard.press("End");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("data-span"))).toBe("s999");
    await page.getByRole("button", { name: "Table" }).click();
    expect(await page.getByRole("row").count()).toBe(1_002);
  });

  test("is readable as a drawing and as a table, in Chinese, in the dark, on a phone", async () => {
    const { studio, id, trace } = await paid();
    const page = await studio.open(`/t/${id}/timeline`, {
      locale: "zh-CN",
      colorScheme: "dark",
      viewport: { width: 360, height: 740 },
    });
    await page.locator("[data-bar]").first().waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole("button", { name: "表格" }).click();
    expect(await page.getByRole("row").count()).toBe(trace.spans.length + 1);
    for (const name of ["名称", "用时", "状态"]) {
      const { x, width } = (await page.getByRole("columnheader", { name }).boundingBox()) ?? { x: 0, width: 1_000 };
      expect(x + width).toBeLessThanOrEqual(360);
    }
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  });
});
