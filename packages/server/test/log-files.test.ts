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
