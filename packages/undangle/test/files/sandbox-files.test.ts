import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bubblewrap } from "#files";
import { testFiles } from "#testing";
import { noSandbox, ownedFolder, removeFoldersAfterAll, sandboxUser } from "./sandbox-workspace.ts";

removeFoldersAfterAll();
const { signal } = new AbortController();
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));

describe.skipIf(noSandbox !== undefined)("bubblewrap()", () => {
  const cases = testFiles(() => bubblewrap(ownedFolder()));
  test.each(cases.map(({ name, run }) => [name, run] as const))("as any backend: %s", async (_, run) => {
    await expect(run()).resolves.toBeUndefined();
  });

  test("gives files and commands the same folder", async () => {
    const sandbox = bubblewrap(ownedFolder());
    expect(await sandbox.canExecute()).toBe(true);
    await sandbox.write("/src/lib/a.txt", bytes("one\n"));
    const end = await sandbox.execute("cat src/lib/a.txt; echo two >> src/lib/a.txt; echo three > src/lib/b.txt", {
      signal,
    });
    expect({ ...end, output: Buffer.from(end.output).toString() }).toEqual({
      output: "one\n",
      omitted: 0,
      exitCode: 0,
    });
    expect(Buffer.from(await sandbox.read("/src/lib/a.txt")).toString()).toBe("one\ntwo\n");
    await sandbox.update("/src/lib/b.txt", (data) => bytes(`${Buffer.from(data).toString()}four\n`));
    expect((await sandbox.execute("echo five >> src/lib/b.txt && rm -r src", { signal })).exitCode).toBe(0);
    expect(await sandbox.list("/")).toEqual([]);
  });

  test("a link that a command creates does not lead out of the folder", async () => {
    const sandbox = bubblewrap(ownedFolder());
    await sandbox.execute("ln -s /etc/passwd file; ln -s /etc folder", { signal });
    await expect(sandbox.read("/file")).rejects.toMatchObject({ code: "file/outside" });
    await expect(sandbox.write("/folder/new", bytes("x"))).rejects.toMatchObject({ code: "file/outside" });
  });

  test.skipIf(sandboxUser === undefined)("root leaves the owner of what exists", async () => {
    const root = ownedFolder();
    mkdirSync(join(root, "of-root"), { mode: 0o755 });
    const sandbox = bubblewrap(root);
    await sandbox.write("/of-root/new/file", bytes("x"));
    await sandbox.write("/own/new/file", bytes("x"));
    const owner = (path: string): number => statSync(join(root, path)).uid;
    expect(["of-root", "of-root/new/file", "own", "own/new", "own/new/file"].map(owner)).toEqual([
      0, 0, 65_534, 65_534, 65_534,
    ]);
    expect((await sandbox.execute("echo y > of-root/new/file", { signal })).exitCode).not.toBe(0);
  });

  test.skipIf(sandboxUser === undefined)("new files of root get the owner of a folder of another user", async () => {
    const root = mkdtempSync(join(tmpdir(), "undangle-of-user-"));
    try {
      chmodSync(root, 0o700);
      chownSync(root, 12_345, 12_346);
      await bubblewrap(root).write("/file", bytes("x"));
      expect(statSync(join(root, "file"))).toMatchObject({ uid: 12_345, gid: 12_346 });
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});
