export { loadHasTables, loadPostgres, loadSqlite } from "./load-store.ts";
export { memoryStore } from "./memory.ts";
export type { PostgresPool } from "./postgres.ts";
export type {
  Commit,
  Head,
  Store,
  StoredCall,
  StoredEntry,
  StoredEvent,
  StoredThread,
  StoredValue,
  ThreadQuery,
  ThreadStatus,
} from "./store.ts";
