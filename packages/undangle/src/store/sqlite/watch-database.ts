import type { DatabaseSync } from "node:sqlite";

import { escapeText } from "../escape-text.ts";
import { createWatchers } from "../watchers.ts";
import type { Watchers } from "../watchers.ts";

/** The interval of checks for writes of other connections, in milliseconds. A check reads one page. */
const interval = 200;

export interface DatabaseWatchers extends Watchers {
  /** Stops the checks and notifies all watchers. */
  readonly close: () => void;
}

/** The watchers of a database. While there are some, one timer checks for writes of other connections. */
export function watchDatabase(database: DatabaseSync): DatabaseWatchers {
  const readVersion = database.prepare("PRAGMA data_version"); // changes when another connection writes
  const readLast = database.prepare(
    "SELECT id, last_event FROM undangle_threads WHERE id IN (SELECT value FROM json_each(?))",
  );
  let version: unknown;
  let timer: NodeJS.Timeout | undefined;
  const watchers = createWatchers((isWatched) => {
    clearInterval(timer);
    if (!isWatched) return;
    version = readVersion.get()?.["data_version"];
    timer = setInterval(check, interval).unref();
  });

  function check(): void {
    if (database.isTransaction) return; // it waits for a lock; the next check is soon
    try {
      const found = readVersion.get()?.["data_version"];
      if (found === version) return;
      const ids = new Map(watchers.ids().map((id) => [escapeText(id), id]));
      for (const row of readLast.all(JSON.stringify([...ids.keys()])))
        watchers.notify(ids.get(String(row["id"])) ?? "", Number(row["last_event"]));
      version = found;
    } catch {
      version = undefined; // the database is locked; the next check is soon
    }
  }

  return {
    ...watchers,
    close() {
      clearInterval(timer);
      watchers.notifyAll();
    },
  };
}
