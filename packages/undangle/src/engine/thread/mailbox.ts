/** Runs the commands of one thread, one after the other. */
export interface Mailbox {
  /** Runs a command after all earlier ones. */
  readonly run: <T>(command: () => Promise<T>) => Promise<T>;
  /** The current command waits for user code, which may never return. Readers do not wait for it. `cancel` ends the wait. */
  readonly whileWaiting: <T>(waiting: Promise<T>, cancel?: () => void) => Promise<T>;
  /** Cancels the current command if it waits for user code and can be cancelled. */
  readonly cancelWaiting: () => void;
  /** Resolves when all earlier commands finished, or the current one waits for user code. */
  readonly whenFree: () => Promise<void>;
  /** Runs work after a promise. Until it is done, the thread stays in memory: another mailbox would not know about it. */
  readonly delay: (until: Promise<unknown>, work: () => Promise<void>) => void;
  readonly hasDelayed: () => boolean;
  /** No command runs or is queued. */
  readonly isEmpty: () => boolean;
}

/** Milliseconds that readers wait for a command that waits for user code. */
const longestStall = 100;

export function createMailbox(): Mailbox {
  let tail: Promise<unknown> = Promise.resolve();
  let length = 0;
  let delayed = 0;
  let stall = Promise.withResolvers<void>();
  let cancelCurrent: (() => void) | undefined;
  return {
    run(command) {
      length++;
      const done = tail.then(command).finally(() => {
        length--;
      });
      tail = done.catch(() => undefined);
      return done;
    },
    async whileWaiting(waiting, cancel) {
      const { resolve } = stall;
      const timer = setTimeout(resolve, longestStall);
      cancelCurrent = cancel;
      try {
        return await waiting;
      } finally {
        cancelCurrent = undefined;
        clearTimeout(timer);
        stall = Promise.withResolvers<void>();
      }
    },
    cancelWaiting: () => cancelCurrent?.(),
    async whenFree() {
      await Promise.race([tail, stall.promise]);
    },
    delay(until, work) {
      delayed++;
      void until.then(work).finally(() => {
        delayed--;
      });
    },
    hasDelayed: () => delayed > 0,
    isEmpty: () => length === 0,
  };
}
