import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";

import { isBusy } from "./sqlite-fault.ts";

/** The delay before another attempt, with jitter. */
export const lockBackoff = (): number => 1 + Math.random() * 4;

/** Repeats work while the database is busy, until a timeout, without blocking the event loop. */
export async function retryWhileLocked<Value>(timeout: number, work: () => Value): Promise<Value> {
  const end = performance.now() + timeout;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= end) throw error;
    }
    await pause(lockBackoff());
  }
}
