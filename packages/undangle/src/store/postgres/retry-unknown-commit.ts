import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";

import type { DatabaseName } from "./database-name.ts";
import { fateOf, unknownOutcome } from "./postgres-fault.ts";

export interface RetryOptions {
  readonly name: DatabaseName;
  /** The time limit in milliseconds. */
  readonly patience: number;
  /** The pause between attempts. */
  readonly rest?: (milliseconds: number) => Promise<void>;
}

const firstPause = 10;
const longestPause = 1000;

/**
 * Runs an idempotent write until its outcome is known, even after a lost connection. A write that certainly failed
 * throws at once.
 */
export async function retryUntilKnown<Value>(
  work: () => Promise<Value>,
  { name, patience, rest = pause }: RetryOptions,
): Promise<Value> {
  const end = performance.now() + patience;
  let isUnknown = false;
  for (let wait = firstPause; ; wait = Math.min(2 * wait, longestPause)) {
    try {
      return await work();
    } catch (error) {
      const fate = fateOf(error);
      isUnknown ||= fate === "lost";
      const canRetry = fate === "clash" || (isUnknown && fate !== "refused");
      if (!canRetry) throw error;
      if (performance.now() + wait > end) throw isUnknown ? unknownOutcome(name, error) : error;
    }
    await rest(wait);
  }
}

/** The number of attempts for idempotent work after dead connections. */
const attempts = 3;

/** Runs idempotent work, with retries on other connections. */
export async function onLiveConnection<Value>(work: () => Promise<Value>): Promise<Value> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const fate = fateOf(error);
      if (attempt === attempts || (fate !== "lost" && fate !== "unsent" && fate !== "clash")) throw error;
    }
    await pause(firstPause * attempt);
  }
}
