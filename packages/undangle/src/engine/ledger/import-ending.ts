import type { LedgerCall } from "./call.ts";
import type { ImportEnding, LedgerAction } from "./ledger.ts";
import { standing } from "./project.ts";
import type { Recorded } from "./project.ts";

/**
 * The calls without a result at the end of an imported history; undefined if there are none. `repair` reports them as
 * interrupted, or as superseded if a user message follows. A thread does the same, so it needs the next message first.
 */
export function importEndingOf(recorded: readonly Recorded[], first = 0): ImportEnding | undefined {
  const last = standing(recorded).findLast(isSpoken);
  if (last?.entry.type !== "answer" || last.entry.model !== importedModel) return undefined;
  const calls = last.calls.flatMap((call, place) => (isInterrupted(call) ? [{ call, place }] : []));
  return calls.length === 0 ? undefined : { entry: first + recorded.indexOf(last), calls };
}

/** The model name of imported turns, which a history does not contain. */
export const importedModel = "imported";

/** A user message follows: the calls are superseded. */
export function supersede(ending: ImportEnding | undefined, actions: LedgerAction[]): void {
  if (ending === undefined) return;
  for (const { call, place } of ending.calls) {
    const superseded: LedgerCall = { ...call, outcome: { type: "notice", cause: "superseded" } };
    actions.push({ type: "save", call: superseded, entry: ending.entry, place });
  }
}

/** True for a message of a user or a turn of a model. */
export const isSpoken = ({ entry }: Recorded): boolean => entry.type === "input" || entry.type === "answer";

const isInterrupted = ({ state, outcome }: LedgerCall): boolean =>
  state === "lost" && outcome?.type === "notice" && outcome.cause === "interrupted";
