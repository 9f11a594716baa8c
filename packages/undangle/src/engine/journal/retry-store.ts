import { setTimeout as pause } from "node:timers/promises";

import { UndangleError } from "#core";

import type { Setup } from "../run/setup.ts";
import type { ThreadJournal } from "./thread-journal.ts";

/** True for a store error that may be temporary. */
const canRetry = (error: unknown): boolean =>
  error instanceof UndangleError &&
  error.code.startsWith("store/") &&
  "canRetry" in error.data &&
  error.data.canRetry &&
  !error.is("store/conflict");

const firstPause = 20;
const longestPause = 2000;

/** Saves a thread, and retries while the store is unavailable. */
export async function persist(journal: ThreadJournal, setup: RetryOptions): Promise<void> {
  const begin = performance.now();
  try {
    await journal.save();
  } catch (error) {
    await retry(setup, { threadId: journal.threadId, begin, error, work: () => journal.save() });
  }
}

type RetryOptions = Pick<Setup, "limits" | "logger">;

/** Performs a store operation, and retries while the store is unavailable. */
export async function retryStore<T>(setup: RetryOptions, threadId: string, work: () => Promise<T>): Promise<T> {
  const begin = performance.now();
  try {
    return await work();
  } catch (error) {
    return retry(setup, { threadId, begin, error, work });
  }
}

/** An operation that has failed once. */
interface Failed<T> {
  readonly threadId: string;
  readonly begin: number;
  readonly error: unknown;
  readonly work: () => Promise<T>;
}

async function retry<T>({ limits, logger }: RetryOptions, { threadId, begin, error, work }: Failed<T>): Promise<T> {
  let last = error;
  for (let wait = firstPause; ; wait = Math.min(2 * wait, longestPause)) {
    if (!canRetry(last) || performance.now() - begin + wait > limits.storeWait) throw last;
    logger.warn({ threadId, err: last }, "The store cannot be used; trying again");
    await pause(wait);
    try {
      return await work();
    } catch (fault) {
      last = fault;
    }
  }
}
