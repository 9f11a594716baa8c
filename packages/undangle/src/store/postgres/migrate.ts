import { UndangleError } from "#core";

import { migrationsFor, migrationsTable } from "../schema.ts";
import { postgresDialect } from "./postgres-dialect.ts";
import { inTransaction, send } from "./postgres-pool.ts";
import type { PostgresAnswer, PostgresPool } from "./postgres-pool.ts";

/** The place of the tables. */
export interface Place {
  readonly path: string;
  /** The schema; undefined for the first of the search path. */
  readonly schema: string | undefined;
}

/**
 * Runs missing migrations. Any number of processes may do this at once: one runs each migration while the others wait.
 * Without missing migrations it only reads, and needs no right to create tables.
 */
export async function migrate(pool: PostgresPool, { path, schema }: Place): Promise<void> {
  const dialect = postgresDialect(schema);
  const migrations = migrationsFor(dialect);
  const found = await lastMigration((text, values = []) => send(pool, { text, values }), dialect.prefix);
  refuseNewer(found);
  if (found === migrations.length) return;
  await inTransaction(pool, async (client) => {
    const query: Query = (text, values = []) => client.query({ text, values });
    // One lock for all schemas, because a named schema may also be the first of another search path.
    await query("SELECT pg_advisory_xact_lock($1, 0)", [lockClass]);
    await refuseEncoding(query, path);
    if (schema !== undefined) await enterSchema(query, schema);
    // The lock is held, so the result stays valid until the end of the transaction.
    const last = await lastMigration(query, dialect.prefix);
    refuseNewer(last);
    if (last === 0) await query(migrationsTable);
    for (const [index, { name, statements }] of migrations.entries()) {
      if (index < last) continue;
      for (const statement of statements) await query(statement);
      await query("INSERT INTO undangle_migrations (number, name) VALUES ($1, $2)", [index + 1, name]);
    }
  });

  /** Tables of a later version may have another meaning, so they are not used. */
  function refuseNewer(last: number): void {
    if (last <= migrations.length) return;
    throw new UndangleError("store/newer", { path, found: last, known: migrations.length, canRetry: false });
  }
}

/** The class of our advisory locks: the letters "unda". */
const lockClass = 0x75_6e_64_61;

type Query = (text: string, values?: unknown[]) => Promise<PostgresAnswer>;

/** The number of the last migration; 0 in a new database. */
async function lastMigration(query: Query, prefix: string): Promise<number> {
  const table = `${prefix}undangle_migrations`;
  const { rows: tables } = await query("SELECT to_regclass($1) IS NOT NULL AS is_there", [table]);
  if (tables[0]?.["is_there"] !== true) return 0;
  const { rows } = await query(`SELECT max(number) AS number FROM ${table}`);
  return Number(rows[0]?.["number"] ?? 0);
}

/** Other encodings cannot store every text, so the error comes before any data. */
async function refuseEncoding(query: Query, path: string): Promise<void> {
  const { rows } = await query("SELECT current_setting('server_encoding') AS encoding");
  if (rows[0]?.["encoding"] === "UTF8") return;
  throw new UndangleError("store/path", { path, reason: "not-utf8", canRetry: false });
}

/** Creates the schema if it is missing, which needs a special right, and selects it for the transaction. */
async function enterSchema(query: Query, schema: string): Promise<void> {
  const { rows } = await query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema]);
  if (rows.length === 0) await query(`CREATE SCHEMA "${schema}"`);
  await query(`SET LOCAL search_path TO "${schema}"`);
}
