import type { DatabaseSync } from "node:sqlite";

import { UndangleError } from "#core";

import { migrationsFor, migrationsTable } from "../schema.ts";
import { sqliteDialect } from "./sqlite-dialect.ts";

/** The migrations of a file. */
export const migrations = migrationsFor(sqliteDialect);

/** Runs the migrations that a database has not had. Two processes may do this at once: each runs in one of them only. */
export function migrate(database: DatabaseSync, path: string): void {
  refuseNewer(database, path);
  for (let number = lastMigration(database) + 1; number <= migrations.length; number += 1) {
    database.exec("BEGIN IMMEDIATE");
    try {
      runMigration(database, number);
      database.exec("COMMIT");
    } catch (error) {
      if (database.isTransaction) database.exec("ROLLBACK");
      throw error;
    }
  }
  refuseNewer(database, path);
}

/** Nobody else writes now, so what is looked up here holds until the end of the transaction. */
function runMigration(database: DatabaseSync, number: number): void {
  const migration = migrations[number - 1];
  if (migration === undefined || lastMigration(database) >= number) return;
  database.exec(migrationsTable);
  for (const statement of migration.statements) database.exec(statement);
  database.prepare("INSERT INTO undangle_migrations (number, name) VALUES (?, ?)").run(number, migration.name);
}

/** Tables of a later version may mean something else, so they are not touched. */
function refuseNewer(database: DatabaseSync, path: string): void {
  const found = lastMigration(database);
  if (found <= migrations.length) return;
  throw new UndangleError("store/newer", { path, found, known: migrations.length, canRetry: false });
}

/** The number of the last migration that ran; 0 in a new database. */
function lastMigration(database: DatabaseSync): number {
  const table = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'undangle_migrations'");
  if (table.get() === undefined) return 0;
  return Number(database.prepare("SELECT max(number) AS number FROM undangle_migrations").get()?.["number"] ?? 0);
}
