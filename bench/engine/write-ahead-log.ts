import { closeSync, fdatasyncSync, fsyncSync, openSync, statSync, writeSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/** SQLite folds its log in when it is about this long, and then writes it from the beginning again. */
const logLength = 4_000_000;

/** A log that nobody reads: the least that has to be done for a commit to survive the power supply. */
export interface LogByHand {
  /** Writes as much as one commit does, and waits for the disk. */
  readonly append: () => void;
  readonly close: () => void;
}

/** Opens a log that is as long as that of SQLite becomes, so that it is written over, as that is. */
export function openLogByHand(path: string, bytesPerCommit: number): LogByHand {
  const file = openSync(path, "w");
  const commit = new Uint8Array(Math.round(bytesPerCommit)).fill(1);
  let position = 0;
  writeSync(file, new Uint8Array(logLength), 0, logLength, 0);
  fsyncSync(file);
  return {
    append() {
      if (position + commit.length > logLength) position = 0;
      writeSync(file, commit, 0, commit.length, position);
      fdatasyncSync(file); // as SQLite does
      position += commit.length;
    },
    close: () => closeSync(file),
  };
}

/** Folds the log of a database in, and empties it. */
export function emptyLog(path: string): void {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
}

/** How long the log of a database is; it was emptied, and is not folded in yet. */
export const logBytes = (path: string): number => statSync(`${path}-wal`).size;
