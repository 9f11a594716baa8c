import type { Call } from "../history.ts";
import type { Attach } from "./match.ts";
import type { Leftover, Turn } from "./turns.ts";

interface Open {
  readonly call: Call;
  readonly turn: Turn;
}

/** Results that stand behind their call, but not in its block: the nearest call before them that has their id and no result. */
export function matchLate(turns: readonly Turn[], leftovers: readonly Leftover[], attach: Attach): readonly Leftover[] {
  const waiting = new Map<string, Open[]>(); // the latest on top
  let next = 0;
  return leftovers.filter((leftover) => {
    for (let turn = turns[next]; turn !== undefined && turn.end <= leftover.index; turn = turns[++next]) {
      for (const call of turn.calls) {
        if (call.result !== undefined || call.id === "") continue;
        const stack = waiting.get(call.id);
        if (stack === undefined) waiting.set(call.id, [{ call, turn }]);
        else stack.push({ call, turn });
      }
    }
    const found = leftover.result.id === "" ? undefined : waiting.get(leftover.result.id)?.pop();
    if (found !== undefined) attach(found, leftover, "late");
    return found === undefined;
  });
}

/** Results that stand before their call: the next call behind them that has their id and no result. */
export function matchEarly(
  turns: readonly Turn[],
  leftovers: readonly Leftover[],
  attach: Attach,
): readonly Leftover[] {
  const wanted = new Set(leftovers.map(({ result }) => result.id));
  const byId = new Map<string, { readonly found: Open[]; next: number }>();
  for (const turn of turns) {
    for (const call of turn.calls) {
      if (call.id === "" || call.result !== undefined || !wanted.has(call.id)) continue;
      const same = byId.get(call.id);
      if (same === undefined) byId.set(call.id, { found: [{ call, turn }], next: 0 });
      else same.found.push({ call, turn });
    }
  }
  return leftovers.filter((leftover) => {
    const same = byId.get(leftover.result.id);
    if (same === undefined) return true;
    while ((same.found[same.next]?.turn.end ?? Infinity) <= leftover.index) same.next++;
    const found = same.found[same.next++];
    if (found !== undefined) attach(found, leftover, "early");
    return found === undefined;
  });
}
