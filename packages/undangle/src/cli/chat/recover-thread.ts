import { UndangleError } from "#core";
import type { Run, Thread } from "#engine";

/**
 * Resumes a thread after a crash; undefined if nothing was interrupted, or if a live process runs the thread. Other
 * threads of the store may belong to agents with other tools and models.
 */
export async function recoverThread(thread: Thread): Promise<Run | undefined> {
  try {
    return await thread.recover();
  } catch (error) {
    if (error instanceof UndangleError && error.is("thread/owned")) return undefined;
    throw error;
  }
}
