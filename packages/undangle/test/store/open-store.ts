import type { Store } from "#store";

import { sqliteStore } from "../../src/store/sqlite.ts";

export interface OpenOptions {
  /** How long somebody else's lock is waited for, in milliseconds. */
  readonly busyTimeout?: number;
}

/** Opens the store at a place: the address of a database of Postgres, or the path of a file. */
export async function openStore(place: string, { busyTimeout = 5000 }: OpenOptions = {}): Promise<Store> {
  if (!place.startsWith("postgres:")) return sqliteStore(place, { busyTimeout });
  // A process with a file does not pay for them.
  const [{ Pool }, { postgresStore }] = await Promise.all([import("pg"), import("../../src/store/postgres.ts")]);
  const options = `-c lock_timeout=${busyTimeout}`;
  return postgresStore(new Pool({ connectionString: place, options }), { endPool: true });
}
