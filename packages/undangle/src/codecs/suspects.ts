import { isRecord, makeSpan } from "#core";
import type { Entry, SpanEntry, Unread } from "#core";

import type { Codec, Range, Reading } from "./codec.ts";

/** The suspects of a list as one history, with a span for each gap between them. */
export interface ReadSuspects {
  readonly entries: readonly Entry[];
  /** The messages of each span. */
  readonly gaps: ReadonlyMap<Entry, Gap>;
}

type Gap = Pick<Range, "start" | "end">;

const noGap: Gap = { start: 0, end: 0 };

/** Suspects without a message between them as one, because a message may depend on the one before it. */
export function joinNeighbours(suspects: readonly Range[]): readonly Range[] {
  const joined: Range[] = [];
  for (const suspect of suspects) {
    const before = joined.at(-1);
    if (before === undefined || before.end < suspect.start) joined.push(suspect);
    else joined[joined.length - 1] = { start: before.start, end: suspect.end, isOpen: false };
  }
  return joined;
}

/** Reads all suspects together, so that the rules see a late result with its call; undefined if the list is needed. */
export function readSuspects(
  list: readonly unknown[],
  suspects: readonly Range[],
  reading: Reading,
): ReadSuspects | undefined {
  const entries: Entry[] = [];
  const gaps = new Map<Entry, Gap>();
  const pass = (start: number, end: number): void => {
    if (start === end) return;
    const span = spanOf(list, { start, end }, reading);
    gaps.set(span, { start, end });
    entries.push(span);
  };
  let next = 0;
  for (const { start, end } of suspects) {
    pass(next, start);
    next = end;
    const read = reading.read(start, end);
    if (read === undefined) return undefined;
    for (const entry of read) entries.push(entry);
  }
  pass(next, list.length);
  const prepared = reading.prepare === undefined ? entries : reading.prepare(entries);
  return prepared && { entries: prepared, gaps };
}

function spanOf(list: readonly unknown[], { start, end }: Gap, reading: Reading): SpanEntry {
  for (let i = start; i < end; i++) {
    const speaker = reading.speakerOf(list[i]);
    if (speaker === "user" || speaker === "assistant") return makeSpan(speaker);
  }
  return makeSpan(undefined);
}

/** The messages of the gaps. They are searched when a rule asks for an id. */
export function createUnread(list: readonly unknown[], { gaps }: ReadSuspects, codec: Codec): Unread {
  const eachId = ({ start, end }: Gap, visit: (id: unknown) => void): void => {
    for (let i = start; i < end; i++) {
      const message = list[i];
      if (isRecord(message)) codec.eachCallId(message, visit);
    }
  };
  let ids: Set<unknown> | undefined;
  const allIds = (): Set<unknown> => {
    const found = new Set<unknown>();
    for (const gap of gaps.values()) eachId(gap, (id) => found.add(id));
    return found;
  };
  return {
    isNeeded: false,
    hasCallId: (id) => (ids ??= allIds()).has(id),
    hasCallIdOf(wanted) {
      let isFound = false;
      const look = (id: unknown): void => {
        isFound ||= typeof id === "string" && id !== "" && wanted.has(id);
      };
      for (const gap of gaps.values()) eachId(gap, look);
      return isFound;
    },
    hasCalls(span) {
      let isFound = false;
      eachId(gaps.get(span) ?? noGap, () => {
        isFound = true;
      });
      return isFound;
    },
  };
}

/**
 * True if every suspect still begins and ends with the same side. Otherwise its neighbours, which are not read, could
 * merge with it or with each other.
 */
export function hasSameEdges(before: readonly Entry[], after: readonly Entry[]): boolean {
  const edges = edgesOf(before);
  const others = edgesOf(after);
  return edges.length === others.length && edges.every((edge, i) => edge === others[i]);
}

/** The sides next to the spans, in order. A span that begins with a user message merges with nothing before it. */
function edgesOf(entries: readonly Entry[]): readonly string[] {
  const edges: string[] = [];
  entries.forEach((entry, i) => {
    if (entry.role !== "span") return;
    edges.push(entry.first === "user" ? "" : sideOf(entries[i - 1]), sideOf(entries[i + 1]));
  });
  return edges;
}

const sideOf = (entry: Entry | undefined): string => (entry?.role === "result" ? "user" : (entry?.role ?? ""));

/** The list with the suspects as repaired, and the messages of the gaps as they were. */
export function writeSuspects(
  list: readonly unknown[],
  settled: readonly Entry[],
  { gaps }: ReadSuspects,
  reading: Reading,
): readonly unknown[] {
  const written: unknown[] = [];
  let first = 0;
  settled.forEach((entry, i) => {
    const gap = gaps.get(entry);
    if (gap === undefined) return;
    if (first < i) reading.write(settled.slice(first, i), written);
    first = i + 1;
    for (let k = gap.start; k < gap.end; k++) written.push(list[k]);
  });
  if (first < settled.length) reading.write(settled.slice(first), written);
  return written;
}
