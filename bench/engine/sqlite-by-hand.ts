import { DatabaseSync } from "node:sqlite";
import { cycle } from "./loop-client.ts";
import type { Commit } from "./seed.ts";
import type { WriterByHand } from "./write-ahead-log.ts";

/**
 * The least that a program has to do that keeps what happens in SQLite, and waits for the disk as often: the text of each commit
 * is there, and becomes one row. Nothing is checked, updated or found again.
 */
export function openSqliteByHand(path: string, commits: readonly Commit[]): WriterByHand {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  database.exec("CREATE TABLE commits (number INTEGER PRIMARY KEY, text TEXT NOT NULL)");
  const insert = database.prepare("INSERT INTO commits (text) VALUES (?)");
  const nextText = cycle(commits.map((commit) => JSON.stringify(commit)));
  return { write: () => void insert.run(nextText()), close: () => database.close() };
}
