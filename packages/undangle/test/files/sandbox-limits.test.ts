import { describe, expect, test } from "vitest";
import { marker, noSandbox, openWorkspace, processesWith, removeFoldersAfterAll } from "./sandbox-workspace.ts";

removeFoldersAfterAll();

describe.skipIf(noSandbox !== undefined)("limits of the sandbox", () => {
  const mebibyte = 1024 * 1024;
  const { run } = openWorkspace({
    limits: { memory: 200 * mebibyte, processes: 50, tmpSize: 8 * mebibyte, cpuSeconds: 1 },
  });

  test("a fork bomb ends at the limit of processes or at the timeout, and leaves nothing", async () => {
    const name = marker();
    const end = await run(`bomb() { bomb | bomb & }; bomb; exec sh -c "sleep 100" ${name}`, {
      timeout: 3000,
      maxOutput: 1000,
    });
    expect(end.output).toMatch(/fork/u);
    expect(["timeout", undefined]).toContain(end.killed); // the shell ends at once if it cannot fork either
    expect(processesWith(name)).toEqual([]);
  });

  test("processes of parallel commands do not count together", async () => {
    const command = "for i in $(seq 30); do sleep 2 & done; wait; echo all";
    const ends = await Promise.all([run(command), run(command), run(command)]);
    expect(ends.map(({ output }) => output)).toEqual(["all\n", "all\n", "all\n"]);
  });

  test("a process that needs too much memory fails", async () => {
    const end = await run("perl -e '$x = \"x\" x (500 * 1024 * 1024); print length $x'");
    expect(end.output).not.toContain("524288000");
    expect(end.exitCode).not.toBe(0);
  });

  test("processes that need too much memory together are killed", async () => {
    const hog = `perl -e '$x = "x" x (50 * 1024 * 1024); sleep 30' &`;
    const end = await run(`echo begin; ${hog.repeat(8)} wait`);
    expect(end).toMatchObject({ output: "begin\n", exitCode: undefined, killed: "memory" });
  });

  test("memory that processes share counts once", async () => {
    const end = await run(
      `perl -e '$x = "x" x (60 * 1024 * 1024); for (1 .. 5) { fork or do { sleep 2; exit } } 1 while wait > 0; print "end"'`,
    );
    expect(end).toMatchObject({ output: "end", exitCode: 0 });
  });

  test("/tmp and /dev/shm cannot be filled", async () => {
    const end = await run("for d in /tmp /dev/shm; do head -c 20000000 /dev/zero > $d/file; wc -c < $d/file; done");
    expect(end.output.match(/^\d+$/gmu)).toEqual([`${8 * mebibyte}`, `${8 * mebibyte}`]);
  });

  test("CPU time", async () => {
    expect((await run("while :; do :; done", { timeout: 15_000 })).exitCode).toBe(137);
  });

  test("output at full speed does not fill the memory of the agent", async () => {
    const before = process.memoryUsage.rss();
    const end = await run("yes", { timeout: 3000, maxOutput: 100_000 });
    expect(end.output.length).toBe(100_000);
    expect(end.omitted).toBeGreaterThan(10 * mebibyte);
    expect(process.memoryUsage.rss() - before).toBeLessThan(200 * mebibyte);
  });
});
