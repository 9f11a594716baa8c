import type { Means } from "../dialect.ts";
import type { Call, ResultEntry } from "../history.ts";
import { shorten } from "./describe.ts";
import { createSayings, sayTheSame } from "./duplicates.ts";
import type { Placed } from "./match-block.ts";
import type { Leftover, Turn } from "./turns.ts";

/**
 * With optional ids: matches calls and results of a turn by name and order, if not both have ids. Returns unmatched
 * results.
 */
export function matchNames(
  turn: Turn,
  unmatched: readonly Placed[],
  { extras, means }: { readonly extras: Map<Call, ResultEntry[]>; readonly means: Means },
): readonly Placed[] {
  const left = matchPlaces(turn, unmatched);
  if (left.length === 0) return left;
  const open = openCalls(turn.calls);
  const isBareFirst = doIdsTell(turn, left);
  let last = -1;
  const rest = left.filter(({ result }) => {
    const lanes = lanesOf(open, result, last);
    const found = isBareFirst ? (takeFirst(lanes.slice(0, 1)) ?? takeFirst(lanes)) : takeFirst(lanes);
    if (found === undefined) return true;
    found.call.result = result;
    if (found.index < last && means.dialect.namesTell !== true) reportPlace(found.call, result, turn, means);
    last = Math.max(last, found.index);
    return false;
  });
  return rest.length === 0 ? rest : withoutCopies(turn, rest, extras, means);
}

/** With as many results as calls: results in the position of a call with their name belong to it. */
function matchPlaces({ calls, end, blockEnd }: Turn, unmatched: readonly Placed[]): readonly Placed[] {
  if (blockEnd - end !== calls.length) return unmatched;
  return unmatched.filter(({ result, index }) => {
    const call = calls[index - end];
    if (call === undefined || call.result !== undefined || call.name !== result.name) return true;
    if (call.id !== "" && result.id !== "") return true;
    call.result = result;
    return false;
  });
}

interface Open {
  readonly call: Call;
  readonly index: number;
}

/** The calls of a name without a result, the next one last, and those that later results skipped. */
interface Lane {
  readonly ahead: Open[];
  readonly passed: Open[];
}

/** The calls without a result by name, those without an id apart. */
interface OpenCalls {
  readonly bare: Map<string, Lane>;
  readonly named: Map<string, Lane>;
}

function openCalls(calls: readonly Call[]): OpenCalls {
  const open: OpenCalls = { bare: new Map(), named: new Map() };
  for (let index = calls.length - 1; index >= 0; index--) {
    const call = calls[index];
    if (call === undefined || call.result !== undefined || call.name === "") continue;
    const table = call.id === "" ? open.bare : open.named;
    const lane = table.get(call.name);
    if (lane === undefined) table.set(call.name, { ahead: [{ call, index }], passed: [] });
    else lane.ahead.push({ call, index });
  }
  return open;
}

/** The calls that a result may belong to: those of its name, if not both have ids; those without an id first. */
function lanesOf({ bare, named }: OpenCalls, { id, name }: ResultEntry, last: number): readonly (Lane | undefined)[] {
  const lanes = [bare.get(name), id === "" ? named.get(name) : undefined];
  for (const lane of lanes) {
    if (lane === undefined) continue;
    const { ahead, passed } = lane;
    for (let next = ahead.at(-1); next !== undefined && next.index < last; next = ahead.at(-1)) {
      passed.push(next);
      ahead.pop();
    }
  }
  return lanes;
}

/** Takes the first remaining call, otherwise the first skipped call. */
function takeFirst([one, other]: readonly (Lane | undefined)[]): Open | undefined {
  return takeFrom(one?.ahead, other?.ahead) ?? takeFrom(one?.passed, other?.passed);
}

/** Takes the first of the calls at the ends of two lists. */
function takeFrom(one: Open[] | undefined, other: Open[] | undefined): Open | undefined {
  const isOne = (one?.at(-1)?.index ?? Infinity) < (other?.at(-1)?.index ?? Infinity);
  return isOne ? one?.pop() : other?.pop();
}

/** False if no result has an id and there are more results than calls without an id, so the client dropped the ids. */
function doIdsTell({ calls }: Turn, left: readonly Placed[]): boolean {
  if (left.some(({ result }) => result.id !== "") || calls.some(({ result }) => Boolean(result?.id))) return true;
  return left.length <= calls.filter((call) => call.id === "" && call.result === undefined).length;
}

/** Without ids the position pairs a result, so the block is put in call order. */
function reportPlace(call: Call, result: ResultEntry, turn: Turn, { dialect, journal }: Means): void {
  turn.edited = true;
  const from = dialect.from(result);
  const message = `The result of ${shorten(call.name)} is in the place of another call's result and has no id.`;
  journal.report({ rule: "mismatched-name", from, message, callId: call.id }, { type: "move", entry: result });
}

/** A second result of a name whose calls all have results is a copy if its content is the same. */
function withoutCopies(
  turn: Turn,
  rest: readonly Placed[],
  extras: Map<Call, ResultEntry[]>,
  means: Means,
): readonly Placed[] {
  const answered = answeredIn(turn);
  const sayingOf = createSayings(means);
  return rest.filter(({ result }) => {
    const call = result.id === "" ? answered.get(result.name) : undefined;
    if (call?.result === undefined || !sayTheSame(call, sayingOf(call.result), sayingOf(result))) return true;
    addExtra(call, result, turn, extras);
    return false;
  });
}

/** Remaining results with the name of a matched call and no contrary id are second results of it. */
export function matchDoubled(leftovers: readonly Leftover[], extras: Map<Call, ResultEntry[]>): readonly Leftover[] {
  const tables = new Map<Turn, ReadonlyMap<string, Call>>();
  return leftovers.filter(({ result, turn, inBlock }) => {
    if (turn === undefined || !inBlock || result.id !== "") return true;
    const answered = tables.get(turn) ?? answeredIn(turn);
    tables.set(turn, answered);
    const call = answered.get(result.name);
    if (call === undefined) return true;
    addExtra(call, result, turn, extras);
    return false;
  });
}

/** The last matched call of each name. */
function answeredIn({ calls }: Turn): ReadonlyMap<string, Call> {
  const answered = new Map<string, Call>();
  for (const call of calls) if (call.result !== undefined && call.name !== "") answered.set(call.name, call);
  return answered;
}

function addExtra(call: Call, result: ResultEntry, turn: Turn, extras: Map<Call, ResultEntry[]>): void {
  turn.edited = true;
  const others = extras.get(call);
  if (others === undefined) extras.set(call, [result]);
  else others.push(result);
}
