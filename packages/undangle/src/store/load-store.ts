import type * as Postgres from "./postgres.ts";
import type * as Sqlite from "./sqlite.ts";

/** Loads the SQLite store on demand. Not every runtime has the database. */
export const loadSqlite = (): Promise<typeof Sqlite> => import("./sqlite.ts");

/** Inspects a database without changing it. */
export const loadHasTables = async (): Promise<(path: string) => boolean> =>
  (await import("./sqlite/has-tables.ts")).hasTables;

/** Loads the Postgres store on demand. */
export const loadPostgres = (): Promise<typeof Postgres> => import("./postgres.ts");
