import { errorText, UndangleError } from "#core";

import { emitEnds, emitPending, openIds } from "../journal/call-events.ts";
import { persist } from "../journal/retry-store.ts";
import { deadlineOf } from "../journal/thread-head.ts";
import type { ThreadJournal } from "../journal/thread-journal.ts";
import type { LedgerCall } from "../ledger/call.ts";
import type { Closing } from "../ledger/ledger.ts";
import { silent } from "../logger.ts";
import { asError } from "../result/thrown.ts";
import { endData, usageIn } from "../run/run.ts";
import type { Session } from "../run/session.ts";
import type { Setup } from "../run/setup.ts";
import { childActor, childAgentOf, childOf, restingChildren } from "../children/child-thread.ts";
import type { ThreadActor } from "../thread/thread-actor.ts";
import type { Ended } from "./attempt-tool.ts";

/** Records the end of a call. Calls that end at the same time are saved together. A hook error then ends the run. */
export function keepEnd(session: Session, call: LedgerCall, ended: Ended, begin: number): void {
  keepOutcome(session, call, ended, begin);
  if (ended.fault !== undefined) session.end({ how: "fault", error: ended.fault });
}

function keepOutcome(session: Session, call: LedgerCall, ended: Ended, begin: number): void {
  const { journal, setup } = session;
  const { state } = ended;
  const { id } = call;
  const { name, state: now } = journal.callOf(id) ?? call; // a hook may have substituted another tool
  if (now !== "running") {
    setup.logger.warn(
      { threadId: journal.threadId, callId: id, tool: name },
      "A tool ended after its call was settled",
    );
    if (ended.state === "delegated") stopLateChild(session, call);
    return;
  }
  if (setup.logger !== silent) {
    const ms = Math.round(performance.now() - begin);
    const success = state === "succeeded";
    setup.logger.info({ threadId: journal.threadId, callId: id, tool: name, success, ms }, "Tool ended");
  }
  session.drafts.end(id, { isKept: state === "succeeded" || state === "failed" }); // else its tool may still be running
  if (ended.state === "delegated") session.delegated.push({ id, pending: ended.pending });
  else session.ended.push({ id, at: setup.now(), state: ended.state, outcome: ended.outcome });
}

/** Stops the child thread of a call that was settled while hooks still held the news that the child waits. */
function stopLateChild(session: Session, call: LedgerCall): void {
  const { journal, setup } = session;
  const agent = childAgentOf(setup, call);
  if (agent === undefined) return;
  const cause = session.ending()?.how === "superseded" ? "superseded" : "stopped";
  void setup.children.stop([childActor(agent, journal.threadId, call.id)], cause); // it reports its own failure
}

/** Saves the recorded ends of calls. */
export async function saveEnds(session: Session): Promise<void> {
  applyEnds(session);
  try {
    await persist(session.journal, session.setup);
  } catch (error) {
    session.end({ how: "fault", error: asError(error) });
  }
}

/** Applies the recorded ends of calls to the ledger. */
function applyEnds(session: Session): void {
  const { journal, ended, delegated, drafts } = session;
  if (delegated.length > 0) {
    const waiting = delegated.splice(0);
    journal.apply({ type: "delegate", calls: waiting });
    for (const { id } of waiting) emitPending(journal, id);
  }
  if (ended.length === 0) return;
  const calls = ended.splice(0);
  const fault = drafts.apply();
  session.abandoned.push(...calls.flatMap(({ id }) => waitingChild(session, id)));
  journal.apply({ type: "end", calls });
  emitEnds(
    session,
    calls.map(({ id }) => id),
  );
  if (fault !== undefined) session.end({ how: "fault", error: fault });
}

/** The child thread of a call, if it still waits. Rules or tools may have changed, so that the call ends without it. */
function waitingChild({ journal, setup }: Session, id: string): readonly ThreadActor[] {
  const call = journal.callOf(id);
  const isWaiting = (call?.child?.pending ?? []).length > 0;
  const child = call === undefined || !isWaiting ? undefined : childOf(call, journal.threadId, setup);
  return child === undefined ? [] : [child];
}

/** Settles every open call of a run. Calls that have just finished keep their results. */
export function settleOpen(session: Session, how: Closing): void {
  const { journal, running } = session;
  applyEnds(session);
  const ids = openIds(journal);
  if (ids.length > 0) {
    session.abandoned.push(...restingChildren(journal, session.setup));
    journal.apply({ type: "close", how, at: session.setup.now() });
    emitEnds(session, ids);
  }
  for (const each of running.values()) each.abort(new DOMException("The run was stopped.", "AbortError"));
}

/** Settles expired approvals, and resumes calls in whose child threads one has expired. True if there were any. */
export function settleExpired(journal: ThreadJournal, setup: Setup): boolean {
  const at = setup.now();
  const due = journal.ledger().turn?.calls.filter((call) => (deadlineOf(call) ?? Infinity) <= at) ?? [];
  if (due.length === 0) return false;
  const inChildren = due.filter(({ state }) => state === "delegated");
  const expired = due.filter(({ state }) => state === "awaiting").map(({ id }) => id);
  if (inChildren.length > 0) journal.apply({ type: "resume", calls: inChildren.map(({ id }) => ({ id })) });
  if (expired.length > 0) journal.apply({ type: "close", how: "expired", at, ids: expired });
  emitEnds({ journal, setup }, expired);
  return true;
}

/**
 * Settles what a dead process left. Calls that had started are lost, unless their tools may run twice or an agent runs
 * them on a child thread, which resumes. Calls that had not started may still start. A partly streamed turn is discarded.
 */
export function settleCrash(
  journal: ThreadJournal,
  setup: Setup,
  owner: string,
): Readonly<Record<"lost" | "again", number>> {
  const { turn, run, isAsking } = journal.ledger();
  const started = turn?.calls.filter(({ state }) => state === "running") ?? [];
  const mayStartAgain = (call: LedgerCall): boolean =>
    setup.tools.get(call.name)?.idempotent === true || childAgentOf(setup, call) !== undefined;
  const again = started.filter(mayStartAgain).map(({ id }) => id);
  const lost = started.map(({ id }) => id).filter((id) => !again.includes(id));
  if (again.length > 0) journal.apply({ type: "reclaim", ids: again, hasBegun: true });
  if (lost.length > 0) journal.apply({ type: "close", how: "crashed", at: setup.now(), ids: lost });
  emitEnds({ journal, setup }, lost);
  const error = new UndangleError("run/crashed", { owner });
  if (isAsking)
    journal.events.emitOnSave({ type: "model_discarded", data: { reason: errorText(error, setup.language) } });
  const used = usageIn(journal);
  journal.apply({ type: "finish" });
  if (run !== undefined)
    journal.events.emitOnSave({
      type: "run_end",
      data: endData(run.id, { status: "failed", error, ...used }, setup.language),
    });
  return { lost: lost.length, again: again.length };
}
