import { randomUUID } from "node:crypto";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";

import { Client, Pool } from "pg";
import type { PoolConfig } from "pg";

import { doorVariable } from "./shared-server.ts";
import type { SharedServer } from "./shared-server.ts";

/** A database that nobody else uses. */
export interface FreshDatabase {
  readonly url: string;
  /** Makes a pool; those that are left are ended with the database. */
  readonly pool: (config?: PoolConfig) => Pool;
  /** Asks something as a superuser. */
  readonly ask: (sql: string, values?: unknown[]) => Promise<readonly Readonly<Record<string, unknown>>[]>;
  readonly drop: () => Promise<void>;
}

const shared = await sharedServer();

/** The reason why tests with Postgres are skipped; undefined if there is a Postgres. */
export const noPostgres = shared.problem;

/** Makes a database on the server that all tests share, or on another one. */
export async function freshDatabase(server?: string, options = ""): Promise<FreshDatabase> {
  const base = server ?? shared.url;
  if (base === undefined) throw new Error(noPostgres);
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await askServer(base, `CREATE DATABASE ${name} ${options}`);
  const url = Object.assign(new URL(base), { pathname: `/${name}` }).href;
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
      await untilLeft(base, name);
      await askServer(base, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

/** Waits until connections that are being closed are gone: one that is cut off meanwhile would end the process with its error. */
async function untilLeft(base: string, name: string): Promise<void> {
  for (let tries = 0; tries < 40; tries++) {
    const left = await askServer(base, "SELECT 1 FROM pg_stat_activity WHERE datname = $1", [name]);
    if (left.length === 0) return;
    await pause(50);
  }
}

/** Asks something on a connection of its own. */
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

/** Asks for the server that the set-up of the tests starts. */
async function sharedServer(): Promise<SharedServer> {
  const port = Number(process.env[doorVariable]);
  if (Number.isNaN(port)) throw new Error("No Postgres was set up: is shared-server.ts in globalSetup?");
  return JSON.parse(await text(connect(port, "127.0.0.1"))) as SharedServer; // written by the set-up
}
