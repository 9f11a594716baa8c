import { UndangleError } from "#core";
import type { ExecuteOptions, Execution } from "../file-backend.ts";
import { notStarted, probe } from "./probe.ts";
import { runCommand } from "./run-command.ts";
import { type BubblewrapOptions, checkCommand, checkMaxOutput, readOptions, readTimeout } from "./sandbox-options.ts";
import type { Launcher } from "./sandbox-process.ts";

export interface CommandRunner {
  /** Runs a shell command. `sandbox/unavailable` if it cannot run in a sandbox: it never runs outside one. */
  execute(command: string, options: ExecuteOptions): Promise<Execution>;
  /** True if commands can run here. */
  canExecute(): Promise<boolean>;
}

/** A failed probe is repeated after this time, so that a server notices an installation. */
const retryAfter = 30_000;

interface Attempt {
  readonly launcher: Promise<Launcher>;
  /** When to probe again. */
  until: number;
}

/** Runs commands in bubblewrap with a folder of the host as the workspace. A first command checks that it works. */
export function createBubblewrap(root: string, options: BubblewrapOptions = {}): CommandRunner {
  const settings = readOptions(options);
  let latest: Attempt | undefined;

  const prepare = (): Promise<Launcher> => {
    if (latest !== undefined && performance.now() < latest.until) return latest.launcher;
    const attempt: Attempt = { launcher: probe(root, settings), until: Infinity };
    attempt.launcher.catch(() => {
      attempt.until = performance.now() + retryAfter; // the caller gets the error
    });
    latest = attempt;
    return attempt.launcher;
  };

  return {
    canExecute: async () => {
      try {
        await prepare();
        return true;
      } catch (error) {
        if (error instanceof UndangleError && error.is("sandbox/unavailable")) return false;
        throw error;
      }
    },
    execute: async (command, { timeout, signal, maxOutput }) => {
      checkCommand(command);
      const limits = {
        timeout: readTimeout(timeout, settings),
        maxOutput: checkMaxOutput(maxOutput, settings),
        signal,
      };
      const launcher = await prepare();
      const end = await runCommand(command, launcher, limits);
      const { output, omitted } = end;
      switch (end.type) {
        case "exited":
          return { output, omitted, exitCode: end.exitCode };
        case "killed":
          return { output, omitted, exitCode: undefined, killed: end.by };
        case "not-started":
          throw notStarted(end.reason, launcher);
      }
    },
  };
}
