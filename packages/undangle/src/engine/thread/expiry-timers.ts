/** When threads are to be looked at again. One timer serves them all, and none of them has to be kept in memory for it. */
export interface Alarms {
  /** Looks at a thread at a time of the clock; undefined: not any more. */
  readonly set: (threadId: string, at: number | undefined) => void;
  readonly close: () => void;
}

/** A clock may jump: it is looked at this often at least, in milliseconds. */
const longestWait = 60_000;

export function createAlarms(now: () => number, ring: (threadId: string) => void): Alarms {
  const times = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let next = Infinity; // when the timer rings
  let isClosed = false;

  const wind = (at: number): void => {
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
        ring(threadId);
      }
    }
    wind(later);
  };
  return {
    set(threadId, at) {
      if (at === undefined) times.delete(threadId);
      else {
        times.set(threadId, at);
        wind(at);
      }
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      times.clear();
    },
  };
}
