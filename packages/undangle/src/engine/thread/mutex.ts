/** Things that happen one after the other. */
export interface Line {
  /** Lets something happen after everything before it. */
  readonly join: <T>(work: () => Promise<T>) => Promise<T>;
  /** Resolves when everything before is over, or stands aside. */
  readonly passed: () => Promise<void>;
  /** What is happening waits for somebody else, who may never answer: those who only look need not wait for it. */
  readonly aside: <T>(waiting: Promise<T>) => Promise<T>;
  /** True while nothing happens, and nothing is to. */
  readonly isEmpty: () => boolean;
}

/** How long those who look wait for something that waits itself; in milliseconds. */
const patience = 100;

export function createLine(): Line {
  let tail: Promise<unknown> = Promise.resolve();
  let length = 0;
  let stall = Promise.withResolvers<void>();
  return {
    join(work) {
      length++;
      const done = tail.then(work).finally(() => {
        length--;
      });
      tail = done.catch(() => undefined);
      return done;
    },
    async passed() {
      await Promise.race([tail, stall.promise]);
    },
    async aside(waiting) {
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
