import type { LedgerCall } from "../ledger/call.ts";
import type { Entry } from "../ledger/entry.ts";
import { importEndingOf } from "../ledger/import-ending.ts";
import type { LedgerEvent } from "../ledger/ledger.ts";
import type { Recorded } from "../ledger/project.ts";
import { standing } from "../ledger/project.ts";
import type { ThreadJournal } from "../journal/thread-journal.ts";

/**
 * The retraction of the last turn, for another response. Nothing if that turn had effects or decisions, which stay;
 * undefined without any message.
 */
export function retraction(recorded: readonly Recorded[], at: number): readonly LedgerEvent[] | undefined {
  const left = standing(recorded);
  const last = left.findLast(({ entry }) => entry.type === "input" || entry.type === "answer");
  if (last === undefined) return undefined;
  if (last.entry.type !== "answer" || last.calls.some(hasConsequence)) return [];
  const isFirst = left.every(
    ({ entry }) => entry === last.entry || entry.type === "system" || entry.type === "original",
  );
  if (isFirst) return undefined; // no message would remain for the model to respond to
  const entry = { type: "retract" as const, from: recorded.indexOf(last), at };
  return [{ ...entry, ending: importEndingOf([...recorded, { entry, calls: [] }]) }];
}

/** Restores a retracted turn if the run that ends now has not replaced it. */
export function restoration(journal: ThreadJournal, at: number): Extract<LedgerEvent, { type: "restore" }> | undefined {
  if (journal.ledger().run?.steps !== 0) return undefined;
  const recorded = journal.recorded();
  const retraction = recorded.findLastIndex(({ entry }) => changesAnswers.has(entry.type));
  const entry = recorded[retraction]?.entry;
  if (entry?.type !== "retract") return undefined;
  const said = recorded.slice(retraction).some(({ entry: { type } }) => type === "input");
  const hasCalls = recorded[entry.from]?.calls.length !== 0; // the model has not seen their results
  const restore = { type: "restore" as const, retraction, at };
  const ending = importEndingOf([...recorded, { entry: restore, calls: [] }]);
  return { ...restore, from: entry.from, isAsking: said || hasCalls, ending };
}

/** The entries that change which turns the model receives. */
export const changesAnswers: ReadonlySet<Entry["type"]> = new Set(["answer", "retract", "restore"]);

const hasConsequence = ({ attempts, decision, outcome }: LedgerCall): boolean =>
  attempts > 0 || decision !== undefined || outcome?.type === "result";
