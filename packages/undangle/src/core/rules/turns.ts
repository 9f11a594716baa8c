import type { AssistantEntry, Call, Entry, ResultEntry } from "../history.ts";

/** An assistant turn that makes calls, and the block of results directly behind it. */
export interface Turn {
  readonly assistants: readonly AssistantEntry[];
  calls: readonly Call[];
  /** Index of the first entry behind its assistant messages: the block of results starts here. */
  readonly end: number;
  /** Index of the first entry behind the block. */
  readonly blockEnd: number;
  /** How many of its assistant messages, the last ones, are the answer to its results and stand behind them. */
  answers: number;
  /** Something about the block changes: its results are then put in call order. */
  edited: boolean;
  /** Index of the first entry behind it that is neither user content nor a result, once somebody asked. */
  next: number | undefined;
}

/** A result that stands in no block, or that nothing in its block asked for. */
export interface Leftover {
  readonly result: ResultEntry;
  readonly index: number;
  /** The last turn before it; the one whose block it stands in, where `inBlock` says so. */
  readonly turn: Turn | undefined;
  readonly inBlock: boolean;
}

/** Reads the turns of a history and calls `visit` for each, and for each result that is in no turn's block, in order. */
export function eachTurn(
  entries: readonly Entry[],
  mergesTurns: boolean,
  visit: { turn(turn: Turn): void; loose(result: ResultEntry, index: number): void },
): void {
  for (let i = 0; i < entries.length;) {
    const entry = entries[i];
    if (entry?.role === "result") visit.loose(entry, i);
    if (entry?.role !== "assistant") {
      i++;
      continue;
    }
    const assistants = mergesTurns ? assistantsFrom(entries, i) : [entry];
    const end = i + assistants.length;
    const calls = assistants.length === 1 ? entry.calls : assistants.flatMap((assistant) => assistant.calls);
    let blockEnd = end;
    if (calls.length > 0) while (entries[blockEnd]?.role === "result") blockEnd++;
    if (calls.length > 0) visit.turn({ assistants, calls, end, blockEnd, answers: 0, edited: false, next: undefined });
    i = blockEnd;
  }
}

function assistantsFrom(entries: readonly Entry[], start: number): AssistantEntry[] {
  const found: AssistantEntry[] = [];
  for (let i = start; ; i++) {
    const entry = entries[i];
    if (entry?.role !== "assistant") return found;
    found.push(entry);
  }
}

/** Who speaks behind the block of a turn; system messages and results do not count. */
export function following(entries: readonly Entry[], { blockEnd }: Turn): "user" | "assistant" | undefined {
  for (let i = blockEnd; i < entries.length; i++) {
    const entry = entries[i];
    const role = entry?.role === "span" ? entry.first : entry?.role;
    if (role === "user" || role === "assistant") return role;
  }
  return undefined;
}
