import type { Commit, Store } from "#store";

/** A store with a record of what was saved in it, and whose commits a test can hold back or let fail. */
export interface WatchedStore extends Store {
  readonly commits: readonly Commit[];
}

export interface WatchOptions {
  /** Runs before each commit; what it throws is how the commit fails. */
  readonly before?: (commit: Commit, serial: number) => unknown;
  /** Runs behind each commit; what it throws is what the writer hears, although all was saved. */
  readonly after?: (commit: Commit, serial: number) => unknown;
}

export function watchedStore(store: Store, { before, after }: WatchOptions = {}): WatchedStore {
  const commits: Commit[] = [];
  let asked = 0;
  return {
    ...store,
    commits,
    async commit(commit) {
      const serial = ++asked;
      await before?.(commit, serial);
      await store.commit(commit);
      commits.push(commit);
      await after?.(commit, serial);
    },
  };
}

/** Everything that a store has of a thread, to be compared with what it has later. */
export async function everythingOf(store: Store, id: string): Promise<unknown> {
  const [head, entries, calls, events] = await Promise.all([
    store.load(id),
    store.entries(id),
    store.calls(id),
    store.events(id),
  ]);
  return structuredClone({ head, entries, calls, events });
}
