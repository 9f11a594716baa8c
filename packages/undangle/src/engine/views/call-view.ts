import { shownText } from "../arguments-text.ts";
import type { CallView } from "../events.ts";
import { isSettled } from "../ledger/call.ts";
import type { LedgerCall } from "../ledger/call.ts";
import { outcomeOf } from "../journal/call-events.ts";
import { readable, shownDecision, shownProposal } from "./decision-view.ts";

/** A call for display, in any state. */
export function callView(call: LedgerCall, language: "en" | "zh"): CallView {
  const { id, name, raw, state, allowance, proposed } = call;
  const decision = shownDecision(call);
  const { result, error } = isSettled(call) ? outcomeOf(call, language) : {};
  return {
    id,
    name,
    arguments: readable(raw),
    ...shownText(raw),
    status: state,
    ...(decision !== undefined && { decision }),
    ...shownProposal(proposed),
    ...(allowance !== undefined && { allowance: { ...allowance } }),
    ...(result !== undefined && { result }),
    ...(error !== undefined && { error }),
  };
}
