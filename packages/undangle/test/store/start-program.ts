import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";

/** A process that appends to a thread. */
export interface Running {
  readonly child: ChildProcess;
  /** What it has said so far, line by line. */
  readonly lines: () => readonly string[];
  readonly ended: Promise<readonly string[]>;
}

const program = fileURLToPath(new URL("append-program.ts", import.meta.url));
const nodeArguments = ["--conditions=undangle-source", "--no-warnings", program];

/** Starts the program, or a shell that makes it worse first. */
export function startProgram(parameters: readonly (string | number)[], shell?: string): Running {
  const given = [...nodeArguments, ...parameters.map(String)];
  const child =
    shell === undefined
      ? spawn(process.execPath, given)
      : spawn("sh", ["-c", `${shell}; exec "$@"`, "sh", process.execPath, ...given]);
  let output = "";
  child.stdout.on("data", (data: Buffer) => (output += data.toString()));
  child.stderr.on("data", (data: Buffer) => (output += data.toString()));
  const lines = () => output.split("\n").slice(0, -1);
  return { child, lines, ended: new Promise((resolve) => child.on("close", () => resolve(lines()))) };
}

/** The versions that a process was told to be saved. */
export const savedVersions = (lines: readonly string[]): readonly number[] =>
  lines.map(Number).filter((line) => line > 0);
