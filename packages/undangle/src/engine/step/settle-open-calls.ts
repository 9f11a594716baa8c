import type { Closing } from "../ledger/ledger.ts";
import { noteEnds, openIds } from "../journal/call-events.ts";
import { applyEnds } from "./collect-results.ts";
import type { Session } from "../run/session.ts";

/** Settles every open call of a run. Calls that have just finished keep their results. */
export function settleOpen(session: Session, how: Closing): void {
  const { journal, running } = session;
  applyEnds(session);
  const ids = openIds(journal);
  if (ids.length > 0) {
    journal.apply({ type: "close", how });
    noteEnds(session, ids);
  }
  for (const each of running.values()) each.abort();
}
