import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

import { savedHistory } from "./saved-history.ts";

let folder = "";
const file = (): string => join(folder, ".undangle/history");
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "undangle-history-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

test("what was said is there the next time, with its line ends", async () => {
  mkdirSync(join(folder, ".undangle"));
  await savedHistory(folder).add("one\ntwo");
  await savedHistory(folder).add("three");
  expect(await savedHistory(folder).load()).toEqual(["one\ntwo", "three"]);
});

test("a file that cannot be read is no reason not to talk", async () => {
  mkdirSync(file(), { recursive: true });
  expect(await savedHistory(folder).load()).toEqual([]);
});

test("a line that a crash has cut off is left out", async () => {
  mkdirSync(join(folder, ".undangle"));
  await savedHistory(folder).add("one");
  appendFileSync(file(), '"tw');
  expect(await savedHistory(folder).load()).toEqual(["one"]);
});

test("it does not grow for ever", async () => {
  mkdirSync(join(folder, ".undangle"));
  writeFileSync(file(), Array.from({ length: 2500 }, (_, line) => `"${line}"\n`).join(""));
  const history = await savedHistory(folder).load();
  expect([history.length, history.at(-1)]).toEqual([1000, "2499"]);
  expect(readFileSync(file(), "utf8").split("\n")).toHaveLength(1001);
});

test("a folder without threads is left as it is", async () => {
  await savedHistory(folder).add("one");
  expect(await savedHistory(folder).load()).toEqual([]);
  expect(existsSync(join(folder, ".undangle"))).toBe(false);
});
