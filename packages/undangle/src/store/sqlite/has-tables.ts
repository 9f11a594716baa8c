import { DatabaseSync } from "node:sqlite";

/**
 * False for the database of another program, which stays unchanged. True also if it cannot be read; opening it reports
 * the cause.
 */
export function hasTables(path: string): boolean {
  try {
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      const found = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'undangle_migrations'").get();
      return found !== undefined;
    } finally {
      database.close();
    }
  } catch {
    return true; // not a database, locked, or not allowed
  }
}
