/** A mutex per name. */
export interface Locks {
  readonly hold: <T>(name: string, work: () => Promise<T>) => Promise<T>;
}

export function createLocks(): Locks {
  const held = new Map<string, Promise<unknown>>();
  return {
    async hold(name, work) {
      const before = held.get(name) ?? Promise.resolve();
      const done = before.then(work, work); // the earlier holder handles its own failure
      held.set(name, done);
      try {
        return await done;
      } finally {
        if (held.get(name) === done) held.delete(name);
      }
    },
  };
}
