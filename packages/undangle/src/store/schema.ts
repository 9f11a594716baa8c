/** A step from one version of the tables to the next. A released step never changes; a change is a new step. */
export interface Migration {
  readonly name: string;
  readonly statements: readonly string[];
}

/** The differences between databases. */
export interface Dialect {
  /** The prefix of table names: empty, or the schema. */
  readonly prefix: string;
  /** The type of an auto-incremented primary key. */
  readonly counted: string;
  /** The type of a text with binary collation. */
  readonly word: string;
  /** The type of bytes. */
  readonly bytes: string;
  /** The function that finds one text in another, from 1. */
  readonly position: string;
}

/** The table of migrations. */
export const migrationsTable =
  "CREATE TABLE IF NOT EXISTS undangle_migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL)";

/**
 * The tables, as migrations in order; the first has number 1. SQLite and Postgres share them. JSON is TEXT, which keeps
 * the order of keys, and times are BIGINT, in milliseconds. Ids and texts have passed `escapeText`. Other tables refer
 * to threads by a small number. `tokens` are those of the last writes; a writer that lost its connection checks them.
 */
export const migrationsFor = ({
  counted,
  word,
  bytes,
}: Pick<Dialect, "counted" | "word" | "bytes">): readonly Migration[] => [
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
      // A running thread changes often, so it is only in the index of active threads.
      "CREATE INDEX undangle_threads_updated ON undangle_threads (updated_at) WHERE owner IS NULL",
      // Few threads are in these at a time.
      `CREATE INDEX undangle_threads_active ON undangle_threads (owner, status)
        WHERE owner IS NOT NULL OR status <> 'idle'`,
      "CREATE INDEX undangle_threads_due ON undangle_threads (deadline) WHERE deadline IS NOT NULL",
      "CREATE INDEX undangle_threads_deleted ON undangle_threads (deleted_at) WHERE deleted_at IS NOT NULL",
      // A search reads a row up to `search`, and skips a long value after it.
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
      // The events of a commit are one row, or a few if they are long: a list of [type, data]. `seq` is the number of the last.
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
  {
    name: "files",
    statements: [
      // The contents are last, so that listing files skips them.
      `CREATE TABLE undangle_files (
        thread BIGINT NOT NULL,
        path ${word} NOT NULL,
        size BIGINT NOT NULL,
        created_at BIGINT NOT NULL,
        modified_at BIGINT NOT NULL,
        data ${bytes} NOT NULL,
        PRIMARY KEY (thread, path)
      )`,
      // `version` counts the writes to a namespace. A version of its files never occurs twice.
      `CREATE TABLE undangle_namespaces (
        key ${counted},
        name ${word} NOT NULL UNIQUE,
        version BIGINT NOT NULL,
        tokens TEXT NOT NULL DEFAULT ''
      )`,
      `CREATE TABLE undangle_shared_files (
        namespace BIGINT NOT NULL,
        path ${word} NOT NULL,
        version BIGINT NOT NULL,
        size BIGINT NOT NULL,
        created_at BIGINT NOT NULL,
        modified_at BIGINT NOT NULL,
        data ${bytes} NOT NULL,
        PRIMARY KEY (namespace, path)
      )`,
    ],
  },
  {
    name: "child threads",
    statements: [
      `ALTER TABLE undangle_threads ADD COLUMN parent ${word}`, // the id of a thread
      "CREATE INDEX undangle_threads_children ON undangle_threads (parent) WHERE parent IS NOT NULL",
      // Lists without children skip the rows of children.
      "DROP INDEX undangle_threads_updated",
      `CREATE INDEX undangle_threads_updated ON undangle_threads (updated_at)
        WHERE owner IS NULL AND parent IS NULL`,
      "DROP INDEX undangle_threads_deleted",
      `CREATE INDEX undangle_threads_deleted ON undangle_threads (deleted_at, parent)
        WHERE deleted_at IS NOT NULL`,
    ],
  },
];
