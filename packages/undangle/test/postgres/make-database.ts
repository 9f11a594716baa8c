import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";

import { Client, Pool } from "pg";
import type { PoolConfig } from "pg";

/** A database that no other test uses. */
export interface FreshDatabase {
  readonly url: string;
  /** Makes a pool; those that are left are ended with the database. */
  readonly pool: (config?: PoolConfig) => Pool;
  /** Runs a statement as a superuser. */
  readonly ask: (sql: string, values?: unknown[]) => Promise<readonly Readonly<Record<string, unknown>>[]>;
  readonly drop: () => Promise<void>;
}

/** Makes a database on the server at an address. */
export async function makeDatabase(server: string, options = ""): Promise<FreshDatabase> {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await askServer(server, `CREATE DATABASE ${name} ${options}`);
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
  const pools: Pool[] = [];
  const pool = (config: PoolConfig = {}): Pool => {
    const made = new Pool({ connectionString: url, ...config });
    pools.push(made);
    return made;
  };
  return {
    url,
    pool,
    ask: (sql, values) => askServer(url, sql, values),
    async drop() {
      await Promise.all(pools.filter(({ ending }) => !ending).map((each) => each.end()));
      await untilLeft(server, name);
      await askServer(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

/** Waits until connections that are being closed are gone: one that is cut off meanwhile would end the process with its error. */
async function untilLeft(server: string, name: string): Promise<void> {
  for (let tries = 0; tries < 40; tries++) {
    const left = await askServer(server, "SELECT 1 FROM pg_stat_activity WHERE datname = $1", [name]);
    if (left.length === 0) return;
    await pause(50);
  }
}

/** Runs a statement on a connection of its own. */
export async function askServer(
  url: string,
  sql: string,
  values: unknown[] = [],
): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql, values)).rows;
  } finally {
    await client.end();
  }
}
