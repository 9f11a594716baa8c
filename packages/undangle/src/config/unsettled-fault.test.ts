import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "undangle-config-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** In a process of its own: it would end this one without a word. */
function load(source: string): { readonly status: number | null; readonly answers: unknown } {
  writeFileSync(join(folder, "undangle.config.mjs"), source);
  const program = fileURLToPath(new URL("load-program.fixture.ts", import.meta.url));
  const { status, stdout } = spawnSync(
    process.execPath,
    ["--conditions=undangle-source", program, JSON.stringify([{ folder }])],
    { encoding: "utf8", env: { PATH: process.env["PATH"] } },
  );
  return { status, answers: JSON.parse(stdout) };
}

const reason = "An await in it, or in a file that it imports, never settles.";

test("an await that never ends is told with its line", () => {
  expect(load("const x = 1;\nawait new Promise(() => {});\nexport default {};")).toEqual({
    status: 0,
    answers: [{ code: "config/load", message: `undangle.config.mjs:2:1: ${reason}` }],
  });
});

test("of several awaits none is blamed", () => {
  expect(load("await 1;\nawait new Promise(() => {});\nexport default {};").answers).toEqual([
    { code: "config/load", message: `undangle.config.mjs: ${reason}` },
  ]);
});
