import type { Means } from "../dialect.ts";
import type { Entry, ResultEntry } from "../history.ts";
import { addId, hasId } from "../id-table.ts";
import type { IdTable } from "../id-table.ts";
import { acceptsId, acceptsName } from "../profile.ts";
import { answerCalls, wrapArguments } from "./answer.ts";
import { agreeOnIds } from "./agree-on-ids.ts";
import { settleExtras, settleRepeats } from "./duplicates.ts";
import { createMint, identify } from "./identify.ts";
import { match } from "./match.ts";
import type { Matching } from "./match.ts";
import { nameCalls } from "./names.ts";
import { createOrphanage } from "./orphans.ts";
import type { Orphanage } from "./orphans.ts";
import type { Turn } from "./turns.ts";

/**
 * Pairs every call with exactly one result, directly after its turn, under a valid id and name. Returns the same array
 * if nothing moves, and undefined if the messages of a span are needed.
 */
export function pair(entries: readonly Entry[], means: Means): readonly Entry[] | undefined {
  const matching = match(entries, means);
  if (means.spanIds !== undefined && needsWhole(matching, means)) return undefined;
  if (matching.uneven) {
    settleExtras(matching, means);
    settleRepeats(entries, matching, means);
  }
  const mint = createMint(entries, means.dialect);
  nameCalls(matching, means);
  if (means.dialect.profile.ids.optional === true) agreeOnIds(matching, mint, means);
  else identify(matching, mint, means);
  answerCalls(entries, matching, means);
  wrapArguments(matching, means);
  if (!matching.uneven) return entries;
  const orphanage = createOrphanage(entries, matching, mint, means);
  return rebuild(entries, matching, standing(matching, means), orphanage);
}

/** Results without a call, and calls that need a new id or name, require all other calls. */
function needsWhole({ turns, scattered }: Matching, { dialect, spanIds }: Means): boolean {
  if (scattered) return true;
  const { ids, names } = dialect.profile;
  for (const { calls } of turns) {
    const inTurn = ids.scope === "turn" && calls.length > 1 ? new Set<string>() : undefined;
    for (const { id, name } of calls) {
      if (!acceptsId(id, ids) || !acceptsName(name, names)) return true;
      if (id === "") continue; // the provider does not require one
      if (ids.scope === "turn" ? inTurn?.has(id) === true : isTaken(id, spanIds)) return true;
      inTurn?.add(id);
      if (ids.scope === "request" && spanIds !== undefined) addId(spanIds, id);
    }
  }
  return false;
}

const isTaken = (id: string, taken: IdTable | undefined): boolean => taken !== undefined && hasId(taken, id);

/** Results that validly stay apart from their call. */
function standing({ turns, apart }: Matching, { dialect }: Means): ReadonlySet<ResultEntry> {
  const stay = new Set<ResultEntry>();
  if (dialect.resultsAnywhere !== true) return stay;
  for (const { calls, edited } of turns) {
    for (const { result } of calls) if (result !== undefined && (!edited || apart.has(result))) stay.add(result);
  }
  return stay;
}

/** The history with each turn's results after it, and the remaining results placed. */
function rebuild(
  entries: readonly Entry[],
  { turns, orphans }: Matching,
  stay: ReadonlySet<ResultEntry>,
  orphanage: Orphanage,
): Entry[] {
  const rebuilt: Entry[] = [];
  const placed = new Set<Entry>();
  const place = (from: number, to: number): void => {
    for (let i = from; i < to; i++) {
      const entry = entries[i];
      if (entry?.role !== "result" || !orphans.has(entry) || placed.has(entry)) continue;
      placed.add(entry);
      for (const each of orphanage.place(entry, i)) rebuilt.push(each);
    }
  };
  let next = 0;
  let hasPlacedAll = false;
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i];
    if (entry === undefined) continue;
    if (entry.role === "result") {
      if (stay.has(entry)) rebuilt.push(entry);
      else place(i, i + 1);
      continue; // all other results are written after their calls
    }
    orphanage.seal();
    const turn = turns[next];
    // Open calls stay last in the history; unmatched results go before them.
    if (turn !== undefined && i === turn.end - turn.assistants.length && !hasPlacedAll && isLeftOpen(turn)) {
      place(turn.end, entries.length);
      hasPlacedAll = true;
    }
    orphanage.seal();
    rebuilt.push(entry);
    if (turn === undefined || turn.end - turn.answers !== i + 1) continue;
    next++;
    for (const result of resultsOf(turn, entries)) if (!stay.has(result)) rebuilt.push(result);
  }
  return rebuilt;
}

const isLeftOpen = ({ calls }: Turn): boolean => calls.some(({ result }) => result?.pending ?? result === undefined);

/** The results of a turn: in call order if the block was edited, otherwise in their order. */
function resultsOf(turn: Turn, entries: readonly Entry[]): readonly ResultEntry[] {
  const inCallOrder: ResultEntry[] = [];
  for (const { result } of turn.calls) if (result !== undefined) inCallOrder.push(result);
  if (turn.edited || inCallOrder.every((result, i) => entries[turn.end + i] === result)) {
    if (turn.edited) for (const result of inCallOrder) result.regrouped = true;
    return inCallOrder;
  }
  const mine = new Set<Entry>(inCallOrder);
  return entries.slice(turn.end, turn.blockEnd).filter((entry): entry is ResultEntry => mine.has(entry));
}
