import { closeSync, openSync, statSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { DatabaseSync } from "node:sqlite";

import { UndangleError } from "#core";

import { migrate } from "./migrate.ts";
import { faultOf, isBusy } from "./sqlite-fault.ts";

/** How a database is used. */
export interface DatabaseSettings {
  readonly path: string;
  /** How long somebody else's lock is waited for, in milliseconds. */
  readonly busyTimeout: number;
  /** `full`: what is committed survives the power supply. `normal`: it survives the process. */
  readonly synchronous: "full" | "normal";
}

/** A database with all its tables, ready to be used; a path that cannot be one is an error here and not later. */
export function openDatabase({ path, busyTimeout, synchronous }: DatabaseSettings): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    refuseDevice(path);
    createForOwner(path);
    const opened = new DatabaseSync(path, { enableForeignKeyConstraints: false });
    database = opened;
    opened.exec(`PRAGMA busy_timeout = ${busyTimeout}`);
    // SQLite does not wait for the lock that this takes, where waiting could be a deadlock: two that open a new file at once.
    insist(busyTimeout, () => opened.exec("PRAGMA journal_mode = WAL"));
    opened.exec(`PRAGMA synchronous = ${synchronous}`);
    if (synchronous === "full") opened.exec("PRAGMA fullfsync = 1"); // macOS has a sync that does not reach the disk
    opened.exec("PRAGMA journal_size_limit = 67108864"); // one long value must not leave its log behind for good
    insist(busyTimeout, () => migrate(opened, path));
    // From here on it is waited for without holding up the process.
    opened.exec("PRAGMA busy_timeout = 0");
    return opened;
  } catch (error) {
    database?.close();
    throw faultOf(path, error);
  }
}

/** SQLite would take a device or a pipe for an empty file, and find no room in it. */
function refuseDevice(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isFile() || found.isDirectory()) return; // what is wrong with a folder SQLite says
  throw new UndangleError("store/path", { path, reason: "no-file", canRetry: false });
}

/**
 * Makes a new file that only its owner can read: it holds conversations. SQLite would leave that to the umask. It gives its log
 * and its index the permissions of the file. A `file:` URI is not a path, and may ask for a database in memory: SQLite reads it.
 */
function createForOwner(path: string): void {
  if (path === ":memory:" || path.startsWith("file:")) return;
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch {
    return; // it is there already, or cannot be made: SQLite says why
  }
}

/** Does something again and again while the database is busy, until the time is over. */
function insist(timeout: number, work: () => void): void {
  const end = performance.now() + timeout;
  for (;;) {
    try {
      work();
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() >= end) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1 + Math.random() * 10);
  }
}
