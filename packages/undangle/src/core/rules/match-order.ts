import type { Call, ResultEntry } from "../history.ts";
import type { Attach } from "./match.ts";
import type { Leftover, Turn } from "./turns.ts";

/** The calls of a turn that have no result, apart by whether they have an id. */
interface Open {
  readonly nameless: Call[];
  readonly named: Call[];
}

/** Results and calls that lack an id are matched by their order in the turn; so are ids that lead nowhere on both sides. */
export function matchByOrder(leftovers: readonly Leftover[], attach: Attach): readonly Leftover[] {
  const open = new Map<Turn, Open>();
  const foreign = new Map<Turn, Leftover[]>();
  const rest = leftovers.filter((leftover) => {
    const { result, turn, inBlock } = leftover;
    if (turn === undefined) return true;
    const { nameless, named } = openOf(turn, open);
    const call = takeCall(nameless, result.name) ?? (result.id === "" ? takeCall(named, result.name) : undefined);
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
    const { named } = openOf(turn, open);
    if (named.length !== results.length || !namesAgree(named, results)) continue;
    results.forEach((leftover, i) => {
      const call = named[i];
      if (call === undefined) return;
      guessed.add(leftover.result);
      attach({ call, turn }, leftover, "guess");
    });
  }
  return rest.filter(({ result }) => !guessed.has(result));
}

function openOf(turn: Turn, open: Map<Turn, Open>): Open {
  const known = open.get(turn);
  if (known !== undefined) return known;
  const unanswered = turn.calls.filter((call) => call.result === undefined);
  const split = {
    nameless: unanswered.filter((call) => call.id === ""),
    named: unanswered.filter((call) => call.id !== ""),
  };
  open.set(turn, split);
  return split;
}

/** Takes the first call with this name, or the first one where the result does not say whose it is. */
export function takeCall(calls: Call[], name: string): Call | undefined {
  const named = name === "" ? 0 : calls.findIndex((call) => call.name === name);
  return calls.splice(Math.max(0, named), 1)[0];
}

function namesAgree(calls: readonly Call[], results: readonly Leftover[]): boolean {
  return results.every(({ result }, i) => result.name === "" || result.name === calls[i]?.name);
}
