import { closeSync, fsyncSync, openSync, statSync, writeSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/** SQLite folds its log in when it is about this long, and then writes it from the beginning again. */
const logLength = 4_000_000;

/** Writes what commits write, with nothing around it. */
export interface WriterByHand {
  /** Writes as much as one commit does, and waits for the disk. */
  readonly write: () => void;
  readonly close: () => void;
}

export interface LogByHandOptions {
  /** Of one commit. */
  readonly bytes: number;
  /** Writes behind what is there. Otherwise it is as long as the log of SQLite becomes, and is written over, as that is. */
  readonly isGrowing: boolean;
}

/** Opens a log that nobody reads: the least that has to be done for a commit to survive the power supply. */
export function openLogByHand(path: string, { bytes, isGrowing }: LogByHandOptions): WriterByHand {
  const file = openSync(path, "w");
  const commit = new Uint8Array(Math.round(bytes)).fill(1);
  let position = 0;
  if (!isGrowing) writeSync(file, new Uint8Array(logLength), 0, logLength, 0);
  fsyncSync(file);
  return {
    write() {
      if (!isGrowing && position + commit.length > logLength) position = 0;
      writeSync(file, commit, 0, commit.length, position);
      fsyncSync(file); // as the SQLite of Node does
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
