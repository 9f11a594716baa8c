import type * as Postgres from "./postgres.ts";
import type * as Sqlite from "./sqlite.ts";

/** The store on SQLite, which is read when it is needed: not every place has such a database. */
export const loadSqlite = (): Promise<typeof Sqlite> => import("./sqlite.ts");

/** Looks into a database without changing it. */
export const loadHasTables = async (): Promise<(path: string) => boolean> =>
  (await import("./sqlite/has-tables.ts")).hasTables;

/** The store on Postgres, which is read when it is needed. */
export const loadPostgres = (): Promise<typeof Postgres> => import("./postgres.ts");
