import { UndangleError } from "undangle";
import type { FoundThread, Logger, Run } from "undangle/agent";

/** How many threads are gone on with at a time: a thousand that a crash has left would all ask their models at once. */
const most = 32;

export interface Recovery {
  readonly add: (found: readonly FoundThread[]) => void;
  /** Begins no more. */
  readonly stop: () => void;
}

/** Goes on with threads, a few at a time; the rest waits for its turn, and is given up when somebody else was faster. */
export function createRecovery(goOn: (found: FoundThread) => Promise<Run | undefined>, logger: Logger): Recovery {
  const waiting = new Map<string, FoundThread>();
  let working = 0;
  const work = async (): Promise<void> => {
    for (const [id, found] of waiting) {
      waiting.delete(id);
      try {
        const run = await goOn(found);
        await run?.result;
      } catch (error) {
        if (!(error instanceof UndangleError && error.is("thread/owned")))
          logger.warn({ threadId: id, err: error }, "A thread could not be gone on with; trying again");
      }
    }
  };
  return {
    add(found) {
      for (const each of found) waiting.set(each.id, each);
      while (working < most && waiting.size > 0) {
        working++;
        void work().finally(() => working--);
      }
    },
    stop: () => waiting.clear(),
  };
}
