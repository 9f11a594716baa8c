import { UndangleError } from "#core";

import { refuseChild } from "../../children/child-thread.ts";
import { emitPending, openIds } from "../../journal/call-events.ts";
import type { ThreadJournal } from "../../journal/thread-journal.ts";
import type { LedgerEvent } from "../../ledger/ledger.ts";
import type { LiveRun } from "../../run/run.ts";
import { refuseOther } from "../../run/run-mode.ts";
import type { ThreadActor } from "../thread-actor.ts";
import { startRun } from "./request.ts";
import type { SendOptions } from "./send.ts";

/** The events that import a history. They depend on what the thread contains. */
export type ImportEvents = (journal: ThreadJournal) => Promise<readonly LedgerEvent[]>;

/** Begins a thread that must not exist yet, with these events, in one commit. */
export function createThreadWith(
  actor: ThreadActor,
  events: ImportEvents,
  { signal, mode }: Pick<SendOptions, "signal" | "mode">,
): LiveRun {
  const { threadId, setup, thread, mailbox } = actor;
  return startRun(actor, { signal }, async ({ run }) => {
    if (setup.mode === "read-only") refuseOther(mode, setup.mode);
    const journal = await thread.open();
    if (journal.version() > 0) throw new UndangleError("thread/exists", { threadId });
    return thread.begin(run, { reason: "message", mode }, await mailbox.whileWaiting(events(journal)));
  });
}

/** Imports a history after the existing entries, without starting a run. */
export function importInto(actor: ThreadActor, events: ImportEvents): Promise<void> {
  const { threadId, thread, mailbox } = actor;
  const importing = actor.exclusive(async () => {
    const journal = await thread.open();
    refuseChild(journal);
    const imported = await mailbox.whileWaiting(events(journal)); // an error that the thread exists takes precedence over `thread/busy`
    if (thread.state().phase === "running" || journal.ledger().turn !== undefined)
      throw new UndangleError("thread/busy", { threadId, calls: openIds(journal) });
    try {
      for (const event of imported) journal.apply(event);
      emitPending(journal);
    } catch (error) {
      thread.forget(); // drops a partial import
      throw error;
    }
    await thread.saveOrForget(journal, undefined);
    thread.scheduleNext();
  });
  return importing.finally(() => thread.forgetTentative());
}
