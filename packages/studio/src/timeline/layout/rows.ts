import type { TraceSpan } from "undangle/client";

/** A line of the drawing. */
export interface Row {
  readonly span: TraceSpan;
  readonly depth: number;
  /** How many spans it contains, at any depth. */
  readonly inside: number;
  readonly isClosed: boolean;
}

/** The spans as a tree in the order of their start, and of the trace if they start together. Spans inside a closed one are left out. */
export function rowsOf(spans: readonly TraceSpan[], closed: ReadonlySet<string> = new Set()): readonly Row[] {
  const ids = new Set(spans.map(({ id }) => id));
  const children = Map.groupBy(spans.toSorted(byStart), ({ id, parent }) =>
    parent !== undefined && parent !== id && ids.has(parent) ? parent : undefined,
  );
  const rows: Row[] = [];
  const seen = new Set<TraceSpan>();
  /** Adds a span and what it contains. Returns how many spans were added, shown or not. */
  const add = (span: TraceSpan, depth: number, isShown: boolean): number => {
    seen.add(span);
    const place = rows.length;
    const isClosed = closed.has(span.id);
    if (isShown) rows.push({ span, depth, inside: 0, isClosed });
    let inside = 0;
    for (const child of children.get(span.id) ?? [])
      if (!seen.has(child)) inside += add(child, depth + 1, isShown && !isClosed);
    if (isShown) rows[place] = { span, depth, inside, isClosed };
    return inside + 1;
  };
  for (const span of children.get(undefined) ?? []) add(span, 0, true);
  for (const span of spans) if (!seen.has(span)) add(span, 0, true); // a file may contain spans that contain each other
  return rows;
}

const byStart = (one: TraceSpan, other: TraceSpan): number => one.start - other.start;

/** The time that a span took, or has taken so far. */
export const durationOf = ({ start, end }: Pick<TraceSpan, "start" | "end">, now: number): number =>
  Math.max(0, (end ?? now) - start);
