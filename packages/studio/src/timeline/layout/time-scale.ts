import type { Trace, TraceSpan } from "undangle/client";

/** A part of the axis that is drawn shorter than it was: people were awaited, or there was nothing to do. */
export interface Break {
  readonly type: "wait" | "idle";
  readonly from: number;
  readonly to: number;
  /** Where it is drawn, from 0 to 1. */
  readonly left: number;
  readonly right: number;
}

/** Where times are drawn. Times are milliseconds of the clock, positions are from 0 to 1. */
export interface TimeScale {
  readonly start: number;
  readonly end: number;
  /** Milliseconds that the axis has room for: less than `end - start` if it is broken. */
  readonly length: number;
  readonly breaks: readonly Break[];
  /** The parts of the axis whose scale is the same, from left to right. */
  readonly stretches: readonly Stretch[];
  position(time: number): number;
}

interface Interval {
  readonly from: number;
  readonly to: number;
}

/** An interval in which no model and no tool ran. */
interface Quiet extends Interval {
  readonly type: Break["type"];
}

/** An interval of the clock and the milliseconds that it takes on the axis. */
interface Stretch extends Interval {
  /** Why it is drawn shorter than it was; undefined if it is not. */
  readonly broken?: Break["type"];
  readonly at: number;
  readonly length: number;
}

/** All breaks together are at most this part of the time in which something ran, and each at most 8 %. */
const shareOfBreaks = 0.3;
const shareOfBreak = 0.08;

/**
 * The axis of a trace. With `compress`, long times in which no model and no tool ran (waits for people, pauses between
 * runs) are drawn with one short width.
 */
export function scaleOf(
  { spans, marks }: Pick<Trace, "spans" | "marks">,
  { now, compress = false }: { readonly now: number; readonly compress?: boolean },
): TimeScale {
  const times = [...spans.flatMap(({ start, end }) => [start, end ?? now]), ...marks.map(({ at }) => at)];
  const start = times.reduce((least, time) => Math.min(least, time), Infinity);
  const end = times.reduce((most, time) => Math.max(most, time), -Infinity);
  if (times.length === 0) return drawn({ from: now, to: now }, [], 0);
  const whole = { from: start, to: end };
  if (!compress) return drawn(whole, [], 0);
  const quiet = typed(gapsOf(busyIntervals(spans, now), whole), waitsIn(spans, now));
  const busy = end - start - lengthOf(quiet);
  const width = busy > 0 ? busy * Math.min(shareOfBreak, shareOfBreaks / quiet.length) : 1_000;
  return drawn(
    whole,
    quiet.filter(({ from, to }) => to - from > Math.max(2_000, width * 2)),
    width,
  );
}

function drawn({ from: start, to: end }: Interval, broken: readonly Quiet[], width: number): TimeScale {
  const stretches: Stretch[] = [];
  let at = 0;
  let last = start;
  const add = (from: number, to: number, length: number, type?: Break["type"]): void => {
    if (to > from) stretches.push({ from, to, at, length, ...(type !== undefined && { broken: type }) });
    at += to > from ? length : 0;
    last = to;
  };
  for (const { from, to, type } of broken) {
    add(last, from, from - last);
    add(from, to, width, type);
  }
  add(last, end, end - last);
  const length = Math.max(1, at);
  const position = (time: number): number => {
    const found = stretches.findLast(({ from }) => from <= time) ?? stretches[0];
    if (found === undefined) return 0;
    const share = Math.min(1, Math.max(0, (time - found.from) / (found.to - found.from)));
    return (found.at + share * found.length) / length;
  };
  const breaks = stretches.flatMap(({ from, to, at: left, length: shown, broken: type }) =>
    type === undefined ? [] : [{ type, from, to, left: left / length, right: (left + shown) / length }],
  );
  return { start, end, length, breaks, stretches, position };
}

/** When people were awaited. */
const waitsIn = (spans: readonly TraceSpan[], now: number): readonly Interval[] =>
  joined(spans.filter(({ type }) => type === "wait").map(({ start, end }) => ({ from: start, to: end ?? now })));

/** Quiet intervals, cut where a wait begins or ends. */
const typed = (quiet: readonly Interval[], waits: readonly Interval[]): readonly Quiet[] =>
  quiet.flatMap((whole) => {
    const idle = gapsOf(waits, whole);
    return [
      ...idle.map((each) => ({ ...each, type: "idle" }) as const),
      ...gapsOf(idle, whole).map((each) => ({ ...each, type: "wait" }) as const),
    ].toSorted((one, other) => one.from - other.from);
  });

/** When models and tools ran. A tool does not run while its call waits, and a call with spans inside runs when they do. */
function busyIntervals(spans: readonly TraceSpan[], now: number): readonly Interval[] {
  const containers = new Set(spans.filter(({ type }) => type !== "wait").map(({ parent }) => parent));
  const waits = Map.groupBy(
    spans.filter(({ type }) => type === "wait"),
    callOf,
  );
  const running = spans.filter(({ type, id }) => type === "model" || (type === "call" && !containers.has(id)));
  return joined(
    running.flatMap((span) => {
      const whole = { from: span.start, to: span.end ?? now };
      const waited = span.type === "call" && span.call_id !== undefined ? (waits.get(callOf(span)) ?? []) : [];
      return gapsOf(
        waited.map(({ start, end }) => ({ from: start, to: end ?? now })),
        whole,
      );
    }),
  );
}

const callOf = ({ call_id: id, path = [] }: TraceSpan): string => JSON.stringify([...path, id]);

/** The time in which a thread ran, waited for people, and had nothing to do. Together they are the whole. */
export function idleTimeIn({ spans, totals, at }: Trace): { readonly idle: number; readonly whole: number } {
  const ends = spans.map(({ start, end }) => end ?? Math.max(start, at));
  const start = spans.reduce((least, span) => Math.min(least, span.start), Infinity);
  const last = ends.reduce((most, end) => Math.max(most, end), -Infinity);
  const active = totals.runs + totals.waits;
  const whole = Math.max(active, spans.length === 0 ? 0 : last - start);
  return { idle: whole - active, whole };
}

/** What is left of an interval without others. */
function gapsOf(others: readonly Interval[], { from, to }: Interval): readonly Interval[] {
  const gaps: Interval[] = [];
  let last = from;
  for (const other of joined(others)) {
    if (other.from > last && other.from <= to) gaps.push({ from: last, to: other.from });
    last = Math.max(last, other.to);
  }
  if (last < to) gaps.push({ from: last, to });
  return gaps;
}

/** Intervals that overlap become one. */
function joined(intervals: readonly Interval[]): readonly Interval[] {
  const result: Interval[] = [];
  for (const next of intervals.toSorted((one, other) => one.from - other.from)) {
    const last = result.at(-1);
    if (last !== undefined && next.from <= last.to)
      result[result.length - 1] = { from: last.from, to: Math.max(last.to, next.to) };
    else result.push(next);
  }
  return result;
}

const lengthOf = (intervals: readonly Interval[]): number =>
  intervals.reduce((sum, { from, to }) => sum + (to - from), 0);
