import type { Means } from "../dialect.ts";
import type { Entry } from "../history.ts";
import { reportAttached } from "./report-attached.ts";
import { following } from "./turns.ts";
import type { Turn } from "./turns.ts";

/**
 * With merged turns: the number of assistant messages at the end that make no calls and respond to late results. They
 * count only if a user message follows; otherwise they are text beside the calls.
 */
export function countAnswers(entries: readonly Entry[], turn: Turn, { dialect }: Means): number {
  const { assistants } = turn;
  if (assistants.length < 2 || dialect.isSpoken === undefined) return 0;
  const spoken = assistants.slice(assistants.findLastIndex(({ calls }) => calls.length > 0) + 1);
  return spoken.length > 0 && spoken.every(dialect.isSpoken) && isHeard(entries, turn) ? spoken.length : 0;
}

/** True if a user message without results follows. */
function isHeard(entries: readonly Entry[], turn: Turn): boolean {
  const source = entries[turn.blockEnd]?.source;
  if (source !== undefined && source === entries[turn.blockEnd - 1]?.source) return false;
  return following(entries, turn) === "user";
}

/** Reports results that arrived after the response to them. */
export function reportAnswered(entries: readonly Entry[], { calls, end, blockEnd }: Turn, means: Means): void {
  const block = new Set<Entry>(entries.slice(end, blockEnd));
  for (const call of calls) {
    const { result } = call;
    if (result !== undefined && block.has(result)) {
      reportAttached({ call, result, how: "late", notFirst: false }, means);
    }
  }
}
