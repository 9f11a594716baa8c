import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { noSandbox, openWorkspace, ownedFolder, removeFoldersAfterAll, sandboxUser } from "./sandbox-workspace.ts";

removeFoldersAfterAll();

describe.skipIf(noSandbox !== undefined)("a command in the sandbox", () => {
  const { run, root, execute } = openWorkspace();
  const never = new AbortController().signal;

  test.each([
    ["echo hi", 0, "hi\n"],
    ["exit 3", 3, ""],
    ["kill -9 $$", 137, ""],
    ["kill -TERM $$", 143, ""],
    ["sh -c 'kill -SEGV $$'; echo $?", 0, "Segmentation fault\n139\n"],
    ["no-such-program", 127, "/bin/sh: 1: no-such-program: not found\n"],
    ["echo a; echo b >&2; echo c; echo d >&2", 0, "a\nb\nc\nd\n"],
    ["echo a > /dev/stdout; echo b > /dev/stderr", 0, "a\nb\n"],
    ["pwd", 0, "/workspace\n"],
    ["whoami; hostname; echo $HOME", 0, "sandbox\nsandbox\n/tmp\n"],
    ["cat", 0, ""],
    ["read -r line; echo $?", 0, "1\n"],
    ["echo \"$0 '$1'\"", 0, "/bin/sh ''\n"],
    ["printf '%s\\n' '$HOME' \"é😀\"", 0, "$HOME\né😀\n"],
    ["", 0, ""],
  ])("%j exits with %i", async (command, exitCode, output) => {
    const end = await run(command);
    // The words of a shell differ.
    const said = end.output.replace(/^.*no-such-program.*$/mu, "/bin/sh: 1: no-such-program: not found");
    expect({ ...end, output: said.replace(/^Segmentation fault.*$/mu, "Segmentation fault") }).toEqual({
      output,
      exitCode,
      killed: undefined,
      omitted: 0,
    });
  });

  test("files of the workspace are shared with the host, and belong to the user of the sandbox", async () => {
    writeFileSync(join(root, "from-host.txt"), "host", { mode: 0o644 });
    expect(await run("cat from-host.txt; echo sandbox > from-sandbox.txt; mkdir -p a/b")).toMatchObject({
      output: "host",
      exitCode: 0,
    });
    expect(readFileSync(join(root, "from-sandbox.txt"), "utf8")).toBe("sandbox\n");
    expect(statSync(join(root, "a/b")).uid).toBe(sandboxUser?.uid ?? process.getuid?.());
  });

  test("/tmp is private and empty for each command", async () => {
    expect(await run("touch /tmp/kept; ls /tmp")).toMatchObject({ output: "kept\n" });
    expect(await run("ls -A /tmp; ls -A /dev/shm")).toMatchObject({ output: "", exitCode: 0 });
  });

  test("bytes that are not UTF-8 and a long line without an end come as they are", async () => {
    const bytes = await execute(String.raw`printf '\377\376\000\033[31m'`, { signal: never });
    expect([...bytes.output]).toEqual([255, 254, 0, 27, 91, 51, 49, 109]);
    const long = await execute("head -c 1000000 /dev/zero | tr '\\0' x", { signal: never });
    expect(Buffer.from(long.output).toString()).toBe("x".repeat(1_000_000));
  });

  test("output over the limit keeps the first and the last half", async () => {
    const end = await run("seq 1 100000", { maxOutput: 21 });
    expect(end).toMatchObject({ output: "1\n2\n3\n4\n5\n699\n100000\n", exitCode: 0 });
    expect(end.omitted).toBe(588_895 - 21);
    expect(await run("echo hello", { maxOutput: 0 })).toMatchObject({ output: "", omitted: 6 });
    expect(await run("echo hello", { maxOutput: 6 })).toMatchObject({ output: "hello\n", omitted: 0 });
  });

  test("a hundred commands at the same time do not mix", async () => {
    const numbers = Array.from({ length: 100 }, (_, i) => i);
    const ends = await Promise.all(
      numbers.map((i) => run(`for k in 1 2 3; do echo ${i}; echo ${i} >&2; done; exit ${i}`)),
    );
    expect(ends.map(({ output }) => output)).toEqual(numbers.map((i) => `${i}\n`.repeat(6)));
    expect(ends.map(({ exitCode }) => exitCode)).toEqual(numbers);
  }, 60_000);

  test.each([
    ["command", "echo \0", {}],
    ["command", "x".repeat(128 * 1024), {}],
    ["timeout", "true", { timeout: -1 }],
    ["timeout", "true", { timeout: Number.NaN }],
    ["timeout", "true", { timeout: 3_600_001 }],
    ["maxOutput", "true", { maxOutput: -1 }],
  ])("a %s that cannot be used is refused", async (option, command, options) => {
    await expect(run(command, options)).rejects.toMatchObject({ code: "options/value", data: { option } });
  });

  test("the longest command runs, and a timeout of 0 is the default", async () => {
    const padding = "#".repeat(128 * 1024 - 1 - "true ".length);
    expect(await run(`true ${padding}`, { timeout: 0 })).toMatchObject({ exitCode: 0, killed: undefined });
  });

  test("variables, folders to read and limits are options", async () => {
    const folder = ownedFolder();
    writeFileSync(join(folder, "data.txt"), "data", { mode: 0o644 });
    const { run } = openWorkspace({
      env: { GREETING: "hello $HOME", LANG: "C" },
      readOnlyPaths: [folder],
      limits: { processes: 9, fileSize: 1000, tmpSize: 4096 },
    });
    expect(await run(`echo "$GREETING $LANG"; cat ${folder}/data.txt; ulimit -c`)).toMatchObject({
      output: "hello $HOME C\ndata0\n",
    });
    expect((await run(`touch ${folder}/new`)).exitCode).toBe(1);
    expect((await run("head -c 2000 /dev/zero > large")).exitCode).not.toBe(0);
    expect((await run("head -c 900 /dev/zero > small; wc -c < small")).output.trim()).toBe("900");
    expect((await run("for i in 1 2 3 4 5 6; do head -c 900 /dev/zero > /tmp/$i; done")).output).toMatch(/No space/u);
    expect(existsSync(join(folder, "new"))).toBe(false);
  });
});
