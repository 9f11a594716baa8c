import type { Means } from "../dialect.ts";
import type { Call, Entry, ResultEntry } from "../history.ts";
import { describeResult } from "./describe.ts";
import { eachTurn } from "./turns.ts";
import type { Leftover, Turn } from "./turns.ts";

/** Which result answers which call. Results that answer none are orphans; second results for a call are extras. */
export interface Matching {
  readonly turns: readonly Turn[];
  readonly orphans: Set<ResultEntry>;
  readonly extras: Map<Call, ResultEntry[]>;
  /** Something does not stand where it should. */
  readonly uneven: boolean;
}

/**
 * Pairs calls and results: by turn first, then by id, then by order. Ids restart every round with some models, and can be
 * missing, empty, doubled or reused, so an id alone never decides against the turn that a result stands in.
 */
export function match(entries: readonly Entry[], means: Means): Matching {
  const { dialect } = means;
  const turns: Turn[] = [];
  const extras = new Map<Call, ResultEntry[]>();
  const waiting = new Waiting();
  let leftovers: Leftover[] = [];
  let last: Turn | undefined;
  let uneven = false;
  const late = (leftover: Leftover): void => {
    const found = leftover.result.id === "" ? undefined : waiting.nearest(leftover.result.id);
    if (found === undefined) leftovers.push(leftover);
    else attach(found, leftover, "late");
  };
  const attach: Attach = ({ call, turn }, { result, index }, how) => {
    call.result = result;
    turn.edited ||= how !== "order";
    const notFirst = how === "late" && dialect.mergesTurns && index < nextAssistant(entries, turn);
    reportAttached({ call, result, how, notFirst }, means);
  };

  eachTurn(entries, dialect.mergesTurns, {
    turn(turn) {
      turns.push(turn);
      last = turn;
      if (answeredInOrder(entries, turn)) return;
      uneven = true;
      const unmatched = matchNameless(turn, matchBlock(entries, turn, extras));
      dropCopies(turn, means);
      for (const { result, index } of unmatched) late({ result, index, turn, inBlock: true });
      for (const call of turn.calls) if (call.result === undefined && call.id !== "") waiting.add(call, turn);
    },
    loose(result, index) {
      uneven = true;
      late({ result, index, turn: last, inBlock: false });
    },
  });
  if (leftovers.length > 0) leftovers = matchEarly(turns, leftovers, attach);
  if (leftovers.length > 0) leftovers = matchByOrder(leftovers, attach);
  return { turns, orphans: new Set(leftovers.map(({ result }) => result)), extras, uneven };
}

type How = "late" | "early" | "order" | "guess";
type Attach = (to: { readonly call: Call; readonly turn: Turn }, leftover: Leftover, how: How) => void;

/** The common case, decided without looking anything up: one result for each call, in the order of the calls. */
function answeredInOrder(entries: readonly Entry[], { calls, end, blockEnd }: Turn): boolean {
  if (blockEnd - end !== calls.length) return false;
  for (let i = 0; i < calls.length; i++) {
    const result = entries[end + i];
    const call = calls[i];
    if (result?.role !== "result" || call === undefined || call.id === "" || result.id !== call.id) return false;
  }
  for (let i = 0; i < calls.length; i++) {
    const call = calls[i];
    if (call !== undefined) call.result = entries[end + i] as ResultEntry; // checked above
  }
  return true;
}

/** Matches the results of a block by id; doubled ids are matched in order. Gives back the results that found no call. */
function matchBlock(
  entries: readonly Entry[],
  turn: Turn,
  extras: Map<Call, ResultEntry[]>,
): { result: ResultEntry; index: number }[] {
  const byId = new Map<string, { readonly calls: Call[]; next: number }>();
  for (const call of turn.calls) {
    if (call.id === "") continue;
    const same = byId.get(call.id);
    if (same === undefined) byId.set(call.id, { calls: [call], next: 0 });
    else same.calls.push(call);
  }
  const unmatched: { result: ResultEntry; index: number }[] = [];
  for (let index = turn.end; index < turn.blockEnd; index++) {
    const result = entries[index];
    if (result?.role !== "result") continue;
    const same = byId.get(result.id);
    const call = same?.calls[same.next];
    if (same !== undefined && call !== undefined) {
      call.result = result;
      same.next++;
      continue;
    }
    const answered = same?.calls.at(-1);
    if (answered === undefined) unmatched.push({ result, index });
    else {
      turn.edited = true;
      const others = extras.get(answered);
      if (others === undefined) extras.set(answered, [result]);
      else others.push(result);
    }
  }
  return unmatched;
}

/** Calls without an id are answered by the results of their own turn that answer nothing else, in order. */
function matchNameless(
  turn: Turn,
  unmatched: readonly { result: ResultEntry; index: number }[],
): readonly { result: ResultEntry; index: number }[] {
  const nameless = turn.calls.filter((call) => call.id === "");
  if (nameless.length === 0) return unmatched;
  return unmatched.filter(({ result }) => {
    const call = take(nameless, result.name);
    if (call !== undefined) call.result = result;
    return call === undefined;
  });
}

/** A call that stands twice in a turn, the same to the letter and with no result of its own, is a copy and goes. */
function dropCopies(turn: Turn, { dialect, journal }: Means): void {
  const first = new Map<string, Call>();
  const copies = new Set<Call>();
  for (const call of turn.calls) {
    const same = first.get(call.id);
    if (same === undefined) first.set(call.id, call);
    else if (call.id !== "" && call.result === undefined && isCopy(call, same)) copies.add(call);
  }
  if (copies.size === 0) return;
  for (const assistant of turn.assistants) {
    for (const call of assistant.calls) {
      if (!copies.has(call)) continue;
      journal.report(
        {
          rule: "duplicate-call-id",
          from: dialect.from(assistant, call),
          message: `The call ${call.id} stands twice in the same turn.`,
          callId: call.id,
        },
        { type: "remove", before: call.wire },
      );
      assistant.fresh = true;
    }
    assistant.calls = assistant.calls.filter((call) => !copies.has(call));
  }
  turn.calls = turn.calls.filter((call) => !copies.has(call));
  turn.edited = true;
}

function isCopy(a: Call, b: Call): boolean {
  return a.name === b.name && JSON.stringify(a.arguments) === JSON.stringify(b.arguments);
}

/** Calls without a result so far, by id, the latest on top. */
class Waiting {
  readonly #byId = new Map<string, { readonly call: Call; readonly turn: Turn }[]>();

  add(call: Call, turn: Turn): void {
    const stack = this.#byId.get(call.id);
    if (stack === undefined) this.#byId.set(call.id, [{ call, turn }]);
    else stack.push({ call, turn });
  }

  nearest(id: string): { readonly call: Call; readonly turn: Turn } | undefined {
    return this.#byId.get(id)?.pop();
  }
}

/** Results that stand before their call: the next call behind them that has their id and no result. */
function matchEarly(turns: readonly Turn[], leftovers: readonly Leftover[], attach: Attach): Leftover[] {
  const wanted = new Set(leftovers.map(({ result }) => result.id));
  const byId = new Map<string, { readonly found: { call: Call; turn: Turn }[]; next: number }>();
  for (const turn of turns) {
    for (const call of turn.calls) {
      if (call.id === "" || call.result !== undefined || !wanted.has(call.id)) continue;
      const same = byId.get(call.id);
      if (same === undefined) byId.set(call.id, { found: [{ call, turn }], next: 0 });
      else same.found.push({ call, turn });
    }
  }
  return leftovers.filter((leftover) => {
    const { result, index } = leftover;
    const same = byId.get(result.id);
    if (same === undefined) return true;
    while ((same.found[same.next]?.turn.end ?? Infinity) <= index) same.next++;
    const found = same.found[same.next++];
    if (found === undefined) return true;
    attach(found, leftover, "early");
    return false;
  });
}

/** Results and calls that lack an id are matched by their order in the turn; so are ids that lead nowhere on both sides. */
function matchByOrder(leftovers: readonly Leftover[], attach: Attach): Leftover[] {
  const open = new Map<Turn, { blank: Call[]; named: Call[] }>();
  const openOf = (turn: Turn): { blank: Call[]; named: Call[] } => {
    const known = open.get(turn);
    if (known !== undefined) return known;
    const unanswered = turn.calls.filter((call) => call.result === undefined);
    const split = {
      blank: unanswered.filter((call) => call.id === ""),
      named: unanswered.filter((call) => call.id !== ""),
    };
    open.set(turn, split);
    return split;
  };
  const foreign = new Map<Turn, Leftover[]>();
  const rest = leftovers.filter((leftover) => {
    const { result, turn, inBlock } = leftover;
    if (turn === undefined) return true;
    const calls = openOf(turn);
    const call = take(calls.blank, result.name) ?? (result.id === "" ? take(calls.named, result.name) : undefined);
    if (call !== undefined) {
      attach({ call, turn }, leftover, inBlock ? "order" : "late");
      return false;
    }
    if (inBlock && result.id !== "") {
      const others = foreign.get(turn);
      if (others === undefined) foreign.set(turn, [leftover]);
      else others.push(leftover);
    }
    return true;
  });
  const guessed = new Set<ResultEntry>();
  for (const [turn, results] of foreign) {
    const calls = openOf(turn).named;
    if (calls.length !== results.length || !namesAgree(calls, results)) continue;
    results.forEach((leftover, i) => {
      const call = calls[i];
      if (call === undefined) return;
      guessed.add(leftover.result);
      attach({ call, turn }, leftover, "guess");
    });
  }
  return rest.filter(({ result }) => !guessed.has(result));
}

/** Takes the first call with this name, or the first one where the result does not say whose it is. */
function take(calls: Call[], name: string): Call | undefined {
  const index =
    name === ""
      ? 0
      : Math.max(
          0,
          calls.findIndex((call) => call.name === name),
        );
  return calls.splice(index, 1)[0];
}

function namesAgree(calls: readonly Call[], results: readonly Leftover[]): boolean {
  return results.every(({ result }, i) => result.name === "" || result.name === calls[i]?.name);
}

interface Attached {
  readonly call: Call;
  readonly result: ResultEntry;
  readonly how: How;
  /** It stands in the turn behind its call, but other content stands before it. */
  readonly notFirst: boolean;
}

function reportAttached({ call, result, how, notFirst }: Attached, { dialect, journal }: Means): void {
  if (how === "order") return; // nothing moves: the missing id is reported where it is given one
  const from = dialect.from(result);
  const what = describeResult(result);
  const callId = result.id;
  if (how === "guess") {
    const message = `${what} answers no call of the turn before it; by its place it belongs to ${call.name} (${call.id}).`;
    journal.report(
      { rule: "orphan-result", from, message, callId },
      {
        type: "rename",
        entry: result,
        suffix: dialect.fields.resultId,
        before: result.id,
        after: call.id,
        reconstructed: true,
      },
    );
    result.id = call.id;
    result.fresh = true;
  } else if (how === "early") {
    const message = `${what} stands before the call that it answers.`;
    journal.report({ rule: "early-result", from, message, callId }, { type: "move", entry: result });
  } else if (notFirst) {
    const message = `${what} stands behind other content of its turn; results come first.`;
    journal.report({ rule: "result-not-first", from, message, callId }, { type: "move", entry: result });
  } else {
    const message = `${what} is separated from the call that it answers.`;
    journal.report({ rule: "displaced-result", from, message, callId }, { type: "move", entry: result });
  }
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
