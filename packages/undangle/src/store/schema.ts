/** A step from one version of the tables to the next. Once released it stays as it is: a change is one more step. */
export interface Migration {
  readonly name: string;
  readonly statements: readonly string[];
}

/** How a database wants to be told what is the same in all of them. */
export interface Dialect {
  /** Stands before the names of tables: nothing, or the schema that they are in. */
  readonly prefix: string;
  /** The type of a primary key that the database counts by itself. */
  readonly counted: string;
  /** The type of a text that is compared sign by sign, in any language. */
  readonly word: string;
  /** The function that says where in one text another one is, from 1. */
  readonly position: string;
}

/** The table that says which migrations ran. */
export const migrationsTable =
  "CREATE TABLE IF NOT EXISTS undangle_migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL)";

/**
 * The tables, as the migrations that make them, in order; the first has the number 1. SQLite and Postgres both take them:
 * JSON is TEXT, so that the order of keys survives, and times are BIGINT, milliseconds of the clock. Ids and texts have gone
 * through `escapeText`. Threads have a small number of their own, which the rows of the other tables carry. `tokens` are the
 * marks of the last writes: a writer that was cut off from a server finds out by them whether it was heard.
 */
export const migrationsFor = ({ counted, word }: Pick<Dialect, "counted" | "word">): readonly Migration[] => [
  {
    name: "threads, entries, calls, events, owners, values",
    statements: [
      `CREATE TABLE undangle_threads (
        key ${counted},
        id ${word} NOT NULL UNIQUE,
        version BIGINT NOT NULL,
        entries BIGINT NOT NULL,
        last_event BIGINT NOT NULL,
        created_at BIGINT NOT NULL,
        updated_at BIGINT NOT NULL,
        deleted_at BIGINT,
        epoch BIGINT NOT NULL,
        owner ${word},
        status ${word} NOT NULL,
        deadline BIGINT,
        title TEXT,
        tokens TEXT NOT NULL DEFAULT '',
        search TEXT NOT NULL,
        data TEXT NOT NULL
      )`,
      // A thread that somebody runs changes all the time, and is in the index of the active ones.
      "CREATE INDEX undangle_threads_updated ON undangle_threads (updated_at) WHERE owner IS NULL",
      // Few threads are in these at a time, and the others cost nothing.
      `CREATE INDEX undangle_threads_active ON undangle_threads (owner, status)
        WHERE owner IS NOT NULL OR status <> 'idle'`,
      "CREATE INDEX undangle_threads_due ON undangle_threads (deadline) WHERE deadline IS NOT NULL",
      "CREATE INDEX undangle_threads_deleted ON undangle_threads (deleted_at) WHERE deleted_at IS NOT NULL",
      // A search reads a row up to `search`, and leaves a long value behind it unread.
      `CREATE TABLE undangle_entries (
        thread BIGINT NOT NULL,
        seq BIGINT NOT NULL,
        search TEXT NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (thread, seq)
      )`,
      `CREATE TABLE undangle_calls (
        thread BIGINT NOT NULL,
        entry BIGINT NOT NULL,
        place BIGINT NOT NULL,
        id TEXT NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (thread, entry, place)
      )`,
      // The events of a commit are one row, or a few when they are long: a list of [type, data]. `seq` is that of the last of them.
      `CREATE TABLE undangle_events (
        thread BIGINT NOT NULL,
        seq BIGINT NOT NULL,
        at BIGINT NOT NULL,
        events TEXT NOT NULL,
        PRIMARY KEY (thread, seq)
      )`,
      `CREATE TABLE undangle_owners (owner ${word} PRIMARY KEY, beat_at BIGINT NOT NULL)`,
      `CREATE TABLE undangle_values (
        key ${word} PRIMARY KEY,
        version BIGINT NOT NULL,
        tokens TEXT NOT NULL DEFAULT '',
        value TEXT NOT NULL
      )`,
    ],
  },
];
