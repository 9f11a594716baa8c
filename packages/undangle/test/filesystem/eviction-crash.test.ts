import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { createAgent, tool } from "#engine";
import { diskFiles, stateFiles } from "#files";
import { filesystem } from "#middleware";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";

import { sqliteStore } from "../../src/store/sqlite.ts";

const program = fileURLToPath(new URL("evict-until-killed.ts", import.meta.url));

/** What is printed before the process kills itself, or ends. */
const runUntil = (...args: readonly string[]): Promise<string> =>
  new Promise((resolve) => {
    const given = ["--conditions=undangle-source", "--no-warnings", program, ...args];
    execFile(process.execPath, given, (_, stdout) => resolve(stdout));
  });

const text = `${"x".repeat(50)}\n`.repeat(2_000);

/** The states of the calls after recovery, and what is wrong with their results. */
async function recovered(folder: string, kind: string): Promise<{ states: string[]; problems: string[] }> {
  const store = sqliteStore(join(folder, "threads.db"));
  const disk = diskFiles(folder);
  const agent = createAgent({
    model: scriptedModel([{ text: "Again." }]),
    store,
    tools: [tool({ name: "long", description: "", execute: () => "" })],
    middleware: [filesystem({ backend: kind === "disk" ? disk : stateFiles() })],
  });
  const thread = agent.thread("t");
  await thread.send("Go on.").result;
  const problems: string[] = [];
  const calls = await thread.calls();
  for (const { id, status, result } of calls) {
    if (status !== "succeeded") continue;
    const [, path = ""] = /It is stored in (\S+)\. /u.exec(String(result)) ?? [];
    const data = kind === "disk" ? await disk.read(path).catch(() => undefined) : await thread.readFile(path);
    if (Buffer.from(data ?? []).toString() !== text) problems.push(`${id}: ${path} is not the result`);
  }
  await store.close();
  return { states: calls.map(({ status }) => status), problems };
}

describe.each(["disk", "thread"])("EV10 results in files of a %s", (kind) => {
  test("a process that is killed at any step leaves no note without its file", { timeout: 240_000 }, async () => {
    const seen = new Set<string>();
    let output = "";
    for (let step = 1; output === "" && step < 60; step++) {
      const folder = mkdtempSync(join(tmpdir(), "undangle-evict-"));
      try {
        output = await runUntil(folder, kind, String(step));
        const { states, problems } = await recovered(folder, kind);
        expect(problems).toEqual([]);
        for (const state of states) seen.add(state);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }
    expect(output).toBe("done\n");
    expect([...seen].toSorted()).toEqual(["lost", "succeeded"]);
  });
});
