import type { AssistantEntry, Call, Entry, ResultEntry, SpanEntry } from "../history.ts";

/** An assistant turn with calls, and the block of results directly after it. */
export interface Turn {
  readonly assistants: readonly AssistantEntry[];
  calls: readonly Call[];
  /** The index after its assistant messages, where the block of results starts. */
  readonly end: number;
  /** The index after the block. */
  readonly blockEnd: number;
  /** The number of its last assistant messages that respond to its results. */
  answers: number;
  /** True if the block changes. Its results are then put in call order. */
  edited: boolean;
  /** The index of the first later entry that is neither user content nor a result; cached. */
  next: number | undefined;
}

/** A result outside any block, or without a match in its block. */
export interface Leftover {
  readonly result: ResultEntry;
  readonly index: number;
  /** The last turn before it; its own turn if `inBlock` is true. */
  readonly turn: Turn | undefined;
  readonly inBlock: boolean;
}

/** Calls `visit` for each turn, each result outside a block, and each span, in order. */
export function eachTurn(
  entries: readonly Entry[],
  mergesTurns: boolean,
  visit: { turn(turn: Turn): void; loose(result: ResultEntry, index: number): void; span(span: SpanEntry): void },
): void {
  for (let i = 0; i < entries.length;) {
    const entry = entries[i];
    if (entry?.role === "result") visit.loose(entry, i);
    else if (entry?.role === "span") visit.span(entry);
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

/** The role after the block of a turn, without system messages and results. */
export function following(entries: readonly Entry[], { blockEnd }: Turn): "user" | "assistant" | undefined {
  for (let i = blockEnd; i < entries.length; i++) {
    const entry = entries[i];
    const role = entry?.role === "span" ? entry.first : entry?.role;
    if (role === "user" || role === "assistant") return role;
  }
  return undefined;
}
