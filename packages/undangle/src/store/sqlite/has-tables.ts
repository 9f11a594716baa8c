import { DatabaseSync } from "node:sqlite";

/** False for a database of something else, which is only looked at; true also where that cannot be told: opening it says why. */
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
    return true; // not a database at all, locked, not allowed
  }
}
