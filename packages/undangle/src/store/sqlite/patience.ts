import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";

import { isBusy } from "./sqlite-fault.ts";

/** How long to wait before asking for a lock again: never in step with others that wait for it too. */
export const betweenAttempts = (): number => 1 + Math.random() * 4;

/** What the work gives, tried again while the database is busy, until the time is over. The process can go on meanwhile. */
export async function patiently<Value>(timeout: number, work: () => Value): Promise<Value> {
  const end = performance.now() + timeout;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= end) throw error;
    }
    await pause(betweenAttempts());
  }
}
