import { isReady } from "../ledger/call.ts";
import type { LedgerCall } from "../ledger/call.ts";
import { firstDeadline } from "../journal/thread-head.ts";
import { saveEnds } from "./collect-results.ts";
import { executeCall } from "./run-tool.ts";
import { noteEnds, startOf } from "../journal/call-events.ts";
import { persist } from "../journal/retry-store.ts";
import type { Session } from "../run/session.ts";

/** Starts ready calls, and waits until something happens. The start of a call is saved before its tool runs. */
export async function callTools(session: Session): Promise<void> {
  const { journal, setup, running } = session;
  const ready = readyCalls(session);
  const starting = ready.slice(0, Math.max(0, setup.limits.parallel - running.size));
  if (starting.length > 0) {
    const ids = starting.map(({ id }) => id);
    journal.apply({ type: "start", ids });
    for (const call of starting) journal.note({ type: "tool_call_running", data: startOf(call, call.attempts + 1) });
    try {
      await persist(journal, setup);
    } catch (error) {
      journal.apply({ type: "reclaim", ids, hasBegun: false });
      throw error;
    }
    if (session.ending() !== undefined) {
      journal.apply({ type: "reclaim", ids, hasBegun: false });
      return;
    }
    for (const { id } of starting) {
      const call = journal.callOf(id);
      if (call?.state === "running") executeCall(session, call);
    }
    if (session.ended.length > 0) {
      await saveEnds(session);
      return;
    }
  } else if (running.size === 0) {
    await persist(journal, setup); // all remaining calls were settled
    return;
  }
  await wokenInTime(session);
}

/** The longest time between two readings of the clock, which may jump, in milliseconds. */
const longestWait = 60_000;

/** Resolves at the next `wake`, or when an approval expires. */
async function wokenInTime(session: Session): Promise<void> {
  const { journal, setup } = session;
  const deadline = firstDeadline(journal.ledger().turn?.calls ?? []);
  if (deadline === undefined) return session.woken();
  const wait = Math.min(Math.max(1, deadline - setup.now()), longestWait);
  const timer = setTimeout(session.wake, wait).unref();
  await session.woken();
  clearTimeout(timer);
  return undefined;
}

/** The calls that may start. Calls beyond the limit of the run are settled. */
function readyCalls(session: Session): readonly LedgerCall[] {
  const { journal, setup } = session;
  const { turn, run } = journal.ledger();
  const ready = turn?.calls.filter(isReady) ?? [];
  const left = setup.limits.calls - (run?.calls ?? 0);
  if (ready.length <= left) return ready;
  const ids = ready.slice(left).map(({ id }) => id);
  session.isOverCalls = true;
  journal.apply({ type: "close", how: "limit", ids });
  noteEnds({ journal, setup }, ids);
  return ready.slice(0, left);
}
