import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { describe, expect, test } from "vitest";

import { sampleNames } from "../src/doctor/samples.ts";
import { doctorTexts } from "../src/texts/doctor-texts.ts";
import { cardOf, openBank } from "./bank.ts";
import { noBrowser, openPage } from "./browser.ts";
import { serveFiles } from "./static-files.ts";

const inRoot = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** The bytes of files as the server sends them. */
const gzipped = (paths: readonly string[]): number =>
  paths.reduce((sum, path) => sum + gzipSync(readFileSync(path)).length, 0);

/** index.html, and the scripts and styles that it loads. */
function firstLoad(folder: string): readonly string[] {
  const page = readFileSync(`${folder}/index.html`, "utf8");
  const loaded = [...page.matchAll(/(?:src|href)="[./]*(assets\/[^"]+)"/gu)].map(
    ([, path = ""]) => `${folder}/${path}`,
  );
  expect(loaded.length).toBeGreaterThan(1);
  return [`${folder}/index.html`, ...loaded];
}

const allFiles = (folder: string): readonly string[] =>
  readdirSync(`${folder}/assets`).map((name) => `${folder}/assets/${name}`);

const studio = inRoot("packages/server/dist/studio");

test("the studio loads at most 200 kB first", () => {
  expect(gzipped(firstLoad(studio))).toBeLessThan(200_000);
});

describe.skipIf(noBrowser)("with the parts of a view that load later", () => {
  test("the inbox loads at most 200 kB", async () => {
    const bank = await openBank();
    await bank.wait("t");
    const page = await bank.open("/");
    await page.getByRole("button", { name: "Open transfer (call_1)" }).click();
    await cardOf(page, "call_1").waitFor();
    await page.waitForTimeout(1_000);
    const loaded = await page.evaluate(() =>
      performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname),
    );
    const files = [...new Set(loaded.filter((path) => path.startsWith("/assets/")))];
    expect(files.some((path) => path.includes("/inbox-view-"))).toBe(true);
    expect(gzipped([`${studio}/index.html`, ...files.map((path) => studio + path)])).toBeLessThan(200_000);
  });

  test.each([
    ["en-US", doctorTexts.en, 318_000],
    ["zh-CN", doctorTexts.zh, 331_000],
  ])("the doctor of the studio loads few bytes with all rules, and then no more (%s)", async (locale, texts, most) => {
    const { url, requests } = await serveFiles(studio, { apiStatus: 503 });
    const sizeOfLoaded = (): number => {
      const files = new Set(requests.filter((path) => path.startsWith("/assets/")));
      return gzipped([`${studio}/index.html`, ...[...files].map((path) => studio + path)]);
    };
    const page = await openPage(url, "doctor", { locale });
    const field = page.getByRole("textbox", { name: texts.input });
    await field.waitFor();
    await page.waitForTimeout(1_000);
    expect(sizeOfLoaded()).toBeLessThan(140_000);
    await field.focus();
    await page.getByText(texts.ready).waitFor();
    const withRules = sizeOfLoaded();
    expect(withRules).toBeLessThan(most);
    for (const name of sampleNames) {
      await page.getByRole("button", { name: texts.sampleNames[name], exact: true }).click();
      await page.locator("#verdict").waitFor();
      await page.getByRole("button", { name: texts.clear }).click();
    }
    expect(sizeOfLoaded()).toBe(withRules);
  });
});

test("the doctor loads at most 200 kB first, and 300 kB with all rules", () => {
  const folder = inRoot("packages/studio/dist/doctor");
  expect(gzipped(firstLoad(folder))).toBeLessThan(200_000);
  expect(gzipped([`${folder}/index.html`, ...allFiles(folder)])).toBeLessThan(300_000);
});
