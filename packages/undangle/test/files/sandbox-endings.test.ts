import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, test, vi } from "vitest";
import {
  marker,
  noSandbox,
  openWorkspace,
  ownedFolder,
  processesWith,
  removeFoldersAfterAll,
} from "./sandbox-workspace.ts";

removeFoldersAfterAll();

describe.skipIf(noSandbox !== undefined)("every process ends with its command", () => {
  const { run } = openWorkspace();

  test.each([
    ["a background process", (name: string) => `sh -c 'sleep 100; :' ${name} & echo hi`],
    ["one that ignores signals", (name: string) => `sh -c 'trap "" TERM HUP INT; sleep 100; :' ${name} & echo hi`],
    ["nohup", (name: string) => `nohup sh -c 'sleep 100; :' ${name} & echo hi`],
    ["setsid", (name: string) => `setsid sh -c 'sleep 100; :' ${name} & echo hi`],
    [
      "a daemon",
      (name: string) => `(setsid sh -c '(sh -c "sleep 100; :" ${name} &)' ${name} >/dev/null 2>&1 &); echo hi`,
    ],
  ])("%s", async (_, command) => {
    const name = marker();
    const begin = performance.now();
    const end = await run(command(name));
    expect(end).toMatchObject({ exitCode: 0, killed: undefined });
    expect(end.output).toContain("hi\n");
    expect(performance.now() - begin).toBeLessThan(10_000);
    expect(processesWith(name)).toEqual([]);
  });

  test("at the timeout, with the output so far", async () => {
    const name = marker();
    const begin = performance.now();
    const end = await run(`echo begin; sh -c 'trap "" TERM; sleep 100; :' ${name}; echo end`, { timeout: 700 });
    expect(end).toEqual({ output: "begin\n", exitCode: undefined, killed: "timeout", omitted: 0 });
    expect(performance.now() - begin).toBeLessThan(5000);
    expect(processesWith(name)).toEqual([]);
  });

  test("when the caller stops it", async () => {
    const name = marker();
    const controller = new AbortController();
    const ending = run(`echo begin; sleep 100; : ${name}`, { signal: controller.signal });
    const sibling = run("sleep 1; echo kept");
    await wait(600);
    controller.abort();
    expect(await ending).toEqual({ output: "begin\n", exitCode: undefined, killed: "stopped", omitted: 0 });
    expect(processesWith(name)).toEqual([]);
    expect(await sibling).toMatchObject({ output: "kept\n", exitCode: 0 });
    expect(await run("echo never", { signal: controller.signal })).toMatchObject({ output: "", killed: "stopped" });
  });

  test("when it is stopped at any moment of its start", async () => {
    const name = marker();
    const delays = Array.from({ length: 60 }, (_, i) => i);
    for (const delay of delays) {
      const ending = run(`sleep 100; : ${name}`, { signal: AbortSignal.timeout(delay) });
      expect(await ending).toMatchObject({ killed: "stopped" });
    }
    expect(processesWith(name)).toEqual([]);
  }, 60_000);

  test("when the process of the agent is killed, at any moment", async () => {
    const program = fileURLToPath(new URL("run-until-killed.ts", import.meta.url));
    const kill = async (delay: number, command: string): Promise<void> => {
      const folder = ownedFolder();
      const agent = spawn(process.execPath, ["--conditions=undangle-source", program, folder, command], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const exit = once(agent, "exit");
      await once(agent.stdout, "data");
      await wait(delay);
      agent.kill("SIGKILL");
      await exit;
    };
    const name = marker();
    const long = `sh -c 'trap "" TERM HUP; sleep 100; :' ${name} & setsid sh -c 'sleep 100; :' ${name} & wait`;
    const delays = Array.from({ length: 8 }, (_, i) => i * 5);
    for (const delay of delays) {
      // Commands that end at once are killed in all phases of their start and end.
      await Promise.all([kill(delay + 1000, long), kill(delay, `: ${name}`), kill(delay, long)]);
    }
    await vi.waitFor(() => expect(processesWith(name)).toEqual([]), { timeout: 10_000, interval: 100 });
  }, 120_000);
});
