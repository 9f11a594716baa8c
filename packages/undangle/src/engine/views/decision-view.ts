import { readArguments } from "../arguments-text.ts";
import type { ProposedCall, ShownDecision } from "../events.ts";
import type { CallText, LedgerCall } from "../ledger/call.ts";

/** The decision about a call, for display. */
export function shownDecision({ decision }: LedgerCall): ShownDecision | undefined {
  if (decision === undefined) return undefined;
  const { type, at, by, reason, proposed, always } = decision;
  return {
    type,
    at,
    ...(by !== undefined && { by }),
    ...(reason !== undefined && { reason }),
    ...shownProposal(proposed),
    ...(always !== undefined && { always: { ...always } }),
  };
}

/** The original call, if something else runs. */
export const shownProposal = (proposed: CallText | undefined): { readonly proposed?: ProposedCall } =>
  proposed === undefined ? {} : { proposed: { name: proposed.name, arguments: readable(proposed.raw) } };

/** Parsed arguments, or their text if they are invalid. */
export function readable(raw: string): unknown {
  try {
    const { value, isFinite } = readArguments(raw);
    return isFinite ? value : raw;
  } catch {
    return raw; // such a call never runs
  }
}
