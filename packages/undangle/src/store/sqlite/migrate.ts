import type { DatabaseSync } from "node:sqlite";

import { UndangleError } from "#core";

import { migrationsFor, migrationsTable } from "../schema.ts";
import { sqliteDialect } from "./sqlite-dialect.ts";

export const migrations = migrationsFor(sqliteDialect);

/** Runs missing migrations. If two processes do this at once, each migration runs in only one of them. */
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

/** The transaction is exclusive, so the result stays valid until its end. */
function runMigration(database: DatabaseSync, number: number): void {
  const migration = migrations[number - 1];
  if (migration === undefined || lastMigration(database) >= number) return;
  database.exec(migrationsTable);
  for (const statement of migration.statements) database.exec(statement);
  database.prepare("INSERT INTO undangle_migrations (number, name) VALUES (?, ?)").run(number, migration.name);
}

/** Tables of a later version may have another meaning, so they are not used. */
function refuseNewer(database: DatabaseSync, path: string): void {
  const found = lastMigration(database);
  if (found <= migrations.length) return;
  throw new UndangleError("store/newer", { path, found, known: migrations.length, canRetry: false });
}

/** The number of the last migration; 0 in a new database. */
function lastMigration(database: DatabaseSync): number {
  const table = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'undangle_migrations'");
  if (table.get() === undefined) return 0;
  return Number(database.prepare("SELECT max(number) AS number FROM undangle_migrations").get()?.["number"] ?? 0);
}
