import type { Means } from "../dialect.ts";
import type { Entry, ResultEntry } from "../history.ts";
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
 * if nothing moves, and undefined if the result depends on unread messages.
 */
export function pair(entries: readonly Entry[], means: Means): readonly Entry[] | undefined {
  const matching = match(entries, means);
  if (needsUnread(matching, means)) return undefined;
  if (matching.uneven) {
    settleExtras(matching, means);
    settleRepeats(entries, matching, means);
  }
  const mint = createMint(entries, means);
  nameCalls(matching, means);
  if (means.dialect.profile.ids.optional === true) agreeOnIds(matching, mint, means);
  else identify(matching, mint, means);
  answerCalls(entries, matching, means);
  wrapArguments(matching, means);
  if (!matching.uneven) return entries;
  const orphanage = createOrphanage(entries, matching, mint, means);
  const rebuilt = rebuild(entries, matching, standing(matching, means), orphanage);
  return means.unread?.isNeeded === true ? undefined : rebuilt;
}

/**
 * True if the pairs depend on unread messages. These have all their results, so that only ids concern them: a result
 * without a call may repeat one of theirs, a call without a name may get the name of theirs, and an id may have to be
 * unique in the request. Without ids, any of their calls may be meant.
 */
function needsUnread({ turns, orphans }: Matching, { dialect, unread }: Means): boolean {
  if (unread === undefined) return false;
  const { optional = false, scope } = dialect.profile.ids;
  if (unread.isNeeded || (optional && orphans.size > 0)) return true;
  const ids = new Set<string>();
  for (const { id } of orphans) ids.add(id);
  for (const { calls } of turns) {
    for (const { id, name, result } of calls) {
      if (name === "" || scope === "request") ids.add(id);
      if (scope === "request" && result !== undefined) ids.add(result.id);
    }
  }
  return ids.size > 0 && unread.hasCallIdOf(ids);
}

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
