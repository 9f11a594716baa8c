import type { LedgerCall } from "../ledger/call.ts";
import { isSettled } from "../ledger/call.ts";
import type { Recorded } from "../ledger/project.ts";

/**
 * Entries for another thread. Pending calls are pending there too. Calls that run, or are about to, run only in the
 * original thread.
 */
export function copiedEntries(recorded: readonly Recorded[]): readonly Recorded[] {
  const last = recorded.at(-1);
  if (last === undefined || last.calls.every(isSettled)) return recorded;
  return [...recorded.slice(0, -1), { entry: last.entry, calls: last.calls.map(copied) }];
}

function copied(call: LedgerCall): LedgerCall {
  if (isSettled(call) || call.state === "awaiting") return call;
  if (call.attempts > 0) return { ...call, state: "lost", outcome: { type: "notice", cause: "interrupted" } };
  return { ...call, state: "stopped", outcome: { type: "notice", cause: "stopped" } };
}
