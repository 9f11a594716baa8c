export { loadHasTables, loadPostgres, loadSqlite } from "./load-store.ts";
export { memoryStore } from "./memory.ts";
export type { PostgresPool } from "./postgres.ts";
export type {
  Commit,
  FileChange,
  FileRange,
  Head,
  SharedFile,
  SharedFileChange,
  SharedFileInfo,
  Store,
  StoredCall,
  StoredEntry,
  StoredEvent,
  StoredFile,
  StoredFileInfo,
  StoredThread,
  ThreadQuery,
  ThreadStatus,
} from "./store.ts";
