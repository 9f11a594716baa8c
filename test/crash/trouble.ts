import { spawnSync } from "node:child_process";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";

import { Client } from "pg";

import type { Child } from "./child-process.ts";
import { isOnServer } from "./places.ts";

/** What is wrong with the store for a while. */
export interface Trouble {
  /** `locked`: another process holds the database. `full`: its files can grow no more. `cut`: connections to it are lost. */
  readonly type: "locked" | "full" | "cut";
  /** Milliseconds from the start of the process until it begins (a file is full when it has grown so far), and its length. */
  readonly after: number;
  readonly length: number;
  /** How long the agent waits for it to be over. */
  readonly storeWait: number;
}

/** The errors with which a run may end because of a trouble: none where it is waited for. */
export function allowedFaults(trouble: Trouble | undefined): readonly string[] {
  if (trouble === undefined || trouble.storeWait > trouble.length) return [];
  return { locked: ["store/busy"], full: ["store/full"], cut: ["store/failed"] }[trouble.type];
}

/** The trouble as it can be made at a place: the disk of a server is not ours to fill. */
export const troubleAt = (path: string, trouble: Trouble | undefined): Trouble | undefined =>
  trouble?.type === "full" && isOnServer(path) ? { ...trouble, type: "cut" } : trouble;

/** What a shell does before it becomes a process whose files may not grow beyond some 100 or 200 kB: the first turns of a conversation. */
export const withoutRoom = "trap '' XFSZ; ulimit -S -f 330";

/** True where a process can be given room again. */
export const canMakeRoom = process.platform === "linux" && spawnSync("prlimit", ["--version"]).status === 0;

/** Makes trouble for a process, and ends it; resolves when it is over. */
export async function makeTrouble({ type, after, length }: Trouble, path: string, child: Child): Promise<void> {
  await Promise.race([pause(after), child.ended]);
  const over = Promise.race([pause(length), child.ended]);
  if (type === "locked") await holdLock(path, over);
  else if (type === "cut") await cutConnections(path, over);
  else {
    await over;
    makeRoom(child);
  }
}

/** Holds the lock of a database until something is over. */
export async function holdLock(path: string, over: Promise<unknown>): Promise<void> {
  if (isOnServer(path)) return holdTable(path, over);
  const database = new DatabaseSync(path, { timeout: 5000 });
  database.exec("BEGIN IMMEDIATE");
  await over;
  database.exec("ROLLBACK");
  database.close();
}

/** Lets others read, and nobody write. */
async function holdTable(path: string, over: Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: path });
  await client.connect();
  await client.query("BEGIN");
  await client.query("LOCK TABLE undangle_threads IN EXCLUSIVE MODE");
  await over;
  await client.query("ROLLBACK");
  await client.end();
}

/** Ends all connections of others to a database, now and when something is over. */
async function cutConnections(path: string, over: Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: path });
  await client.connect();
  const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`;
  await client.query(cut);
  await over;
  await client.query(cut);
  await client.end();
}

/** From now on the files of a process may grow. */
export function makeRoom({ pid }: Child): void {
  spawnSync("prlimit", ["--pid", String(pid), "--fsize=unlimited:unlimited"]);
}
