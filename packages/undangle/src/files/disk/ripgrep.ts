import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";

/** Ripgrep decides only which files contain a text. Their lines are read like those of every backend. */
const options = [
  "--no-config",
  "--no-messages",
  "--files-with-matches",
  "--null",
  "--fixed-strings",
  "--case-sensitive",
  "--text",
  "--encoding=none",
  "--no-ignore",
  "--hidden",
  "--no-follow",
  "--color=never",
  "--threads=2",
];

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

/** The files in a directory that contain a text; undefined if ripgrep cannot search for it. */
export async function filesWithText(
  directory: string,
  text: string,
  signal: AbortSignal,
): Promise<FoundNames | undefined> {
  const { RIPGREP_CONFIG_PATH: _, ...env } = process.env;
  const child = spawn("rg", [...options, "--regexp", text, "--", "."], {
    cwd: directory,
    env,
    signal,
    killSignal: "SIGKILL",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => void chunks.push(chunk));
  const [code] = (await once(child, "close", { signal })) as [number | null]; // the event has the exit code first
  if (code !== 0 && code !== 1 && code !== 2) return undefined;
  const names = Buffer.concat(chunks).toString().split("\0").slice(0, -1);
  return { names: names.map((name) => name.replace(/^\.\//u, "")), isPartial: code === 2 };
}
