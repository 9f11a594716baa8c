import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { askServer } from "../../packages/undangle/test/postgres/make-database.ts";
import type { FreshDatabase } from "../../packages/undangle/test/postgres/make-database.ts";

/** Where threads are kept: files of SQLite, or databases of a server. */
export interface Places {
  /** The path of a new file, or the address of a new database. */
  readonly make: (name: string) => Promise<string>;
  readonly close: () => Promise<void>;
}

export const filePlaces = (folder: string): Places => ({
  make: (name) => Promise.resolve(join(folder, `${name}.db`)),
  close: () => Promise.resolve(),
});

/** Databases of a server, made by a function. */
export function postgresPlaces(makeDatabase: () => Promise<FreshDatabase>): Places {
  const made: FreshDatabase[] = [];
  return {
    async make() {
      const database = await makeDatabase();
      made.push(database);
      return database.url;
    },
    async close() {
      for (const database of made) await database.drop();
    },
  };
}

export const isOnServer = (place: string): boolean => place.startsWith("postgres:");

/** A process that was killed may have sent something that the server has yet to do: then its connection is still there. */
export async function serverIsDone(place: string): Promise<void> {
  const others = `SELECT state FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
    AND backend_type = 'client backend'`;
  for (let idle = 0; idle < 10;) {
    const states = await askServer(place, others);
    if (states.length === 0) return;
    idle = states.every(({ state }) => state === "idle") ? idle + 1 : 0; // one that stands still keeps its connections
    await pause(20);
  }
}
