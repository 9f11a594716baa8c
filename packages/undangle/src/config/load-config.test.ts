import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";

import { loadCases } from "./load-cases.fixture.ts";
import type { LoadAnswer, LoadTask } from "./load-program.fixture.ts";

const root = mkdtempSync(join(tmpdir(), "undangle-config-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function load(tasks: readonly LoadTask[]): readonly LoadAnswer[] {
  const program = fileURLToPath(new URL("load-program.fixture.ts", import.meta.url));
  const output = execFileSync(process.execPath, ["--conditions=undangle-source", program, JSON.stringify(tasks)], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"] },
  });
  return JSON.parse(output) as readonly LoadAnswer[]; // what the program writes
}

describe("loadConfig", () => {
  const tasks = loadCases.map(({ files, task }, index): LoadTask => {
    const folder = join(root, String(index));
    mkdirSync(folder);
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    return { folder, ...task };
  });
  const answers = load(tasks); // in one process: each costs half a second

  test.each(loadCases.map(({ title, answer }, index) => ({ title, answer, index })))("$title", ({ answer, index }) => {
    expect(answers[index]).toMatchObject(answer);
  });
});
