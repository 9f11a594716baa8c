import { setTimeout as pause } from "node:timers/promises";

import { UndangleError } from "#core";

import type { Book } from "./book.ts";
import type { Setup } from "./setup.ts";

/** True for an error of the store that may be over in a while. */
export const canTryAgain = (error: unknown): boolean =>
  error instanceof UndangleError &&
  error.code.startsWith("store/") &&
  "canRetry" in error.data &&
  error.data.canRetry &&
  !error.is("store/conflict");

const firstPause = 20;
const longestPause = 2000;

/** Saves a thread; nothing that was done is given up because the store is away for a while. */
export const persist = (book: Book, setup: Patience): Promise<void> => patiently(setup, book.threadId, book.save);

type Patience = Pick<Setup, "limits" | "logger">;

/** Does something with the store, and keeps trying while it is away. */
export async function patiently<T>({ limits, logger }: Patience, threadId: string, work: () => Promise<T>): Promise<T> {
  const begin = performance.now();
  for (let wait = firstPause; ; wait = Math.min(2 * wait, longestPause)) {
    try {
      return await work();
    } catch (error) {
      if (!canTryAgain(error) || performance.now() - begin + wait > limits.storeWait) throw error;
      logger.warn({ threadId, err: error }, "The store cannot be used; trying again");
      await pause(wait);
    }
  }
}
