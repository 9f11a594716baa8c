import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { expect, test } from "vitest";

const inRoot = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** The bytes of files after `gzip -9`. */
const gzipped = (paths: readonly string[]): number =>
  paths.reduce((sum, path) => sum + gzipSync(readFileSync(path), { level: 9 }).length, 0);

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

test("the studio loads at most 200 kB first", () => {
  expect(gzipped(firstLoad(inRoot("packages/server/dist/studio")))).toBeLessThan(200_000);
});

test("the doctor loads at most 200 kB first, and 300 kB with all rules", () => {
  const folder = inRoot("packages/studio/dist/doctor");
  expect(gzipped(firstLoad(folder))).toBeLessThan(200_000);
  expect(gzipped([`${folder}/index.html`, ...allFiles(folder)])).toBeLessThan(300_000);
});
