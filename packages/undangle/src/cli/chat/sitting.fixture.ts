import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { runIn } from "../memory-io.fixture.ts";
import type { Outcome } from "../memory-io.fixture.ts";
import { createTerminal } from "./terminal.fixture.ts";
import type { TestTerminal, TestTerminalOptions } from "./terminal.fixture.ts";

export const [ctrlC, ctrlD, escape, up] = ["\u0003", "\u0004", "\u001B", "\u001B[A"];

export interface Sitting {
  readonly terminal: TestTerminal;
  readonly outcome: Promise<Outcome>;
  /** Types a line, and waits for something to be on the screen. */
  readonly say: (text: string, until?: string | RegExp) => Promise<void>;
  /** Waits until nothing moves any more. */
  readonly rest: () => Promise<void>;
  readonly leave: () => Promise<Outcome>;
}

/** Sits down at a chat of its own, which is kept in memory unless a folder is given. */
export async function sit(
  args: readonly string[] = [],
  { folder, ...options }: TestTerminalOptions & { readonly folder?: string } = {},
): Promise<Sitting> {
  const terminal = createTerminal(options);
  const store = folder === undefined ? ["--store", "memory"] : [];
  const outcome = runIn({ terminal, isTTY: true, ...(folder !== undefined && { folder }) }, "chat", ...store, ...args);
  await terminal.until("›");
  return {
    terminal,
    outcome,
    async say(text, until) {
      terminal.type(`${text}\r`);
      if (until !== undefined) await terminal.until(until);
    },
    async rest() {
      for (let before = ""; before !== terminal.written(); await pause(300)) before = terminal.written();
    },
    leave() {
      terminal.type(ctrlD);
      return outcome;
    },
  };
}

/** Lets a process die in the middle of a tool, in a thread of the store of a folder. */
export async function leaveDead(folder: string, thread: string): Promise<void> {
  const program = fileURLToPath(new URL("../threads/killed-program.fixture.ts", import.meta.url));
  const child = spawn(process.execPath, ["--conditions=undangle-source", program, folder, thread, "own_tool"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  await once(child, "exit");
}
