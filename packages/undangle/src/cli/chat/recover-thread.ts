import { UndangleError } from "#core";
import type { Run, Thread } from "#engine";

/**
 * Goes on with what a dead process left in a thread; undefined when nothing was left, or when a process that lives is at work there.
 * Only in this one thread: other threads of the store may be those of other agents, with tools and a model of their own.
 */
export async function recoverThread(thread: Thread): Promise<Run | undefined> {
  try {
    return await thread.recover();
  } catch (error) {
    if (error instanceof UndangleError && error.is("thread/owned")) return undefined;
    throw error;
  }
}
