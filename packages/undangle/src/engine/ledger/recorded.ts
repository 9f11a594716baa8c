import type { LedgerCall } from "./call.ts";
import type { Entry, Recorded } from "./entry.ts";
import type { ImportEnding, LedgerAction, LedgerEvent } from "./ledger.ts";

/** The entries that are not retracted. */
export function notRetracted(recorded: readonly Recorded[]): readonly Recorded[] {
  if (!recorded.some(({ entry }) => entry.type === "retract")) return recorded;
  const restored = new Set(recorded.map(({ entry }) => (entry.type === "restore" ? entry.retraction : undefined)));
  const left: { readonly number: number; readonly each: Recorded }[] = [];
  recorded.forEach((each, number) => {
    const { entry } = each;
    if (entry.type === "restore" || (entry.type === "retract" && restored.has(number))) return;
    if (entry.type !== "retract") left.push({ number, each });
    else while (left.length > 0 && (left.at(-1)?.number ?? 0) >= entry.from) left.pop();
  });
  return left.map(({ each }) => each);
}

/**
 * The calls without a result at the end of an imported history; undefined if there are none. `repair` reports them as
 * interrupted, or as superseded if a user message follows. A thread does the same, so it needs the next message first.
 */
export function importEndingOf(recorded: readonly Recorded[], first = 0): ImportEnding | undefined {
  const last = notRetracted(recorded).findLast(isInputOrTurn);
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
export const isInputOrTurn = ({ entry }: Recorded): boolean => entry.type === "input" || entry.type === "answer";

const isInterrupted = ({ state, outcome }: LedgerCall): boolean =>
  state === "lost" && outcome?.type === "notice" && outcome.cause === "interrupted";

/**
 * The retraction of the last turn, for another response. Nothing if that turn had effects or decisions, which stay;
 * undefined without any message.
 */
export function retraction(recorded: readonly Recorded[], at: number): readonly LedgerEvent[] | undefined {
  const left = notRetracted(recorded);
  const last = left.findLast(isInputOrTurn);
  if (last === undefined) return undefined;
  if (last.entry.type !== "answer" || last.calls.some(hasConsequence)) return [];
  const isFirst = left.every(
    ({ entry }) => entry === last.entry || entry.type === "system" || entry.type === "original",
  );
  if (isFirst) return undefined; // no message would remain for the model to respond to
  const entry = { type: "retract" as const, from: recorded.indexOf(last), at };
  return [{ ...entry, ending: importEndingOf([...recorded, { entry, calls: [] }]) }];
}

/** Restores the last retracted turn, if no other turn has replaced it. */
export function restoration(
  recorded: readonly Recorded[],
  at: number,
): Extract<LedgerEvent, { type: "restore" }> | undefined {
  const retraction = recorded.findLastIndex(({ entry }) => changesTurns.has(entry.type));
  const entry = recorded[retraction]?.entry;
  if (entry?.type !== "retract") return undefined;
  const hasMessage = recorded.slice(retraction).some(({ entry: { type } }) => type === "input");
  const hasCalls = recorded[entry.from]?.calls.length !== 0; // the model has not seen their results
  const restore = { type: "restore" as const, retraction, at };
  const ending = importEndingOf([...recorded, { entry: restore, calls: [] }]);
  return { ...restore, from: entry.from, isAsking: hasMessage || hasCalls, ending };
}

/** The entries that change which turns the model receives. */
export const changesTurns: ReadonlySet<Entry["type"]> = new Set(["answer", "retract", "restore"]);

const hasConsequence = ({ attempts, decision, outcome }: LedgerCall): boolean =>
  attempts > 0 || decision !== undefined || outcome?.type === "result";
