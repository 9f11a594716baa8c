import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createBubblewrap } from "../../src/files/sandbox/create-bubblewrap.ts";
import { noSandbox, openWorkspace, ownedFolder, removeFoldersAfterAll, sandboxUser } from "./sandbox-workspace.ts";

removeFoldersAfterAll();
const { signal } = new AbortController();
const onLinux = process.platform === "linux";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** Makes a script the only bwrap on the search path. */
function useBwrap(script: string): void {
  const folder = ownedFolder();
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, "bwrap"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  vi.stubEnv("PATH", folder);
}

describe("a sandbox that is not available refuses to run commands", () => {
  test.each([
    ["darwin", /needs Linux, and this is darwin/u],
    ["win32", /needs Linux, and this is win32/u],
  ] as const)("on %s", async (platform, message) => {
    const original = Object.getOwnPropertyDescriptor(process, "platform");
    Object.defineProperty(process, "platform", { ...original, value: platform });
    try {
      const sandbox = createBubblewrap(ownedFolder());
      await expect(sandbox.execute("true", { signal })).rejects.toThrow(message);
      expect(await sandbox.canExecute()).toBe(false);
    } finally {
      if (original !== undefined) Object.defineProperty(process, "platform", original);
    }
  });

  test.skipIf(!onLinux)("without bwrap", async () => {
    vi.stubEnv("PATH", "/nonexistent");
    const root = ownedFolder();
    const sandbox = createBubblewrap(root);
    await expect(sandbox.execute("touch ran", { signal })).rejects.toThrow(
      /the program bwrap is not installed\. .*apt-get install bubblewrap/u,
    );
    expect(await sandbox.canExecute()).toBe(false);
    expect(existsSync(join(root, "ran"))).toBe(false);
  });

  test.skipIf(!onLinux).each([
    ["bwrap: Unknown option --disable-userns", /older than 0\.8.*apt-get install bubblewrap/su],
    [
      "bwrap: No permissions to creating new namespace, likely because the kernel does not allow it.",
      /user namespaces are not allowed.*sysctl/su,
    ],
    ["bwrap: setting up uid map: Permission denied", /user namespaces are not allowed.*sysctl/su],
    ["bwrap: something else", /bwrap: something else/u],
  ])("if bwrap says %j", async (words, message) => {
    useBwrap(`echo '${words}' >&2; exit 1`);
    await expect(createBubblewrap(ownedFolder()).execute("true", { signal })).rejects.toThrow(message);
  });

  test.skipIf(!onLinux)("if bwrap ends without a word, or runs something else", async () => {
    useBwrap("exit 0");
    await expect(createBubblewrap(ownedFolder()).execute("true", { signal })).rejects.toThrow(/without a message/u);
    useBwrap("echo hello; exit 0");
    await expect(createBubblewrap(ownedFolder()).execute("true", { signal })).rejects.toThrow(
      /the first command failed/u,
    );
  });

  test.skipIf(!onLinux)("the result of the probe is kept for a while", async () => {
    const folder = ownedFolder();
    useBwrap(`echo x >> ${folder}/probes; exit 1`);
    const sandbox = createBubblewrap(ownedFolder());
    expect([await sandbox.canExecute(), await sandbox.canExecute()]).toEqual([false, false]);
    expect(statSync(join(folder, "probes")).size).toBe(2);
    const now = performance.now();
    vi.spyOn(performance, "now").mockReturnValue(now + 60_000);
    expect(await sandbox.canExecute()).toBe(false);
    expect(statSync(join(folder, "probes")).size).toBe(4);
  });
});

describe.skipIf(noSandbox !== undefined)("the root folder", () => {
  test("has to exist", async () => {
    const sandbox = createBubblewrap(join(ownedFolder(), "missing"));
    await expect(sandbox.execute("true", { signal })).rejects.toThrow(/the root folder does not exist/u);
  });

  test("can be a link", async () => {
    const { root } = openWorkspace();
    const link = `${root}-link`;
    symlinkSync(root, link);
    try {
      expect(await createBubblewrap(link).execute("touch through-link", { signal })).toMatchObject({ exitCode: 0 });
      expect(existsSync(join(root, "through-link"))).toBe(true);
    } finally {
      rmSync(link);
    }
  });

  test("cannot be the root of the host", async () => {
    await expect(createBubblewrap("/").execute("true", { signal })).rejects.toMatchObject({ code: "options/value" });
  });

  test.skipIf(sandboxUser === undefined)(
    "of root needs another owner, and the error does not show its path",
    async () => {
      const root = mkdtempSync(join(tmpdir(), "undangle-of-root-"));
      try {
        for (const mode of [0o700, 0o755]) {
          chmodSync(root, mode);
          const failure: unknown = await createBubblewrap(root)
            .execute("true", { signal })
            .catch((error: unknown) => error);
          expect(failure).toMatchObject({ code: "sandbox/unavailable" });
          expect(String(failure)).toMatch(
            /the user 65534, who runs commands, cannot write in the root .*chown -R 65534/u,
          );
          expect(String(failure)).not.toContain(root);
        }
      } finally {
        rmSync(root, { recursive: true });
      }
    },
  );

  test.skipIf(sandboxUser === undefined)("decides which user runs commands", async () => {
    const root = mkdtempSync(join(tmpdir(), "undangle-of-user-"));
    try {
      chownSync(root, 12_345, 0);
      await createBubblewrap(root).execute("touch of-owner", { signal });
      expect(statSync(join(root, "of-owner"))).toMatchObject({ uid: 12_345, gid: 65_534 });
      chmodSync(root, 0o777);
      await createBubblewrap(root, { user: { uid: 54_321, gid: 54_321 } }).execute("touch of-user", { signal });
      expect(statSync(join(root, "of-user"))).toMatchObject({ uid: 54_321, gid: 54_321 });
      mkdirSync(join(root, "private"), { mode: 0o700 });
      const end = await createBubblewrap(root).execute("ls private", { signal });
      expect(end.exitCode).not.toBe(0);
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});
