import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { isRecord, UndangleError } from "#core";
import { loadPostgres } from "#store";
import type { PostgresPool, Store } from "#store";

import { withoutPassword } from "./without-password.ts";

/** Opens a store on a server. The driver is resolved from the folder of the project. */
export async function openPostgres(
  url: string,
  { folder, create }: { readonly folder: string; readonly create: boolean },
): Promise<Store> {
  const path = withoutPassword(url);
  const driver = findDriver(folder);
  if (driver === undefined) throw new UndangleError("store/driver", { path, install: "pg", canRetry: false });
  const module: unknown = await import(pathToFileURL(driver).href);
  const { postgresStore } = await loadPostgres();
  const Pool = poolOf(module);
  const pool = new Pool({ connectionString: url, ...patience });
  const store = postgresStore(pool, { endPool: true });
  if (create || !(await isForeign(pool))) return store;
  await store.close();
  throw new UndangleError("store/foreign", { path, canRetry: false });
}

/** Otherwise a server that never responds would block forever. */
const patience = { connectionTimeoutMillis: 10_000, keepAlive: true } as const;

type PoolOfDriver = new (options: typeof patience & { readonly connectionString: string }) => PostgresPool;

/** The class of the package `pg`, which is CommonJS. */
function poolOf(module: unknown): PoolOfDriver {
  const inner = isRecord(module) && isRecord(module["default"]) ? module["default"] : module;
  const pool = isRecord(inner) ? inner["Pool"] : undefined;
  if (typeof pool !== "function")
    throw new UndangleError("store/driver", { path: "postgres", install: "pg", canRetry: false });
  return pool as PoolOfDriver; // the store checks its instances
}

function findDriver(folder: string): string | undefined {
  try {
    return createRequire(join(folder, "undangle.config.js")).resolve("pg");
  } catch {
    return undefined; // the caller reports what to install
  }
}

/** True for a database without our tables, in which they would be created. */
async function isForeign(pool: PostgresPool): Promise<boolean> {
  try {
    const client = await pool.connect();
    const question = "SELECT to_regclass('undangle_migrations') IS NULL AS is_foreign";
    const { rows } = await client.query({ text: question }).finally(() => client.release());
    return rows[0]?.["is_foreign"] === true;
  } catch {
    return false; // the store reports the error of the server
  }
}
