import type { Logger, Store } from "undangle/agent";

import type { ProjectThreads } from "./project-threads.ts";

/** For how many days threads are kept; `false` keeps them until a caller removes them. */
export interface Retention {
  /** Threads that chat requests without `thread_id` created, counted from their last change. */
  readonly chats: number | false;
  /** Threads that are marked as deleted, counted from their deletion. */
  readonly deleted: number | false;
}

export interface Keeper {
  /** Removes what has expired. */
  sweep(): Promise<void>;
  close(): void;
}

export interface KeeperOptions {
  readonly projectThreads: Pick<ProjectThreads, "removeChats">;
  readonly store: Pick<Store, "purge">;
  readonly logger: Logger;
  readonly now?: () => number;
}

const day = 24 * 60 * 60 * 1000;
const interval = 60 * 60 * 1000;

/** Removes expired threads permanently, one second after the start and then every hour. */
export function createKeeper(
  { chats, deleted }: Retention,
  { projectThreads, store, logger, now = Date.now }: KeeperOptions,
): Keeper {
  let sweptTo = 0; // the previous sweep has covered all earlier changes
  const sweep = async (): Promise<void> => {
    if (chats !== false) {
      const to = now() - chats * day;
      const removed = await projectThreads.removeChats({ from: sweptTo, to });
      sweptTo = to;
      if (removed > 0) logger.info({ removed, days: chats }, "Removed expired chats");
    }
    if (deleted !== false) {
      const removed = await store.purge(now() - deleted * day);
      if (removed > 0) logger.info({ removed, days: deleted }, "Removed deleted threads permanently");
    }
  };
  const attempt = (): void => {
    sweep().catch((error: unknown) =>
      logger.warn({ err: error }, "Expired threads could not be removed; the next attempt is in an hour"),
    );
  };
  const timer = setInterval(attempt, interval).unref();
  const first = setTimeout(attempt, 1000).unref(); // must not delay the start
  return {
    sweep,
    close() {
      clearInterval(timer);
      clearTimeout(first);
    },
  };
}
