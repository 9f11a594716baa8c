import type { Logger, PendingCall } from "undangle/agent";

import { apiErrorOf, errorBody } from "../../responses/api-error.ts";
import type { ProjectThreads, ListedThread } from "../../projects/project-threads.ts";
import { showThread } from "../show-thread.ts";

/** A thread of the queue, with its pending calls or the error that prevents reading them. */
export interface QueuedThread {
  readonly version: number;
  readonly pending: readonly PendingCall[];
  readonly hasError: boolean;
  /** The thread in the form of the API. */
  readonly shown: object;
}

/** What reading the queue needs. */
export interface QueueReading {
  readonly projectThreads: ProjectThreads;
  readonly logger: Pick<Logger, "warn">;
}

/** False for a thread without pending calls, such as one that runs. A thread that cannot be read may have some. */
export const isQueued = ({ pending, hasError }: QueuedThread): boolean => pending.length > 0 || hasError;

/**
 * Reads a thread for the queue; undefined if it no longer exists. A thread that cannot be read is shown as it was last
 * known, with its error.
 */
export async function queuedThread(
  { projectThreads, logger }: QueueReading,
  project: string,
  { id, last }: { readonly id: string; readonly last: Pick<QueuedThread, "version" | "shown"> },
): Promise<QueuedThread | undefined> {
  try {
    const entry = await projectThreads.open(project, id);
    const pending = await entry.pending();
    return { version: entry.found.version, pending, hasError: false, shown: { ...showThread(entry), pending } };
  } catch (thrown) {
    const error = apiErrorOf(thrown);
    if (error.status === 404 || error.status === 410) return undefined;
    logger.warn({ threadId: id, err: thrown }, "A thread of the queue cannot be read");
    const shown = { ...last.shown, pending: [], ...errorBody(error) };
    return { version: last.version, pending: [], hasError: true, shown };
  }
}

/** A listed thread as it is known before it is read. */
export const asListed = (entry: ListedThread): Pick<QueuedThread, "version" | "shown"> => ({
  version: entry.found.version,
  shown: showThread(entry),
});
