import { UndangleError } from "undangle";
import type { FoundThread, Logger, Run } from "undangle/agent";

/**
 * The number of threads that resume at a time. After a crash, a thousand threads would send requests to their models at
 * once.
 */
const most = 32;

/** How often progress is logged, in milliseconds. */
const reportInterval = 5000;

export interface Recovery {
  readonly add: (found: readonly FoundThread[]) => void;
  /** Starts no more threads. */
  readonly stop: () => void;
}

/** Resumes threads, a few at a time. The others wait, and are skipped if another process resumes them first. */
export function createRecovery(goOn: (found: FoundThread) => Promise<Run | undefined>, logger: Logger): Recovery {
  const waiting = new Map<string, FoundThread>();
  let working = 0;
  let begun = 0; // threads with work to do
  let done = 0;
  let reporting: NodeJS.Timeout | undefined;
  const report = (): void =>
    logger.info({ done, running: begun - done, waiting: waiting.size }, "Resuming interrupted threads");
  const end = (): void => {
    clearInterval(reporting);
    reporting = undefined;
    if (begun > 0) logger.info({ done }, "Resumed all interrupted threads");
    begun = done = 0;
  };
  const work = async (): Promise<void> => {
    for (const [id, found] of waiting) {
      waiting.delete(id);
      try {
        const run = await goOn(found);
        if (run === undefined) continue;
        begun++;
        if (reporting === undefined) {
          report();
          reporting = setInterval(report, reportInterval).unref();
        }
        await run.result;
        done++;
      } catch (error) {
        if (!(error instanceof UndangleError && error.is("thread/owned")))
          logger.warn({ threadId: id, err: error }, "A thread could not be resumed; trying again");
      }
    }
  };
  return {
    add(found) {
      for (const each of found) waiting.set(each.id, each);
      while (working < most && waiting.size > 0) {
        working++;
        void work().finally(() => {
          working--;
          if (working === 0) end();
        });
      }
    },
    stop() {
      waiting.clear();
      clearInterval(reporting);
      begun = done = 0; // the rest is left for the next start and is not reported
    },
  };
}
