import type { Means } from "../dialect.ts";
import type { Call, Entry, ResultEntry, SpanEntry } from "../history.ts";
import { countAnswers, reportAnswered } from "./spoken-answers.ts";
import { matchBlock, matchNameless } from "./match-block.ts";
import { byId, byName, matchEarly, matchLate } from "./match-elsewhere.ts";
import { matchDoubled, matchNames } from "./match-names.ts";
import { matchByOrder } from "./match-order.ts";
import { reportAttached } from "./report-attached.ts";
import type { How } from "./report-attached.ts";
import { eachTurn } from "./turns.ts";
import type { Leftover, Turn } from "./turns.ts";

/** The pairs of calls and results. Results without a call are orphans; second results are extras. */
export interface Matching {
  readonly turns: readonly Turn[];
  readonly orphans: Set<ResultEntry>;
  readonly extras: Map<Call, ResultEntry[]>;
  /** Results that are validly apart from the turn of their call. */
  readonly apart: ReadonlySet<ResultEntry>;
  /** True if something is out of place. */
  readonly uneven: boolean;
}

/** Pairs a result elsewhere with a call. */
export type Attach = (to: { readonly call: Call; readonly turn: Turn }, leftover: Leftover, how: How) => void;

/**
 * Pairs calls and results by turn, then by id, then by order. Some models restart ids every turn, and ids can be
 * missing, empty, duplicate or reused, so an id alone never overrides the turn of a result.
 */
export function match(entries: readonly Entry[], means: Means): Matching {
  const { mergesTurns, splitsUserTurns = false, resultsAnywhere = false, namesTell = false } = means.dialect;
  const { optional = false } = means.dialect.profile.ids;
  const turns: Turn[] = [];
  const extras = new Map<Call, ResultEntry[]>();
  const leftovers: Leftover[] = [];
  let last: Turn | undefined;
  let passed: SpanEntry[] = []; // since the last turn
  let uneven = false;
  eachTurn(entries, mergesTurns, {
    turn(turn) {
      turns.push(turn);
      last = turn;
      passed = [];
      turn.answers = countAnswers(entries, turn, means);
      const isAnswered = answeredInOrder(entries, turn, optional);
      uneven ||= !isAnswered || turn.answers > 0;
      if (isAnswered) return;
      const foreign = matchBlock(entries, turn, { extras, means });
      const unmatched = optional ? matchNames(turn, foreign, { extras, means }) : matchNameless(turn, foreign);
      for (const { result, index } of unmatched) leftovers.push({ result, index, turn, inBlock: true });
    },
    loose(result, index) {
      uneven = true;
      if (passed.some((span) => means.unread?.hasCalls(span))) last = undefined; // their last turn has all its results
      passed = [];
      leftovers.push({ result, index, turn: last, inBlock: false });
    },
    span(span) {
      passed.push(span);
    },
  });
  const apart = new Set<ResultEntry>();
  const attach: Attach = ({ call, turn }, { result, index }, how) => {
    call.result = result;
    if (how === "late" && resultsAnywhere) {
      apart.add(result);
      return;
    }
    if (how === "order" && optional) result.isByPlace = true;
    turn.edited ||= how !== "order" || (optional && !namesTell); // without an id, only its position pairs a result
    const notFirst = how === "late" && mergesTurns && !splitsUserTurns && index < nextAssistant(entries, turn);
    reportAttached({ call, result, how, notFirst }, means);
  };
  const orphans = new Set<ResultEntry>();
  if (leftovers.length > 0) {
    let left: readonly Leftover[] = leftovers;
    for (const keys of optional ? [byId, byName] : [byId]) {
      if (left.length > 0) left = matchLate(turns, left, attach, keys);
      if (left.length > 0) left = matchEarly(turns, left, attach, keys);
    }
    if (optional && left.length > 0) left = matchDoubled(left, extras);
    if (left.length > 0) left = matchByOrder(left, attach, { turns, means });
    for (const { result } of left) orphans.add(result);
  }
  for (const turn of turns) if (turn.answers > 0) reportAnswered(entries, turn, means);
  return { turns, orphans, extras, apart, uneven };
}

/** The common case without a lookup: one result per call, in call order. */
function answeredInOrder(entries: readonly Entry[], { calls, end, blockEnd }: Turn, optional: boolean): boolean {
  if (blockEnd - end !== calls.length) return false;
  let isBare = optional; // no result has an id, or no call has one
  let isBareCall = optional;
  for (let i = 0; i < calls.length; i++) {
    const result = entries[end + i];
    const call = calls[i];
    if (result?.role !== "result" || call === undefined) return false;
    isBare &&= result.id === "";
    isBareCall &&= call.id === "";
    if (optional ? result.name !== call.name : call.id === "") return false;
    if (result.id !== call.id && !isBare && !isBareCall) return false;
  }
  for (let i = 0; i < calls.length; i++) {
    const call = calls[i];
    if (call !== undefined) call.result = entries[end + i] as ResultEntry; // checked above
  }
  return true;
}

/** The index of the first assistant entry after a turn. Everything before it is one user turn. */
function nextAssistant(entries: readonly Entry[], turn: Turn): number {
  if (turn.next === undefined) {
    let next = turn.blockEnd;
    while (next < entries.length && (entries[next]?.role === "user" || entries[next]?.role === "result")) next++;
    turn.next = next;
  }
  return turn.next;
}
