import type { Means } from "../dialect.ts";
import type { Call, Entry, ResultEntry } from "../history.ts";
import { countAnswers, reportAnswered } from "./spoken-answers.ts";
import { matchBlock, matchNameless } from "./match-block.ts";
import { byId, byName, matchEarly, matchLate } from "./match-elsewhere.ts";
import { matchDoubled, matchNames } from "./match-names.ts";
import { matchByOrder } from "./match-order.ts";
import { reportAttached } from "./report-attached.ts";
import type { How } from "./report-attached.ts";
import { eachTurn } from "./turns.ts";
import type { Leftover, Turn } from "./turns.ts";

/** Which result answers which call. Results that answer none are orphans; second results for a call are extras. */
export interface Matching {
  readonly turns: readonly Turn[];
  readonly orphans: Set<ResultEntry>;
  readonly extras: Map<Call, ResultEntry[]>;
  /** Results that stand behind their call where the format lets them: apart from its turn. */
  readonly apart: ReadonlySet<ResultEntry>;
  /** Something does not stand where it should. */
  readonly uneven: boolean;
  /** Some results are not in the block of their call. */
  readonly scattered: boolean;
}

/** Says that a result which stands elsewhere answers this call. */
export type Attach = (to: { readonly call: Call; readonly turn: Turn }, leftover: Leftover, how: How) => void;

/**
 * Pairs calls and results: by turn first, then by id, then by order. Ids restart every round with some models, and can be
 * missing, empty, doubled or reused, so an id alone never decides against the turn that a result stands in.
 */
export function match(entries: readonly Entry[], means: Means): Matching {
  const { mergesTurns, splitsUserTurns = false, resultsAnywhere = false, namesTell = false } = means.dialect;
  const { optional = false } = means.dialect.profile.ids;
  const turns: Turn[] = [];
  const extras = new Map<Call, ResultEntry[]>();
  const leftovers: Leftover[] = [];
  let last: Turn | undefined;
  let uneven = false;
  eachTurn(entries, mergesTurns, {
    turn(turn) {
      turns.push(turn);
      last = turn;
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
      leftovers.push({ result, index, turn: last, inBlock: false });
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
    turn.edited ||= how !== "order" || (optional && !namesTell); // without an id, only its place tells whose a result is
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
  return { turns, orphans, extras, apart, uneven, scattered: leftovers.length > 0 };
}

/** The common case, decided without looking anything up: one result for each call, in the order of the calls. */
function answeredInOrder(entries: readonly Entry[], { calls, end, blockEnd }: Turn, optional: boolean): boolean {
  if (blockEnd - end !== calls.length) return false;
  let isBare = optional; // no result carries an id, or no call
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

/** Index of the first assistant entry behind a turn: up to there everything is one user turn. */
function nextAssistant(entries: readonly Entry[], turn: Turn): number {
  if (turn.next === undefined) {
    let next = turn.blockEnd;
    while (next < entries.length && (entries[next]?.role === "user" || entries[next]?.role === "result")) next++;
    turn.next = next;
  }
  return turn.next;
}
