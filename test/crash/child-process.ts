import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

import type { Task } from "./agent-program.ts";
import type { TreeTask } from "./tree-program.ts";

/** The program that dies, as one file, so that it starts in no time. */
export function bundleProgram(folder: string, name = "agent-program"): string {
  const outfile = join(folder, `${name}.mjs`);
  buildSync({
    entryPoints: [fileURLToPath(new URL(`${name}.ts`, import.meta.url))],
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node22",
    conditions: ["undangle-source"],
    external: ["pg-native"],
    // What is not an ES module asks for the modules of Node in the old way.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    logLevel: "warning",
    outfile,
  });
  return outfile;
}

/** A process that was started with a task. */
export interface Child {
  readonly pid: number;
  /** Resolves when its agent is there, or it has ended before. */
  readonly ready: Promise<void>;
  readonly ended: Promise<ChildEnd>;
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Resolves when it stands still at its failpoint; false when it has ended before. */
  readonly stopped: () => Promise<boolean>;
}

export interface ChildEnd {
  readonly signal: NodeJS.Signals | null;
  readonly code: number | null;
  /** What it said that it should not have. */
  readonly complaint: string;
}

/** Starts the program; a shell may make things worse for it first. */
export function startChild(program: string, task: Task | TreeTask, shell?: string): Child {
  const given = ["--no-warnings", program, JSON.stringify(task)];
  const child =
    shell === undefined
      ? spawn(process.execPath, given, { stdio: ["ignore", "pipe", "pipe"] })
      : spawn("sh", ["-c", `${shell}; exec "$@"`, "sh", process.execPath, ...given], {
          stdio: ["ignore", "pipe", "pipe"],
        });
  const pid = child.pid ?? 0;
  let complaint = "";
  child.stderr.on("data", (data: Buffer) => (complaint += data.toString()));
  const ended = once(child, "close").then((): ChildEnd => {
    const { signalCode: signal, exitCode: code } = child;
    return { signal, code, complaint };
  });
  return {
    pid,
    ready: Promise.race([once(child.stdout, "data"), ended]).then(() => undefined),
    ended,
    signal: (signal) => void child.kill(signal),
    async stopped() {
      for (;;) {
        if (child.exitCode !== null || child.signalCode !== null) return false;
        if (stateOf(pid) === "T") return true;
        await pause(5);
      }
    },
  };
}

/** The letter by which Linux tells what a process is doing. */
function stateOf(pid: number): string | undefined {
  try {
    return /\) (\w)/u.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1];
  } catch {
    return undefined; // it is gone
  }
}
