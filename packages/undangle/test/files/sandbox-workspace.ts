import { chownSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import type { ExecuteOptions, Execution } from "#files";
import { type CommandRunner, createBubblewrap } from "../../src/files/sandbox/create-bubblewrap.ts";
import { probe } from "../../src/files/sandbox/probe.ts";
import { type BubblewrapOptions, readOptions } from "../../src/files/sandbox/sandbox-options.ts";

const isRoot = process.geteuid?.() === 0;

/** The user that runs commands if the tests run as root. */
export const sandboxUser = isRoot ? { uid: 65_534, gid: 65_534 } : undefined;

export interface TextExecution {
  readonly output: string;
  readonly exitCode: number | undefined;
  readonly killed: string | undefined;
  readonly omitted: number;
}

export interface Workspace {
  readonly root: string;
  readonly execute: (...parameters: Parameters<CommandRunner["execute"]>) => Promise<Execution>;
  readonly run: (command: string, options?: Partial<ExecuteOptions>) => Promise<TextExecution>;
}

/** A sandbox on a new folder, which is removed after the tests of the file. */
export function openWorkspace(options?: BubblewrapOptions): Workspace {
  const root = ownedFolder();
  const runner = createBubblewrap(root, options);
  return {
    root,
    execute: (command, given) => runner.execute(command, given),
    run: async (command, given = {}) => {
      const execution = await runner.execute(command, { signal: new AbortController().signal, ...given });
      const { exitCode, killed, omitted, output } = execution;
      return { output: Buffer.from(output).toString(), exitCode, killed, omitted };
    },
  };
}

const folders: string[] = [];

/** A folder that belongs to the user who runs commands. */
export function ownedFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "undangle-sandbox-"));
  if (sandboxUser !== undefined) chownSync(folder, sandboxUser.uid, sandboxUser.gid);
  folders.push(folder);
  return folder;
}

export function removeFoldersAfterAll(): void {
  afterAll(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
}

/** The processes of this machine whose command line contains a text. */
export function processesWith(text: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name) && Number(name) !== process.pid)
    .filter((name) => commandLine(name).includes(text))
    .map(Number);
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return ""; // it has ended
  }
}

/** A text that no other process has on its command line. */
export function marker(): string {
  return `marker-${crypto.randomUUID()}`;
}

/** The reason why tests with a sandbox are skipped; undefined if commands can run. */
export const noSandbox = await whyUnavailable();
if (noSandbox !== undefined) process.emitWarning(`Tests of the sandbox are skipped. ${noSandbox}`);

async function whyUnavailable(): Promise<string | undefined> {
  const folder = ownedFolder();
  try {
    await probe(folder, readOptions());
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
