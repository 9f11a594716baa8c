/** Runs commands one after the other. */
export interface Mutex {
  /** Runs a command after all earlier ones. */
  readonly run: <T>(work: () => Promise<T>) => Promise<T>;
  /** Resolves when all earlier commands finished, or the current one waits for a person. */
  readonly whenFree: () => Promise<void>;
  /** The current command waits for user code, which may never return. Readers do not wait for it. */
  readonly whileWaiting: <T>(waiting: Promise<T>) => Promise<T>;
  /** No command runs or is queued. */
  readonly isEmpty: () => boolean;
}

/** Milliseconds that readers wait for a command that waits itself. */
const patience = 100;

export function createMutex(): Mutex {
  let tail: Promise<unknown> = Promise.resolve();
  let length = 0;
  let stall = Promise.withResolvers<void>();
  return {
    run(work) {
      length++;
      const done = tail.then(work).finally(() => {
        length--;
      });
      tail = done.catch(() => undefined);
      return done;
    },
    async whenFree() {
      await Promise.race([tail, stall.promise]);
    },
    async whileWaiting(waiting) {
      const { resolve } = stall;
      const timer = setTimeout(resolve, patience);
      try {
        return await waiting;
      } finally {
        clearTimeout(timer);
        stall = Promise.withResolvers<void>();
      }
    },
    isEmpty: () => length === 0,
  };
}
