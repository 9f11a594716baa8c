import type { Logger, PendingCall } from "undangle/agent";

import { apiErrorOf, errorBody } from "../answers/api-error.ts";
import type { Desk, DeskEntry } from "../desk/desk.ts";
import { showThread } from "./show-thread.ts";

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
  readonly desk: Desk;
  readonly logger: Pick<Logger, "warn">;
}

/**
 * Reads a thread for the queue; undefined if it no longer exists. A thread that is listed and cannot be read is shown
 * with its error.
 */
export async function queuedThread(
  { desk, logger }: QueueReading,
  project: string,
  { id, listed }: { readonly id: string; readonly listed?: DeskEntry | undefined },
): Promise<QueuedThread | undefined> {
  try {
    const entry = await desk.open(project, id);
    const pending = await entry.thread.pending();
    return { version: entry.found.version, pending, hasError: false, shown: { ...showThread(entry), pending } };
  } catch (thrown) {
    const error = apiErrorOf(thrown);
    if (error.status === 404 || error.status === 410) return undefined;
    if (listed === undefined) throw thrown;
    logger.warn({ threadId: id, err: thrown }, "A thread of the queue cannot be read");
    const shown = { ...showThread(listed), pending: [], ...errorBody(error) };
    return { version: listed.found.version, pending: [], hasError: true, shown };
  }
}
