export { loadHasTables, loadPostgres, loadSqlite } from "./load-store.ts";
export { memoryStore } from "./memory.ts";
export type { PostgresPool } from "./postgres.ts";
export type { Commit, Head, Store, StoredCall, StoredEvent, StoredThread, ThreadQuery, ThreadStatus } from "./store.ts";
