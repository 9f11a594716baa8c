import { spawnSync } from "node:child_process";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";

import type { Child } from "./child-process.ts";

/** What is wrong with the store for a while. */
export interface Trouble {
  /** `locked`: another process holds the database. `full`: its files can grow no more. */
  readonly type: "locked" | "full";
  /** Milliseconds from the start of the process until it begins (a file is full when it has grown so far), and its length. */
  readonly after: number;
  readonly length: number;
  /** How long the agent waits for it to be over. */
  readonly storeWait: number;
}

/** The errors with which a run may end because of a trouble: none where it is waited for. */
export function allowedFaults(trouble: Trouble | undefined): readonly string[] {
  if (trouble === undefined || trouble.storeWait > trouble.length) return [];
  return trouble.type === "locked" ? ["store/busy"] : ["store/full"];
}

/** What a shell does before it becomes a process whose files may not grow beyond some 100 or 200 kB: the first turns of a conversation. */
export const withoutRoom = "trap '' XFSZ; ulimit -S -f 250";

/** True where a process can be given room again. */
export const canMakeRoom = process.platform === "linux" && spawnSync("prlimit", ["--version"]).status === 0;

/** Makes trouble for a process, and ends it; resolves when it is over. */
export async function makeTrouble({ type, after, length }: Trouble, path: string, child: Child): Promise<void> {
  await Promise.race([pause(after), child.ended]);
  const over = Promise.race([pause(length), child.ended]);
  if (type === "locked") await holdLock(path, over);
  else {
    await over;
    makeRoom(child);
  }
}

/** Holds the lock of a database until something is over. */
export async function holdLock(path: string, over: Promise<unknown>): Promise<void> {
  const database = new DatabaseSync(path, { timeout: 5000 });
  database.exec("BEGIN IMMEDIATE");
  await over;
  database.exec("ROLLBACK");
  database.close();
}

/** From now on the files of a process may grow. */
export function makeRoom({ pid }: Child): void {
  spawnSync("prlimit", ["--pid", String(pid), "--fsize=unlimited:unlimited"]);
}
