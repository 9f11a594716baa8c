/** Whether threads are still there, for those who read what happens in them. */
export interface Presence {
  /** A thread was deleted here, or had back. */
  readonly note: (key: string, isDeleted: boolean) => void;
  /** Says whether a thread is there: false at once when it was deleted here, and within two minutes when that was elsewhere. */
  readonly of: (key: string) => () => Promise<boolean>;
}

/** How often each reader asks the store, in milliseconds: a thousand of them would ask all the time. */
const askInterval = 120_000;

const mostRemembered = 10_000;

export function createPresence(isInStore: (key: string) => Promise<boolean>, interval = askInterval): Presence {
  const deleted = new Set<string>();
  return {
    note(key, isDeleted) {
      deleted.delete(key);
      if (isDeleted) deleted.add(key);
      const [oldest] = deleted;
      if (deleted.size > mostRemembered && oldest !== undefined) deleted.delete(oldest);
    },
    of(key) {
      let askedAt = performance.now();
      return async () => {
        if (deleted.has(key)) return false;
        if (performance.now() - askedAt < interval) return true;
        askedAt = performance.now();
        return isInStore(key);
      };
    },
  };
}
