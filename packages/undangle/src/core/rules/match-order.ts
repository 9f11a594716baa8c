import type { Means } from "../dialect.ts";
import type { Call, ResultEntry } from "../history.ts";
import { createTaker } from "./taker.ts";
import type { Taker } from "./taker.ts";
import { createRelatives } from "./match-related.ts";
import type { Attach } from "./match.ts";
import { createIsOther } from "./other-tools.ts";
import type { IsOther } from "./other-tools.ts";
import type { Leftover, Turn } from "./turns.ts";

/** The calls of a turn without a result, with and without an id. */
interface Open {
  readonly takeNameless: Taker<Call>;
  readonly takeNamed: Taker<Call>;
  readonly named: readonly Call[];
}

/**
 * Matches results and calls without ids by their order in the turn, and changed ids by the part that is still
 * recognizable. With optional ids, a named result elsewhere, or one of another tool, is not matched.
 */
export function matchByOrder(
  leftovers: readonly Leftover[],
  attach: Attach,
  { turns, means }: { readonly turns: readonly Turn[]; readonly means: Means },
): readonly Leftover[] {
  const { optional = false } = means.dialect.profile.ids;
  const isOther = optional ? createIsOther(turns, means) : undefined;
  const open = new Map<Turn, Open>();
  const foreign = new Map<Turn, Leftover[]>();
  const rest = leftovers.filter((leftover) => {
    const { result, turn, inBlock } = leftover;
    if (turn === undefined || (optional && !inBlock && result.name !== "")) return true;
    const { takeNameless, takeNamed } = openOf(turn, open, isOther);
    const call = takeNameless(result.name) ?? (result.id === "" ? takeNamed(result.name) : undefined);
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
  const areMadeUp = optional && foreign.size > 1 && !turns.some(agrees);
  if (areMadeUp && means.unread !== undefined) means.unread.isNeeded = true;
  for (const [turn, results] of foreign) {
    const relatives = createRelatives(openOf(turn, open, isOther).named);
    const guess = (find: (result: ResultEntry) => Call | undefined): void => {
      for (const leftover of results) {
        const call = guessed.has(leftover.result) ? undefined : find(leftover.result);
        if (call === undefined) continue;
        guessed.add(leftover.result);
        attach({ call, turn }, leftover, "guess");
      }
    };
    guess(({ id }) => relatives.byId(id));
    if (!optional) continue;
    guess(({ id, name }) => {
      const call = relatives.byName(name);
      return areMadeUp || isBlank(id) || isBlank(call?.id ?? "") ? call : undefined;
    });
  }
  return rest.filter(({ result }) => !guessed.has(result));
}

/**
 * True if a result of the turn has the id of its call. If no turn has one, and several have results with other ids, one
 * side generated its ids; a single such result may belong to a missing call.
 */
const agrees = ({ calls }: Turn): boolean => calls.some(({ id, result }) => id !== "" && result?.id === id);

const isBlank = (id: string): boolean => id.trim() === "";

function openOf(turn: Turn, open: Map<Turn, Open>, isOther: IsOther | undefined): Open {
  const known = open.get(turn);
  if (known !== undefined) return known;
  const unanswered = turn.calls.filter((call) => call.result === undefined);
  const named = unanswered.filter((call) => call.id !== "");
  const nameless = unanswered.filter((call) => call.id === "");
  const split = { takeNameless: createTaker(nameless, isOther), takeNamed: createTaker(named, isOther), named };
  open.set(turn, split);
  return split;
}
