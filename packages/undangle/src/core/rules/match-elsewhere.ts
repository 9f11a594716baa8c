import type { Call, ResultEntry } from "../history.ts";
import type { Attach } from "./match.ts";
import type { Leftover, Turn } from "./turns.ts";

interface Open {
  readonly call: Call;
  readonly turn: Turn;
}

/** The common key of a call and its result. "" if there is none. */
interface Keys {
  of(side: Call | ResultEntry): string;
  /** False for a pair that shares the key but does not belong together. */
  fit(call: Call, result: ResultEntry): boolean;
}

export const byId: Keys = { of: ({ id }) => id, fit: () => true };

/** With optional ids: a pair with two different ids does not belong together. */
export const byName: Keys = { of: ({ name }) => name, fit: (call, result) => call.id === "" || result.id === "" };

/** Results after their call but outside its block: matched to the nearest earlier call with their key and no result. */
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

/** The calls that wait for a key, with and without an id, the latest turn on top. */
interface Waiting {
  readonly bare: Open[];
  readonly named: Open[];
}

/** Takes the first matching call of the latest turn with one; calls without an id come first. */
function takeLast(waiting: Waiting | undefined, result: ResultEntry, keys: Keys): Open | undefined {
  const tops = [waiting?.bare, waiting?.named].filter((stack) => {
    const top = stack?.at(-1);
    return top !== undefined && keys.fit(top.call, result);
  });
  const [one, other] = tops;
  const isOne = (one?.at(-1)?.turn.end ?? -1) >= (other?.at(-1)?.turn.end ?? -1);
  return isOne ? one?.pop() : other?.pop();
}

/** Results before their call: matched to the next call with their id and no result. */
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

/** Calls without an id first, because a result without an id belongs to them first. */
const bareFirst = (calls: readonly Call[]): readonly Call[] => [
  ...calls.filter(({ id }) => id === ""),
  ...calls.filter(({ id }) => id !== ""),
];
