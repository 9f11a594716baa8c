import type { Means } from "../dialect.ts";
import type { Entry } from "../history.ts";
import { reportAttached } from "./report-attached.ts";
import { following } from "./turns.ts";
import type { Turn } from "./turns.ts";

/**
 * Where consecutive assistant messages are one turn: how many at the end of it make no call and are what the assistant said
 * to the results, which came late. That is so when the user speaks next: where the assistant goes on, or is to go on, it
 * has not answered yet, and they are words that it said while calling.
 */
export function countAnswers(entries: readonly Entry[], turn: Turn, { dialect }: Means): number {
  const { assistants } = turn;
  if (assistants.length < 2 || dialect.isSpoken === undefined) return 0;
  const spoken = assistants.slice(assistants.findLastIndex(({ calls }) => calls.length > 0) + 1);
  return spoken.length > 0 && spoken.every(dialect.isSpoken) && isHeard(entries, turn) ? spoken.length : 0;
}

/** True when the user speaks next, in a message that does not hold the results as well. */
function isHeard(entries: readonly Entry[], turn: Turn): boolean {
  const source = entries[turn.blockEnd]?.source;
  if (source !== undefined && source === entries[turn.blockEnd - 1]?.source) return false;
  return following(entries, turn) === "user";
}

/** Says which results stood behind the answer to them. */
export function reportAnswered(entries: readonly Entry[], { calls, end, blockEnd }: Turn, means: Means): void {
  const block = new Set<Entry>(entries.slice(end, blockEnd));
  for (const call of calls) {
    const { result } = call;
    if (result !== undefined && block.has(result)) {
      reportAttached({ call, result, how: "late", notFirst: false }, means);
    }
  }
}
