import { memoryStore } from "undangle/agent";
import type { Store } from "undangle/agent";

/** A store in memory beside which every commit is written down, which is all that is durable of it. */
export interface WrittenDown {
  readonly store: Store;
  /** Milliseconds on the clock that writing has taken so far. */
  readonly waited: () => number;
}

/** Writes each commit down before it is said to be saved. Nothing could be read again: it is what a store cannot be below. */
export function writtenDown(write: () => void): WrittenDown {
  const store = memoryStore();
  let waited = 0;
  return {
    store: {
      ...store,
      async commit(commit) {
        await store.commit(commit);
        const begin = performance.now();
        write();
        waited += performance.now() - begin;
      },
    },
    waited: () => waited,
  };
}
