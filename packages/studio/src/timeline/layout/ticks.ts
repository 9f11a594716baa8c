import type { TimeScale } from "./time-scale.ts";

export interface Tick {
  /** Milliseconds since the start of the axis. */
  readonly elapsed: number;
  /** From 0 to 1. */
  readonly position: number;
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** Distances of ticks that people read easily. */
const steps = [
  ...[0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 3, 6, 12].map((count) => count * hour),
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500].map((count) => count * day),
];

/** The least distance of two ticks, in pixels. */
const room = 96;

/** The distance of ticks on an axis of this width. */
export function stepOf({ length }: TimeScale, pixels: number): number {
  const least = (room / Math.max(1, pixels)) * length;
  return steps.find((step) => step >= least) ?? Math.ceil(least / (1000 * day)) * 1000 * day;
}

/** The ticks between two positions. Breaks have none. */
export function ticksOf(
  scale: TimeScale,
  { pixels, from = 0, to = 1 }: { readonly pixels: number; readonly from?: number; readonly to?: number },
): readonly Tick[] {
  const step = stepOf(scale, pixels);
  const ticks: Tick[] = [];
  let last = -Infinity;
  for (const { from: start, to: end, at, length } of scale.stretches) {
    if (length < end - start) continue;
    const positionOf = (time: number): number => (at + time - start) / scale.length;
    /** The clock at a position, if it is in this stretch. */
    const timeAt = (position: number): number => start + position * scale.length - at;
    const first = Math.ceil((Math.max(start, timeAt(from)) - scale.start) / step) * step;
    for (let elapsed = first; elapsed + scale.start <= Math.min(end, timeAt(to)); elapsed += step) {
      const position = positionOf(elapsed + scale.start);
      if ((position - last) * pixels < room / 2) continue; // just after a break
      ticks.push({ elapsed, position });
      last = position;
    }
  }
  return ticks;
}

export interface ElapsedForm {
  /** How exact it is, in milliseconds. */
  readonly step: number;
  /** The signs of seconds and of days. */
  readonly unit: string;
  readonly day: string;
}

/** Elapsed time as on a stopwatch: `0.2 s`, `1:05`, `3:00:00`, `1 d 2:00:00`. */
export function elapsedText(time: number, { step, unit, day: daySign }: ElapsedForm): string {
  const digits = step >= second ? 0 : step >= 100 ? 1 : step >= 10 ? 2 : 3;
  const exact = second / 10 ** digits;
  const elapsed = Math.round(time / exact) * exact; // first, so that no clock shows 1:60
  if (elapsed < minute) return `${(elapsed / second).toFixed(digits)} ${unit}`;
  const whole = Math.floor(elapsed / minute);
  const seconds = ((elapsed % minute) / second).toFixed(digits).padStart(digits === 0 ? 2 : digits + 3, "0");
  if (whole < 60) return `${whole}:${seconds}`;
  const days = Math.floor(elapsed / day);
  const clock = `${Math.floor(whole / 60) % 24}:${String(whole % 60).padStart(2, "0")}:${seconds}`;
  if (days === 0) return clock;
  return step >= day ? `${days} ${daySign}` : `${days} ${daySign} ${clock}`;
}
