import type { ThreadTrace, TraceSpan } from "#engine";
import { expect } from "vitest";

/** What holds for every trace. Spans that last end when the totals were counted. */
export function expectTraceLaws({ at: now, spans, totals }: ThreadTrace): void {
  const byId = new Map(spans.map((span) => [span.id, span]));
  const endOf = ({ end }: TraceSpan): number => end ?? now;
  expect(byId.size).toBe(spans.length);
  spans.forEach((span, i) => {
    expect(endOf(span)).toBeGreaterThanOrEqual(span.start);
    const parent = span.parent === undefined ? undefined : byId.get(span.parent);
    if (span.parent === undefined) expect([span.type, span.path]).toEqual(["run", undefined]);
    else expect(parent).toBeDefined();
    if (parent === undefined) return;
    expect(spans.indexOf(parent)).toBeLessThan(i);
    expect(parent.type).toBe(span.type === "run" ? "call" : "run");
    expect(span.start).toBeGreaterThanOrEqual(parent.start);
    if (span.type === "wait") return; // goes on after its run
    if (parent.type === "call" && parent.status === "stopped") return; // its child thread is stopped a moment later
    expect([span.id, endOf(span)]).toEqual([span.id, Math.min(endOf(span), endOf(parent))]);
    if (parent.end !== null) expect([span.id, span.end]).not.toEqual([span.id, null]);
  });
  for (const path of new Set(spans.map((span) => span.path?.join("/")))) {
    const runs = spans.filter((span) => span.type === "run" && span.path?.join("/") === path);
    runs.forEach((run, i) =>
      expect(run.start).toBeGreaterThanOrEqual(endOf(runs[i - 1] ?? { ...run, end: run.start })),
    );
  }
  const measure = (fits: (span: TraceSpan) => boolean): number => {
    const ticks = new Set<number>();
    for (const span of spans.filter(fits)) for (let at = span.start; at < endOf(span); at++) ticks.add(at);
    return ticks.size;
  };
  const isOwn = ({ path }: TraceSpan): boolean => path === undefined;
  expect(totals.runs).toBe(measure((span) => isOwn(span) && span.type === "run"));
  expect(totals.runs + totals.waits).toBe(
    measure((span) => (isOwn(span) && span.type === "run") || span.type === "wait"),
  );
  expect(totals.tools).toBe(measure((span) => isOwn(span) && span.type === "call"));
  expect(totals.model + totals.tools).toBe(
    measure((span) => isOwn(span) && (span.type === "model" || span.type === "call")),
  );
  expect(totals.model + totals.tools).toBeLessThanOrEqual(totals.runs);
}
