export { memoryStore } from "./memory.ts";
export type {
  Commit,
  Head,
  Store,
  StoredCall,
  StoredEntry,
  StoredEvent,
  StoredThread,
  ThreadQuery,
  ThreadStatus,
} from "./store.ts";
