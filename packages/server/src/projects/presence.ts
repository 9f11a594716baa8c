/** Reports whether threads still exist, for clients that read their events. */
export interface Presence {
  /** Records that this process deleted or restored a thread. */
  readonly note: (key: string, isDeleted: boolean) => void;
  /**
   * Returns a check for a thread: false at once if this process deleted it, and within two minutes if another process
   * did.
   */
  readonly of: (key: string) => () => Promise<boolean>;
}

/**
 * How often each stream reads the store, in milliseconds. Shorter intervals would overload it with a thousand streams.
 */
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
