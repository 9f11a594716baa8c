import { UndangleError } from "#core";

import { databaseStore } from "./sqlite/database-store.ts";
import { openDatabase } from "./sqlite/open-database.ts";
import { faultOf } from "./sqlite/sqlite-fault.ts";
import type { Store } from "./store.ts";

export interface SqliteStoreOptions {
  /** How long to wait for a lock of another process, in milliseconds (default: 5,000). */
  readonly busyTimeout?: number | undefined;
  /**
   * `full` (the default): a commit survives a power failure. `normal`: it survives the process, and does not wait for
   * the disk.
   */
  readonly synchronous?: "full" | "normal" | undefined;
}

/**
 * Stores threads in an SQLite file, for several processes. The file is opened at once, so that an invalid path is an
 * error here. `":memory:"` keeps threads until the store closes.
 */
export function sqliteStore(path: string, options: SqliteStoreOptions = {}): Store {
  checkOptions(path, options);
  const { busyTimeout = 5000, synchronous = "full" } = options;
  const settings = { path, busyTimeout, synchronous };
  const database = openDatabase(settings);
  try {
    return databaseStore(database, settings);
  } catch (error) {
    database.close();
    throw faultOf(path, error); // the statements do not match the tables
  }
}

/** Checks values of untyped programs. An empty path would be a temporary database. */
function checkOptions(path: unknown, options: SqliteStoreOptions): void {
  const refuse = (option: string, value: unknown, allowed: readonly string[]): never => {
    throw new UndangleError("options/value", { option, value, allowed });
  };
  const known = ["busyTimeout", "synchronous"];
  const unknown = Object.keys(options).find((option) => !known.includes(option));
  if (unknown !== undefined) throw new UndangleError("options/unknown", { option: unknown, allowed: known });
  if (typeof path !== "string" || path.trim() === "") refuse("path", path, ["the path of a file", ":memory:"]);
  const { busyTimeout = 0, synchronous = "full" } = options;
  if (!Number.isInteger(busyTimeout) || busyTimeout < 0 || busyTimeout > 2 ** 31 - 1) {
    refuse("busyTimeout", busyTimeout, ["a whole number of milliseconds"]);
  }
  if (synchronous !== "full" && synchronous !== "normal") refuse("synchronous", synchronous, ["full", "normal"]);
}
