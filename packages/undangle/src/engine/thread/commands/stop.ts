import { waitingChildren } from "../../children/child-thread.ts";
import { emitEnds, openIds } from "../../journal/call-events.ts";
import type { ThreadActor } from "../thread-actor.ts";

export interface StopOptions {
  /** The cause with which calls that have not started are settled. `superseded` if other work replaces the run. */
  readonly cause?: "stopped" | "superseded" | undefined;
}

/** Stops the current run, and settles pending calls. */
export async function stopThread(actor: ThreadActor, { cause = "stopped" }: StopOptions): Promise<void> {
  if (actor.thread.state().phase === "running") return stopRun(actor, cause);
  actor.mailbox.cancelAll();
  return actor.exclusive(() => settleOpenCalls(actor, cause));
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
): Promise<void> {
  if (thread.state().phase === "running") return thread.endRun(cause);
  const journal = await thread.open();
  const ids = openIds(journal);
  const children = waitingChildren(journal, setup);
  if (ids.length > 0) journal.apply({ type: "close", how: cause });
  if (journal.ledger().isOwing) journal.apply({ type: "finish" });
  emitEnds({ journal, setup }, ids);
  await thread.saveOrForget(journal, undefined);
  setup.children.stop(children, cause);
  timers.set(threadId, undefined);
}
