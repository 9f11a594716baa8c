import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

import { openLog } from "../src/open-log.ts";

let folder = "";
let umask = 0;
beforeEach(() => {
  umask = process.umask(0o022); // what most machines have
  folder = mkdtempSync(join(tmpdir(), "undangle-log-"));
});
afterEach(() => {
  process.umask(umask);
  rmSync(folder, { recursive: true });
});

const modeOf = (path: string): string => (statSync(join(folder, path)).mode & 0o777).toString(8);

test("a log that is the first file beside the threads makes the folder as the store does", () => {
  openLog({ log: ".undangle/server.log", folder, env: {} }, "en").info("Hi.");
  expect(modeOf(".undangle")).toBe("700");
  expect(modeOf(".undangle/server.log")).toBe("600");
  expect(readFileSync(join(folder, ".undangle/.gitignore"), "utf8")).toBe("*\n");
});

test("a log elsewhere is for its owner too, in a folder like any other", () => {
  openLog({ log: "logs/a.log", folder, env: {} }, "en").info("Hi.");
  expect(modeOf("logs/a.log")).toBe("600");
  expect(modeOf("logs")).toBe("755");
  expect(existsSync(join(folder, "logs/.gitignore"))).toBe(false);
});

test("no text in a line can steer the terminal that shows the log", async () => {
  const evil = "\u001B[2J\u009B2J\u0085\u202E\u2066\u200F\u2028\u{E0041}\r\n";
  openLog({ log: "a.log", folder, env: {} }, "en").info({ [evil]: evil, err: new Error(evil) }, evil);
  const read = (): string => readFileSync(join(folder, "a.log"), "utf8");
  await expect.poll(read).toMatch(/\n$/u);
  const line = read();
  expect(line.replace(/\n$/u, "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u);
  expect(JSON.parse(line)).toMatchObject({ [evil]: evil, err: { message: evil }, msg: evil });
});
