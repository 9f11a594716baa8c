import { UndangleError } from "#core";

import { poolStore } from "./postgres/pool-store.ts";
import { poolsAllowed } from "./postgres/postgres-pool.ts";
import type { PostgresPool } from "./postgres/postgres-pool.ts";
import type { Store } from "./store.ts";

export type { PostgresAnswer, PostgresClient, PostgresPool, PostgresStatement } from "./postgres/postgres-pool.ts";

export interface PostgresStoreOptions {
  /** The schema of the tables, created if missing. By default the first of the search path. */
  readonly schema?: string | undefined;
  /** How long the outcome of a write is determined after a lost connection, in milliseconds (default: 30,000). */
  readonly patience?: number | undefined;
  /** Ends the pool when the store closes. By default the pool belongs to the caller. */
  readonly endPool?: boolean | undefined;
}

/**
 * Stores threads in Postgres, for any number of processes. The pool comes from the package `pg` and belongs to the
 * caller. The tables are created before the first use.
 */
export function postgresStore(pool: PostgresPool, options: PostgresStoreOptions = {}): Store {
  checkOptions(pool, options);
  const { schema, patience = 30_000, endPool = false } = options;
  return poolStore(pool, { schema, patience, endPool });
}

/** Checks values of untyped programs. A wrong value may be a database URL with a password, so it is not repeated. */
function checkOptions(pool: unknown, options: PostgresStoreOptions): void {
  const refuse = (option: string, value: unknown, allowed: readonly string[]): never => {
    throw new UndangleError("options/value", { option, value, allowed });
  };
  const known = ["schema", "patience", "endPool"];
  const unknown = Object.keys(options).find((option) => !known.includes(option));
  if (unknown !== undefined) throw new UndangleError("options/unknown", { option: unknown, allowed: known });
  const isPool = typeof pool === "object" && pool !== null && "connect" in pool && "on" in pool && "end" in pool;
  if (!isPool) refuse("pool", `a value of the type ${typeof pool}`, poolsAllowed);
  const { schema, patience = 0, endPool = false } = options;
  if (schema !== undefined && !(typeof schema === "string" && /^[A-Za-z_][A-Za-z0-9_]{0,62}$/u.test(schema))) {
    refuse("schema", schema, ["at most 63 letters (a to z), digits and _"]);
  }
  if (!Number.isFinite(patience) || patience < 0) refuse("patience", patience, ["a number of milliseconds"]);
  if (typeof endPool !== "boolean") refuse("endPool", endPool, ["true", "false"]);
}
