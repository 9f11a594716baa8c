/** Limits concurrency. */
export interface Semaphore {
  /** Takes a permit. If none is free, the promise resolves when one is. */
  readonly acquire: () => Promise<void> | undefined;
  /** Gives the permit to the longest waiter. */
  readonly release: () => void;
}

export function createSemaphore(free: number): Semaphore {
  const waiting: (() => void)[] = [];
  let left = free;
  return {
    acquire() {
      if (left === 0) return new Promise((resolve) => void waiting.push(resolve));
      left--;
      return undefined;
    },
    release() {
      const next = waiting.shift();
      if (next === undefined) left++;
      else next();
    },
  };
}
