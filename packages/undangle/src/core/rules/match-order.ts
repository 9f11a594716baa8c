import type { Call, ResultEntry } from "../history.ts";
import { createTaker } from "./taker.ts";
import type { Taker } from "./taker.ts";
import { createRelatives } from "./match-related.ts";
import type { Attach } from "./match.ts";
import type { Leftover, Turn } from "./turns.ts";

/** The calls of a turn that have no result, apart by whether they have an id. */
interface Open {
  readonly takeNameless: Taker<Call>;
  readonly takeNamed: Taker<Call>;
  readonly named: readonly Call[];
}

/**
 * Results and calls that lack an id are matched by their order in the turn; ids that were changed on the way, by what is
 * left of them. Where ids are optional, a result that stands elsewhere and names another tool answers nothing here, and
 * one in the block of a call of its name answers that call, whatever its id.
 */
export function matchByOrder(
  leftovers: readonly Leftover[],
  attach: Attach,
  { optional }: { readonly optional: boolean },
): readonly Leftover[] {
  const open = new Map<Turn, Open>();
  const foreign = new Map<Turn, Leftover[]>();
  const rest = leftovers.filter((leftover) => {
    const { result, turn, inBlock } = leftover;
    if (turn === undefined || (optional && !inBlock && result.name !== "")) return true;
    const { takeNameless, takeNamed } = openOf(turn, open);
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
  for (const [turn, results] of foreign) {
    const relatives = createRelatives(openOf(turn, open).named);
    const guess = (find: (result: ResultEntry) => Call | undefined): void => {
      for (const leftover of results) {
        const call = guessed.has(leftover.result) ? undefined : find(leftover.result);
        if (call === undefined) continue;
        guessed.add(leftover.result);
        attach({ call, turn }, leftover, "guess");
      }
    };
    guess(({ id }) => relatives.byId(id));
    if (optional) guess(({ name }) => relatives.byName(name));
  }
  return rest.filter(({ result }) => !guessed.has(result));
}

function openOf(turn: Turn, open: Map<Turn, Open>): Open {
  const known = open.get(turn);
  if (known !== undefined) return known;
  const unanswered = turn.calls.filter((call) => call.result === undefined);
  const named = unanswered.filter((call) => call.id !== "");
  const nameless = unanswered.filter((call) => call.id === "");
  const split = { takeNameless: createTaker(nameless), takeNamed: createTaker(named), named };
  open.set(turn, split);
  return split;
}
