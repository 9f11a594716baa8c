import type { Call, ResultEntry } from "../history.ts";
import type { Attach } from "./match.ts";
import type { Leftover, Turn } from "./turns.ts";

/** The calls of a turn that have no result, apart by whether they have an id. */
interface Open {
  readonly nameless: Call[];
  readonly named: Call[];
}

/** Results and calls that lack an id are matched by their order in the turn; ids that were changed on the way, by what is left of them. */
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
    for (const leftover of results) {
      const call = named.find((one) => one.result === undefined && areRelated(one.id, leftover.result.id));
      if (call === undefined) continue;
      guessed.add(leftover.result);
      attach({ call, turn }, leftover, "guess");
    }
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

/**
 * True when one id was made of the other on the way: by replacing characters, by joining it with another, by cutting it.
 * Ids that merely stand in the same place are not: a result that names another call never answers this one.
 */
function areRelated(a: string, b: string): boolean {
  const [bareA, bareB] = [bare(a), bare(b)];
  if (bareA === bareB || (a.split("|")[0] ?? a) === (b.split("|")[0] ?? b)) return true;
  const [short, long] = bareA.length < bareB.length ? [bareA, bareB] : [bareB, bareA];
  return short.length >= 20 && long.startsWith(short);
}

const bare = (id: string): string => id.replaceAll(/[^a-zA-Z0-9]/g, "");
