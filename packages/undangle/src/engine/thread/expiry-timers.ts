/** Wakes threads when their approvals expire. One timer serves all threads, and none has to stay in memory for it. */
export interface ExpiryTimers {
  /** Wakes a thread at a time of the clock. Undefined cancels. */
  readonly set: (threadId: string, at: number | undefined) => void;
  readonly close: () => void;
}

/** Milliseconds after which the clock is read again, because it may jump. */
const longestWait = 60_000;

export function createExpiryTimers(now: () => number, wake: (threadId: string) => void): ExpiryTimers {
  const times = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let next = Infinity; // when the timer fires
  let isClosed = false;

  const schedule = (at: number): void => {
    if (at >= next || isClosed) return;
    clearTimeout(timer);
    next = at;
    timer = at === Infinity ? undefined : setTimeout(onTime, Math.min(Math.max(1, at - now()), longestWait)).unref();
  };
  const onTime = (): void => {
    next = Infinity;
    let later = Infinity;
    const at = now();
    for (const [threadId, time] of times) {
      if (time > at) later = Math.min(later, time);
      else {
        times.delete(threadId);
        wake(threadId);
      }
    }
    schedule(later);
  };
  return {
    set(threadId, at) {
      if (at === undefined) times.delete(threadId);
      else {
        times.set(threadId, at);
        schedule(at);
      }
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      times.clear();
    },
  };
}
