import { setTimeout as pause } from "node:timers/promises";

import type { EventData } from "../events.ts";
import { emitEnds, emitPending, openIds } from "../journal/call-events.ts";
import { persist } from "../journal/retry-store.ts";
import type { LedgerEvent } from "../ledger/ledger.ts";
import { restoration } from "../ledger/recorded.ts";
import type { AskAgain } from "../middleware/middleware.ts";
import { asError } from "../result/thrown.ts";
import { runLoop, continueLoop, limit } from "./loop.ts";
import { endData, endOf } from "./run.ts";
import type { RunOutcome, RunEnd } from "./run.ts";
import type { Session } from "./session.ts";

/** Why a run starts; `recovery`: a dead process left work, or an approval has expired. */
export type Reason = EventData["run_start"]["reason"];

/** Saves the start of a run and its first events in one commit. */
export async function beginRun(session: Session, reason: Reason, events: readonly LedgerEvent[]): Promise<void> {
  const { journal, run, setup } = session;
  journal.claim();
  journal.apply({ type: "begin", run: run.id, at: setup.now() });
  journal.emitStartOnSave({ type: "run_start", data: { runId: run.id, reason } });
  for (const event of events) {
    const open = openIds(journal);
    journal.apply(event);
    emitEnds(session, open);
    if (event.type === "import") emitPending(journal);
  }
  await persist(journal, setup);
}

const longestTimer = 2 ** 31 - 1;

/** Runs a thread to the end of its run, and saves that end. */
export async function finishRun(session: Session): Promise<RunEnd> {
  const { time } = session.setup.limits;
  const timer = time > longestTimer ? undefined : setTimeout(() => session.end(limit("time", time)), time);
  let outcome = await runLoop(session);
  for (let steps = -1; ;) {
    const after = await afterRun(session, outcome);
    const made = session.journal.ledger().run?.steps ?? 0;
    if (after.again === undefined || made === steps) {
      clearTimeout(timer);
      return saveEnd(session, after.outcome); // also if the hook requested a turn and none was made
    }
    steps = made;
    outcome = await continueLoop(session, after.again);
  }
}

/** Milliseconds that a stopped run waits for its `afterAgent` hooks. */
const grace = 1000;

/** Runs the `afterAgent` hooks. If one fails, the run fails. */
async function afterRun(
  session: Session,
  outcome: RunOutcome,
): Promise<{ readonly outcome: RunOutcome; readonly again?: AskAgain }> {
  try {
    const returned = session.hooks()?.afterAgent(outcome);
    const again = returned instanceof Promise ? await Promise.race([returned, graceOver(session)]) : returned;
    const mayContinue = outcome.status === "done" && session.ending() === undefined;
    return mayContinue && again !== undefined ? { outcome, again } : { outcome };
  } catch (error) {
    return { outcome: { status: "failed", error: asError(error) } };
  }
}

const graceOver = (session: Session): Promise<undefined> =>
  session.over.then(() => pause(grace, undefined, { ref: false }));

async function saveEnd(session: Session, outcome: RunOutcome): Promise<RunEnd> {
  const { journal, run, setup } = session;
  const end = endOf(journal, outcome); // computed before queued messages are added to the thread
  const hasTurns = journal.ledger().run?.steps !== 0;
  const back = hasTurns ? undefined : restoration(journal.recorded(), setup.now());
  if (back !== undefined) journal.apply(back);
  journal.apply({ type: "finish", isOwing: isOwing(session) });
  const shown = { ...outcome, usage: end.usage, threadUsage: end.threadUsage, restored: back?.from };
  journal.emitOnSave({ type: "run_end", data: endData(run.id, shown, setup.language) });
  try {
    await persist(journal, setup);
    return end;
  } catch (fault) {
    setup.logger.error({ threadId: journal.threadId, err: fault }, "The end of a run could not be saved");
    return endOf(journal, { status: "failed", error: asError(fault) });
  }
}

/** True if another run must follow, even after a crash, because the thread was not stopped. */
const isOwing = ({ journal, owed, ending }: Session): boolean => {
  const { queue } = journal.ledger();
  return owed.some((entry) => queue.includes(entry)) && ending()?.how !== "stopped";
};

/** True for the end of a run whose thread another process has resumed. */
export const isTakenOver = ({ error }: RunEnd): boolean => error?.is("store/conflict") === true;
