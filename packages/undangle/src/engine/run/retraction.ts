import type { LedgerCall } from "../ledger/call.ts";
import type { LedgerEvent } from "../ledger/ledger.ts";
import type { Recorded } from "../ledger/project.ts";
import { standing } from "../ledger/project.ts";

/**
 * What takes the last answer back, so that the model gives another: nothing where that answer has done something, or a person
 * has decided about it, for that stays true; undefined where nobody has said anything.
 */
export function retraction(recorded: readonly Recorded[], at: number): readonly LedgerEvent[] | undefined {
  const left = standing(recorded);
  const last = left.findLast(({ entry }) => entry.type === "input" || entry.type === "answer");
  if (last === undefined) return undefined;
  if (last.entry.type !== "answer" || last.calls.some(hasConsequence)) return [];
  const isFirst = left.every(
    ({ entry }) => entry === last.entry || entry.type === "system" || entry.type === "original",
  );
  if (isFirst) return undefined; // there would be nothing to answer
  return [{ type: "retract", from: recorded.indexOf(last), at }];
}

const hasConsequence = ({ attempts, decision, outcome }: LedgerCall): boolean =>
  attempts > 0 || decision !== undefined || outcome?.type === "result";
