export { memoryStore } from "./memory.ts";
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
