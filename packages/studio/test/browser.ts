import { existsSync } from "node:fs";

import { AxeBuilder } from "@axe-core/playwright";
import { chromium } from "playwright-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { memoryStore } from "undangle/agent";
import type { AgentConfig, Config } from "undangle/config";
import { createClient } from "undangle/client";
import type { Client } from "undangle/client";
import { scriptedModel } from "undangle/testing";
import type { ScriptedModel } from "undangle/testing";
import { afterAll, expect, onTestFinished } from "vitest";

import { createServer } from "../../server/src/index.ts";
import type { ServerOptions } from "../../server/src/index.ts";

/** Chromium of the system's packages. Playwright's own download is not needed. */
const binary = [
  process.env["UNDANGLE_CHROMIUM"],
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/google-chrome",
].find((path) => path !== undefined && existsSync(path));

if (binary === undefined)
  process.stderr.write("Tests of the studio are skipped: install chromium-headless-shell, or set UNDANGLE_CHROMIUM.\n");

/** Tests that need a browser are skipped where there is none: `describe.skipIf(noBrowser)(…)`. */
export const noBrowser = binary === undefined;

let browser: Promise<Browser> | undefined;

afterAll(async () => {
  await (await browser)?.close();
  browser = undefined;
});

export interface Stage {
  readonly turns?: Parameters<typeof scriptedModel>[0];
  /** The agent `helper`, whose model says what the script says. */
  readonly agent?: AgentConfig;
  /** Instead of `turns` and `agent`. */
  readonly config?: Config;
  readonly options?: ServerOptions;
}

export interface Studio {
  readonly url: string;
  readonly client: Client;
  readonly model: ScriptedModel;
  /** Opens a page in a browser context of its own, like another person. English and light unless given otherwise. */
  readonly open: (path?: string, context?: BrowserContextOptions) => Promise<Page>;
}

/** A real server with the built page, on a port of its own. */
export async function openStudio({ turns = [], agent = {}, config, options = {} }: Stage = {}): Promise<Studio> {
  const model = scriptedModel(turns, { loop: true });
  const app = createServer({
    store: memoryStore(),
    config: config ?? { agents: { helper: { model, ...agent } } },
    folder: import.meta.dirname,
    env: {},
    ...options,
    limits: { turn: Infinity, ...options.limits }, // tests share the event loop with the server
  });
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  onTestFinished(async () => {
    await app.close();
  });
  return { url, model, client: createClient({ url }), open: (path, context) => openPage(url, path, context) };
}

/** Opens a page of any server. Errors of the page and refused contents fail the test. */
export async function openPage(url: string, path = "/", context: BrowserContextOptions = {}): Promise<Page> {
  browser ??= chromium.launch({ ...(binary !== undefined && { executablePath: binary }) });
  const opened = await (
    await browser
  ).newContext({ locale: "en-US", colorScheme: "light", viewport: { width: 1280, height: 800 }, ...context });
  const page = await opened.newPage();
  page.setDefaultTimeout(10_000);
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    if (/Content.Security.Policy|Refused to/iu.test(message.text())) faults.push(message.text());
  });
  onTestFinished(async () => {
    await opened.close();
    if (faults.length > 0) throw new Error(`The page reported: ${faults.join("; ")}`);
  });
  await page.goto(url + path);
  return page;
}

/** What axe reports for the page: rule and elements. Empty if it is accessible. */
export async function accessibilityFaults(page: Page): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode() // without frames of other sites it finds the same, and opens no second page
    .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])
    .analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
}

/** Milliseconds in which a person thinks that a page hangs, however busy the machine is. */
const frozen = 2_000;

/** Does something in a page, prints how long its longest task took, and fails if the page was frozen meanwhile. */
export async function withoutFreeze(page: Page, name: string, work: () => Promise<unknown>): Promise<void> {
  await page.evaluate(() => {
    const seen = { longest: 0 };
    Object.assign(globalThis, { seenTasks: seen });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) seen.longest = Math.max(seen.longest, duration);
    }).observe({ type: "longtask" });
  });
  await work();
  await page.waitForTimeout(200); // tasks are reported after their end
  const longest = await page.evaluate(
    () => (globalThis as unknown as { seenTasks: { longest: number } }).seenTasks.longest, // set above
  );
  process.stdout.write(`${name}: the longest task took ${Math.round(longest)} ms\n`);
  expect(longest).toBeLessThan(frozen);
}
