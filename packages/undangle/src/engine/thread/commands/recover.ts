import { refuseChild } from "../../children/child-thread.ts";
import type { ThreadJournal } from "../../journal/thread-journal.ts";
import type { LedgerEvent } from "../../ledger/ledger.ts";
import { nextOf } from "../../ledger/step.ts";
import type { Reason } from "../../run/loop.ts";
import { endOf } from "../../run/run.ts";
import type { LiveRun } from "../../run/run.ts";
import type { ThreadActor } from "../thread-actor.ts";
import { createRequest, perform, startRun } from "./request.ts";
import type { PendingRequest } from "./request.ts";

/**
 * Resumes after a crash or an expired approval, as soon as the semaphore has a free permit. Undefined if there is
 * nothing to do.
 */
export function recover(actor: ThreadActor, semaphore: Semaphore): Promise<LiveRun | undefined> {
  const { thread, mailbox } = actor;
  return actor.exclusive(async () => {
    if (thread.state().phase === "running") return undefined;
    const journal = await thread.open();
    refuseChild(journal);
    if (!mustResume(journal)) {
      await thread.save(journal);
      thread.scheduleNext();
      return undefined;
    }
    const request = createRequest(actor);
    const { run } = request;
    const permit = semaphore.acquire();
    if (permit === undefined) {
      await thread.begin(run, { reason: "recovery" }, []).catch((error: unknown) => {
        semaphore.release();
        throw error;
      });
    } else {
      thread.forgetTentative();
      mailbox.delay(Promise.race([permit, request.cancelled]), () =>
        perform(actor, request, () => resume(actor, request, { isLeft: mustResume, reason: "recovery" })),
      );
    }
    void Promise.all([permit, run.result]).then(semaphore.release); // a permit is released only after it was acquired
    return run;
  });
}

/** Starts the run for messages that have no response because a hook ended their run. Their runs join it. */
export function resumeOwed(actor: ThreadActor, runs: readonly LiveRun[]): void {
  const next = startRun(actor, {}, (request) => resume(actor, request, { isLeft: mustRespond, reason: "message" }));
  for (const run of runs) if (!run.isOver()) run.join(next);
}

/** Resumes after a crash, in the commit that also saves this event. */
export const resumeWith = (actor: ThreadActor, event: LedgerEvent): Promise<void> =>
  actor.thread.begin(createRequest(actor).run, { reason: "recovery" }, [event]);

/** Continues the remaining work, unless another process has done so. */
async function resume(
  { thread }: ThreadActor,
  { run }: PendingRequest,
  { isLeft, reason }: { readonly isLeft: (journal: ThreadJournal) => boolean; readonly reason: Reason },
): Promise<void> {
  const session = thread.session();
  if (session !== undefined) return run.join(session.run);
  const journal = await thread.open();
  if (isLeft(journal)) return thread.begin(run, { reason }, []);
  await thread.save(journal);
  return run.settle(endOf(journal, { status: nextOf(journal.ledger()) === "wait" ? "waiting" : "done" }));
}

/** True if the model must respond. */
const mustRespond = (journal: ThreadJournal): boolean => nextOf(journal.ledger()) === "ask";

/** True if the model or a tool is next, after a crash or because another run must follow. */
export function mustResume(journal: ThreadJournal): boolean {
  const ledger = journal.ledger();
  const next = nextOf(ledger);
  return (journal.hasUnsaved() || ledger.isOwing) && (next === "ask" || next === "call");
}

/** Limits how many threads are resumed at the same time. */
export interface Semaphore {
  /** Takes a permit. If none is free, the promise resolves when one is. */
  readonly acquire: () => Promise<void> | undefined;
  /** Gives the permit to the longest waiter. */
  readonly release: () => void;
}

export function createSemaphore(permits: number): Semaphore {
  const waiting: (() => void)[] = [];
  let left = permits;
  return {
    acquire() {
      if (left === 0) return new Promise((resolve) => void waiting.push(resolve));
      left--;
      return undefined;
    },
    release() {
      const next = waiting.shift();
      if (next === undefined) left++;
      else next();
    },
  };
}
