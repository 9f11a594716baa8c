import type { DatabaseSync } from "node:sqlite";

import { escapeText } from "../escape-text.ts";
import { createWatchers } from "../watchers.ts";
import type { Watchers } from "../watchers.ts";

/** How often it is looked whether another connection has written something, in milliseconds: that reads one page. */
const interval = 200;

export interface DatabaseWatchers extends Watchers {
  /** Nobody looks any more, and everybody is told. */
  readonly close: () => void;
}

/** Those who watch threads of a database. What other connections write is looked for while there are some, once for all of them. */
export function watchDatabase(database: DatabaseSync): DatabaseWatchers {
  const readVersion = database.prepare("PRAGMA data_version"); // changes with what others write
  const readLast = database.prepare(
    "SELECT id, last_event FROM undangle_threads WHERE id IN (SELECT value FROM json_each(?))",
  );
  let version: unknown;
  let timer: NodeJS.Timeout | undefined;
  const watchers = createWatchers((isWatched) => {
    clearInterval(timer);
    if (!isWatched) return;
    version = readVersion.get()?.["data_version"];
    timer = setInterval(look, interval).unref();
  });

  function look(): void {
    if (database.isTransaction) return; // one that waits for a lock; the next look is soon
    try {
      const found = readVersion.get()?.["data_version"];
      if (found === version) return;
      const ids = new Map(watchers.ids().map((id) => [escapeText(id), id]));
      for (const row of readLast.all(JSON.stringify([...ids.keys()])))
        watchers.tell(ids.get(String(row["id"])) ?? "", Number(row["last_event"]));
      version = found;
    } catch {
      version = undefined; // somebody holds the database: the next look is soon
    }
  }

  return {
    ...watchers,
    close() {
      clearInterval(timer);
      watchers.tellAll();
    },
  };
}
