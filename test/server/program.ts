import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const program = fileURLToPath(new URL("../../bin/undangle.js", import.meta.url));

/** A folder of somebody's project, in which the program is called. */
export interface Project {
  readonly folder: string;
  /** Calls the program, and waits for its end. */
  readonly run: (...argv: readonly string[]) => Promise<Ended>;
  /** Starts `undangle serve`, and waits until it says where it is. */
  readonly serve: (...argv: readonly string[]) => Promise<Serving>;
}

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Serving {
  readonly url: string;
  /** What it said when it started. */
  readonly message: string;
  /** Sends a signal, and waits for the end. */
  readonly end: (signal: NodeJS.Signals) => Promise<Ended>;
}

/** Makes a project of files; it is removed behind the test, and what it has started is ended. */
export function project(files: Readonly<Record<string, string>> = {}): Project {
  const folder = mkdtempSync(join(tmpdir(), "undangle-project-"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(fileURLToPath(new URL("../../node_modules/pg", import.meta.url)), join(folder, "node_modules/pg"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));

  return {
    folder,
    run: (...argv) => launch([program, ...argv], folder).ended,
    serve: (...argv) => serving([program, "serve", "--port", "0", ...argv], folder),
  };
}

/** Starts a script that serves, and waits until it says where it is. */
export async function serving(argv: readonly string[], folder: string): Promise<Serving> {
  const { child, said, ended } = launch(argv, folder);
  const begun = new Promise<string>((resolve) => {
    child.stdout.on("data", () => {
      const url = /runs at (http:\S+)/u.exec(said.stdout)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
  const first = await Promise.race([begun, ended]);
  if (typeof first !== "string") throw new Error(`It did not start: ${first.stderr}`);
  return {
    url: first,
    message: said.stdout,
    end(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

/** Starts a script with its words in a folder, without a terminal; behind the test it is ended. */
export function launch(argv: readonly string[], folder: string) {
  const env = { PATH: process.env["PATH"], NO_COLOR: "1", LANG: "C.UTF-8" };
  const child = spawn(process.execPath, argv, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const said = { stdout: "", stderr: "" };
  child.stdout.on("data", (piece: Buffer) => (said.stdout += piece.toString()));
  child.stderr.on("data", (piece: Buffer) => (said.stderr += piece.toString()));
  const ended = once(child, "close").then(([status]): Ended => ({ status: status as number | null, ...said })); // as it is told
  return { child, said, ended };
}
