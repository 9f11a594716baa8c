/** How long searches of a kind may take, and how many run at a time. */
export interface SearchLimits {
  /** In milliseconds, without the time that a search waits for others. */
  readonly timeout: number;
  /** Searches that run at the same time. Others wait. */
  readonly most: number;
}

/** The limits of the tools, for all agents of this process. */
export const searchLimits: Readonly<Record<"glob" | "grep", SearchLimits>> = {
  glob: { timeout: 10_000, most: 4 },
  grep: { timeout: 15_000, most: 4 },
};

export interface LimitedSearch<Found> {
  readonly signal: AbortSignal;
  readonly search: (signal: AbortSignal) => Promise<Found>;
  /** The error of a search that takes too long. */
  readonly late: (limits: SearchLimits) => Error;
}

/** Runs searches within limits. */
export type SearchLimit = <Found>(search: LimitedSearch<Found>) => Promise<Found>;

/**
 * Creates a limit. A search that takes too long fails, and its signal aborts. It holds up no other, even if its backend
 * ignores the signal.
 */
export function createSearchLimit(limits: SearchLimits): SearchLimit {
  let running = 0;
  const waiting: (() => void)[] = [];
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) running--;
    else next();
  };
  const enter = async (signal: AbortSignal): Promise<void> => {
    if (running < limits.most) return void running++;
    await new Promise<void>((resolve, reject) => {
      const stop = (): void => {
        waiting.splice(waiting.indexOf(start), 1);
        reject(signal.reason as Error); // as `throwIfAborted` throws it
      };
      const start = (): void => {
        signal.removeEventListener("abort", stop);
        resolve();
      };
      waiting.push(start);
      signal.addEventListener("abort", stop, { once: true });
    });
  };
  return async ({ signal, search, late }) => {
    signal.throwIfAborted();
    await enter(signal);
    const clock = new AbortController();
    const { promise: ended, reject } = Promise.withResolvers<never>();
    const stop = (): void => reject(signal.reason as Error); // as `throwIfAborted` throws it
    signal.addEventListener("abort", stop, { once: true });
    const timer = setTimeout(() => {
      const error = late(limits);
      reject(error);
      clock.abort(error);
    }, limits.timeout);
    try {
      signal.throwIfAborted(); // while it waited
      return await Promise.race([ended, search(AbortSignal.any([signal, clock.signal]))]);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      leave();
    }
  };
}
