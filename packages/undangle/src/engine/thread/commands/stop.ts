import { restingChildren } from "../../children/child-thread.ts";
import { emitEnds, openIds } from "../../journal/call-events.ts";
import type { ThreadJournal } from "../../journal/thread-journal.ts";
import type { ThreadActor } from "../thread-actor.ts";

export interface StopOptions {
  /** The cause with which calls that have not started are settled. `superseded` if other work replaces the run. */
  readonly cause?: "stopped" | "superseded" | undefined;
}

/** Stops the current run, and settles pending calls. `check` throws for a thread that must not be stopped. */
export async function stopThread(
  actor: ThreadActor,
  { cause = "stopped" }: StopOptions,
  check?: (journal: ThreadJournal) => void,
): Promise<void> {
  if (actor.thread.state().phase === "running") return stopRun(actor, cause);
  actor.mailbox.cancelAll();
  return actor.exclusive(() => settleOpenCalls(actor, cause, check)).finally(() => actor.thread.forgetTentative());
}

/** Stops the current run. A run that was about to wait leaves pending calls, which are settled too. */
export async function stopRun(actor: ThreadActor, cause: "stopped" | "superseded"): Promise<void> {
  const { thread, mailbox } = actor;
  const wasClosing = thread.session()?.isClosing === true;
  if (wasClosing) mailbox.cancelAll();
  await thread.endRun(cause);
  if (wasClosing) await actor.exclusive(() => settleOpenCalls(actor, cause));
}

/** Settles open calls, whether or not the thread is running. */
async function settleOpenCalls(
  { threadId, setup, timers, thread }: ThreadActor,
  cause: "stopped" | "superseded",
  check?: (journal: ThreadJournal) => void,
): Promise<void> {
  if (thread.state().phase === "running") return thread.endRun(cause);
  const journal = await thread.open();
  check?.(journal);
  const ids = openIds(journal);
  const children = restingChildren(journal, setup);
  if (ids.length > 0) journal.apply({ type: "close", how: cause, at: setup.now() });
  if (journal.ledger().isOwing) journal.apply({ type: "finish" });
  emitEnds({ journal, setup }, ids);
  await thread.saveOrForget(journal, undefined);
  await setup.children.stop(children, cause);
  timers.set(threadId, undefined);
}
