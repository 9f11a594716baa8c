import type { Call, ResultEntry } from "../history.ts";
import type { Attach } from "./match.ts";
import type { Leftover, Turn } from "./turns.ts";

interface Open {
  readonly call: Call;
  readonly turn: Turn;
}

/** What a call and its result have in common; "" is nothing. */
interface Keys {
  of(side: Call | ResultEntry): string;
  /** False for two that have it in common and still do not belong together. */
  fit(call: Call, result: ResultEntry): boolean;
}

export const byId: Keys = { of: ({ id }) => id, fit: () => true };

/** Where ids are optional; two that carry different ones do not belong together. */
export const byName: Keys = { of: ({ name }) => name, fit: (call, result) => call.id === "" || result.id === "" };

/** Results that stand behind their call, but not in its block: the nearest call before them that has their key and no result. */
export function matchLate(
  turns: readonly Turn[],
  leftovers: readonly Leftover[],
  attach: Attach,
  keys: Keys,
): readonly Leftover[] {
  const waiting = new Map<string, Waiting>();
  let next = 0;
  return leftovers.filter((leftover) => {
    for (let turn = turns[next]; turn !== undefined && turn.end <= leftover.index; turn = turns[++next]) {
      for (const call of turn.calls.toReversed()) {
        const key = keys.of(call);
        if (call.result !== undefined || key === "") continue;
        const same = waiting.get(key) ?? { bare: [], named: [] };
        waiting.set(key, same);
        (call.id === "" ? same.bare : same.named).push({ call, turn });
      }
    }
    const found = takeLast(waiting.get(keys.of(leftover.result)), leftover.result, keys);
    if (found !== undefined) attach(found, leftover, "late");
    return found === undefined;
  });
}

/** The calls that wait for a result with the same key, without an id and with one: the latest turn on top, in its order. */
interface Waiting {
  readonly bare: Open[];
  readonly named: Open[];
}

/** Takes the first call that may belong to a result in the latest turn that has one; in a turn, one without an id. */
function takeLast(waiting: Waiting | undefined, result: ResultEntry, keys: Keys): Open | undefined {
  const tops = [waiting?.bare, waiting?.named].filter((stack) => {
    const top = stack?.at(-1);
    return top !== undefined && keys.fit(top.call, result);
  });
  const [one, other] = tops;
  const isOne = (one?.at(-1)?.turn.end ?? -1) >= (other?.at(-1)?.turn.end ?? -1);
  return isOne ? one?.pop() : other?.pop();
}

/** Results that stand before their call: the next call behind them that has their id and no result. */
export function matchEarly(
  turns: readonly Turn[],
  leftovers: readonly Leftover[],
  attach: Attach,
  keys: Keys,
): readonly Leftover[] {
  const wanted = new Set(leftovers.map(({ result }) => keys.of(result)));
  const open = new Map<string, { readonly found: Open[]; next: number }>();
  for (const turn of turns) {
    for (const call of bareFirst(turn.calls)) {
      const key = keys.of(call);
      if (key === "" || call.result !== undefined || !wanted.has(key)) continue;
      const same = open.get(key);
      if (same === undefined) open.set(key, { found: [{ call, turn }], next: 0 });
      else same.found.push({ call, turn });
    }
  }
  return leftovers.filter((leftover) => {
    const same = open.get(keys.of(leftover.result));
    if (same === undefined) return true;
    while ((same.found[same.next]?.turn.end ?? Infinity) <= leftover.index) same.next++;
    const found = same.found[same.next];
    if (found === undefined || !keys.fit(found.call, leftover.result)) return true;
    same.next++;
    attach(found, leftover, "early");
    return false;
  });
}

/** Calls without an id before the others: a result without one is theirs first. */
const bareFirst = (calls: readonly Call[]): readonly Call[] => [
  ...calls.filter(({ id }) => id === ""),
  ...calls.filter(({ id }) => id !== ""),
];
