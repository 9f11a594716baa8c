import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { pages, rulesPage } from "../scripts/docs.ts";

describe("generated pages", () => {
  test.each(Object.keys(pages))("%s is what `npm run docs` writes", (path) => {
    const file = new URL(`../${path}`, import.meta.url);
    expect(existsSync(file) ? readFileSync(file, "utf8") : "").toBe(pages[path]?.());
  });
});

describe("the page of rules", () => {
  const lines = rulesPage().split("\n");

  test("every link inside it leads to a heading", () => {
    const headings = new Set(lines.filter((line) => line.startsWith("### ")).map((line) => line.slice(4)));
    const links = lines.flatMap((line) => [...line.matchAll(/\]\(#([\w-]+)\)/gu)].map(([, slug = ""]) => slug));
    expect(links.length).toBeGreaterThan(60);
    expect(links.filter((slug) => !headings.has(slug))).toEqual([]);
    expect(headings.size).toBe(links.length);
  });

  test("every row of a table has as many cells as its head", () => {
    const cells = (line: string): number => line.split(/(?<!\\)\|/u).length;
    const rows = lines.map((line, at) => ({ line, at })).filter(({ line }) => line.startsWith("|"));
    const head = (at: number): string => (lines[at - 1]?.startsWith("|") ? head(at - 1) : (lines[at] ?? ""));
    expect(rows.filter(({ line, at }) => cells(line) !== cells(head(at)))).toEqual([]);
  });
});

test("the files named in the architecture page exist", () => {
  const page = readFileSync(new URL("../docs/architecture.md", import.meta.url), "utf8");
  const sources = ["packages/undangle/src", "packages/server/src", "packages/undangle/src/wire/stream", "."];
  const thread = "packages/undangle/src/engine/thread";
  const folders = [...sources, "packages/undangle/src/engine/step", thread, `${thread}/commands`];
  const names = [...page.matchAll(/`([\w<>/.-]+\.ts)`/gu)].map(([, name = ""]) =>
    name.replace("<format>", "openai-chat"),
  );
  const exists = (name: string): boolean =>
    folders.some((folder) => existsSync(new URL(`../${folder}/${name}`, import.meta.url)));
  expect(names.length).toBeGreaterThan(40);
  expect(names.filter((name) => !exists(name) && name !== "undangle.config.ts")).toEqual([]);
});
