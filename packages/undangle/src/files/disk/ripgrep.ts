import { execFile, spawn } from "node:child_process";
import { promisify } from "node:util";

import type { GrepQuery } from "../file-backend.ts";
import { maxFileBytes } from "../file-limit.ts";

/** Ripgrep decides only which files contain a text. Their lines are read like those of every backend. */
const common = ["--no-config", "--no-messages", "--null", "--no-ignore", "--hidden", "--no-follow", "--threads=2"];

const containing = ["--files-with-matches", "--fixed-strings", "--case-sensitive", "--text", "--encoding=none"];

/** It reads a line completely, and a sparse file may be one line of any size. */
const onlySmall = `--max-filesize=${maxFileBytes}`;

/** Linux refuses longer arguments. */
const maxArgument = 100_000;

let known: Promise<boolean> | undefined;

/** Whether `rg` is on the PATH. */
export function hasRipgrep(): Promise<boolean> {
  known ??= promisify(execFile)("rg", ["--no-config", "--version"], { timeout: 5000 }).then(
    () => true,
    () => false,
  );
  return known;
}

export interface FoundNames {
  /** Relative to the directory. */
  readonly names: readonly string[];
  /** True if a file or a directory could not be read. */
  readonly isPartial: boolean;
}

/**
 * The files in a directory that contain a text, and those that are too large to search; undefined if ripgrep cannot search
 * for it.
 */
export async function filesWithText(
  directory: string,
  { pattern, signal }: Pick<GrepQuery, "pattern" | "signal">,
): Promise<FoundNames | undefined> {
  if (Buffer.byteLength(pattern) > maxArgument) return undefined;
  const [found, all, small] = await Promise.all([
    run([...containing, onlySmall, "--regexp", pattern], directory, signal),
    run(["--files"], directory, signal),
    run(["--files", onlySmall], directory, signal),
  ]);
  if (found === undefined || all === undefined || small === undefined) return undefined;
  const isSmall = new Set(small.names);
  return {
    names: [...found.names, ...all.names.filter((name) => !isSmall.has(name))],
    isPartial: found.isPartial,
  };
}

async function run(
  args: readonly string[],
  directory: string,
  signal: AbortSignal | undefined,
): Promise<FoundNames | undefined> {
  const { RIPGREP_CONFIG_PATH: _, ...env } = process.env;
  const child = spawn("rg", [...common, ...args, "--", "."], {
    cwd: directory,
    env,
    killSignal: "SIGKILL",
    stdio: ["ignore", "pipe", "ignore"],
    ...(signal && { signal }),
  });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => void chunks.push(chunk));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject); // also for an abort
    child.on("close", resolve);
  });
  if (code !== 0 && code !== 1 && code !== 2) return undefined;
  const names = Buffer.concat(chunks).toString().split("\0").slice(0, -1);
  return { names: names.map((name) => name.replace(/^\.\//u, "")), isPartial: code === 2 };
}
