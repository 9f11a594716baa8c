import { closeSync, openSync, statSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { DatabaseSync } from "node:sqlite";

import { UndangleError } from "#core";

import { migrate } from "./migrate.ts";
import { faultOf, isBusy } from "./sqlite-fault.ts";

export interface DatabaseSettings {
  readonly path: string;
  /** How long to wait for a lock, in milliseconds. */
  readonly busyTimeout: number;
  /** `full`: a commit survives a power failure. `normal`: it survives the process. */
  readonly synchronous: "full" | "normal";
}

/** A database with all tables. An invalid path throws here. */
export function openDatabase({ path, busyTimeout, synchronous }: DatabaseSettings): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    refuseDevice(path);
    createForOwner(path);
    const opened = new DatabaseSync(path, { enableForeignKeyConstraints: false });
    database = opened;
    opened.exec(`PRAGMA busy_timeout = ${busyTimeout}`);
    // SQLite does not wait for this lock, because two processes that open a new file could deadlock.
    insist(busyTimeout, () => opened.exec("PRAGMA journal_mode = WAL"));
    opened.exec(`PRAGMA synchronous = ${synchronous}`);
    if (synchronous === "full") opened.exec("PRAGMA fullfsync = 1"); // the default sync of macOS does not reach the disk
    opened.exec("PRAGMA journal_size_limit = 67108864"); // a long value must not leave a large log file
    insist(busyTimeout, () => migrate(opened, path));
    // From here on, waits do not block the event loop.
    opened.exec("PRAGMA busy_timeout = 0");
    return opened;
  } catch (error) {
    database?.close();
    throw faultOf(path, error);
  }
}

/** SQLite would treat a device or a pipe as an empty file. */
function refuseDevice(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isFile() || found.isDirectory()) return; // SQLite reports the problem of a folder
  throw new UndangleError("store/path", { path, reason: "no-file", canRetry: false });
}

/**
 * Creates a file that only its owner can read, because it contains conversations. SQLite would apply the umask. Its log
 * and index get the permissions of the file. A `file:` URI is not a path, and may mean a database in memory; SQLite
 * parses it.
 */
function createForOwner(path: string): void {
  if (path === ":memory:" || path.startsWith("file:")) return;
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch {
    return; // it exists, or cannot be created: SQLite reports why
  }
}

/** Repeats work while the database is busy, until a timeout. */
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
