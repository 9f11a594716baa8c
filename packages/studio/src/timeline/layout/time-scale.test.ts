import { describe, expect, test } from "vitest";

import { idleTimeIn, scaleOf } from "./time-scale.ts";
import { approvedTransfer, span, traceOf } from "../trace.fixture.ts";

const hour = 3_600_000;

describe("an axis that is not compressed", () => {
  const scale = scaleOf(approvedTransfer, { now: 0 });

  test("has the length of the trace and one scale", () => {
    expect(scale).toMatchObject({ start: 0, end: hour + 5_000, length: hour + 5_000, breaks: [] });
    expect(scale.position(0)).toBe(0);
    expect(scale.position(hour + 5_000)).toBe(1);
    expect(scale.position((hour + 5_000) / 4)).toBeCloseTo(0.25);
  });

  test("ends now while a span lasts", () => {
    expect(scaleOf(traceOf([span("a", { start: 10, end: null })]), { now: 4_010 }).length).toBe(4_000);
  });

  test("contains marks outside the spans, and draws times outside at its ends", () => {
    const marked = scaleOf(traceOf([span("a", { start: 10 })], [{ at: 0, type: "warning", message: "" }]), { now: 0 });
    expect([marked.start, marked.position(-5), marked.position(5_000)]).toEqual([0, 0, 1]);
  });

  test("of nothing, or of a moment, is still an axis", () => {
    expect(scaleOf(traceOf([]), { now: 7 }).position(7)).toBe(0);
    expect(scaleOf(traceOf([span("a", { start: 5, end: 5 })]), { now: 7 }).position(5)).toBe(0);
  });
});

test("runs, waits and idle time are the whole time", () => {
  const trace = traceOf([span("a", { start: 1_000, end: 2_000 }), span("b", { start: hour, end: null })]);
  const counted = { ...trace, at: hour + 3_000, totals: { ...trace.totals, runs: 4_000, waits: 50_000 } };
  expect(idleTimeIn(counted)).toEqual({ idle: hour + 2_000 - 54_000, whole: hour + 2_000 });
  expect(idleTimeIn({ ...counted, totals: { ...counted.totals, runs: 2 * hour } }).idle).toBe(0); // of a changed file
  expect(idleTimeIn(traceOf([]))).toEqual({ idle: 0, whole: 0 });
});

describe("a compressed axis", () => {
  const scale = scaleOf(approvedTransfer, { now: 0, compress: true });

  test("breaks where no model and no tool ran, and nowhere else", () => {
    expect(scale.breaks.map(({ from, to }) => [from, to])).toEqual([[2_000, hour]]);
    expect(scale.length).toBeLessThan(8_000);
  });

  test("keeps the scale of everything that ran", () => {
    const pixels = (from: number, to: number): number => scale.position(to) - scale.position(from);
    expect(pixels(0, 1_000)).toBeCloseTo(pixels(hour + 3_500, hour + 4_500));
    expect(pixels(0, 2_000)).toBeCloseTo(2 * pixels(hour + 3_000, hour + 4_000));
  });

  test("draws times in their order, and a break where its times are", () => {
    const times = [0, 1_000, 2_000, hour / 2, hour, hour + 1_000, hour + 5_000];
    const places = times.map((time) => scale.position(time));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(new Set(places).size).toBe(times.length);
    expect([scale.breaks[0]?.left, scale.breaks[0]?.right]).toEqual([scale.position(2_000), scale.position(hour)]);
  });

  test("does not break while a tool runs, however long it takes", () => {
    const long = traceOf([span("run", { type: "run", start: 0, end: hour }), span("tool", { start: 0, end: hour })]);
    expect(scaleOf(long, { now: 0, compress: true }).breaks).toEqual([]);
  });

  test("leaves most of its room to work of milliseconds", () => {
    const short = traceOf([span("a", { start: 0, end: 30 }), span("b", { type: "wait", start: 30, end: null })]);
    const { breaks } = scaleOf(short, { now: hour, compress: true });
    expect(breaks).toHaveLength(1);
    expect(breaks[0]?.left).toBeGreaterThan(0.9);
  });

  test("of a wait alone has a break", () => {
    const waiting = traceOf([span("wait", { type: "wait", start: 0, end: hour })]);
    expect(scaleOf(waiting, { now: 0, compress: true }).breaks).toHaveLength(1);
  });

  test("tells waits for people from idle time, also where one follows the other", () => {
    const trace = traceOf([
      span("a", { start: 0, end: 30_000 }),
      span("wait", { type: "wait", start: 30_000, end: hour }),
      span("b", { start: 3 * hour, end: 3 * hour + 30_000 }),
    ]);
    expect(scaleOf(trace, { now: 0, compress: true }).breaks.map(({ type, from, to }) => [type, from, to])).toEqual([
      ["wait", 30_000, hour],
      ["idle", hour, 3 * hour],
    ]);
  });

  test("does not break for short pauses", () => {
    const two = traceOf([span("a", { start: 0 }), span("b", { start: 2_500 })]);
    expect(scaleOf(two, { now: 0, compress: true }).breaks).toEqual([]);
  });

  test("leaves room for what ran between a hundred pauses", () => {
    const runs = Array.from({ length: 100 }, (_, i) => span(`s${i}`, { start: i * hour, end: i * hour + 10_000 }));
    const many = scaleOf(traceOf(runs), { now: 0, compress: true });
    expect(many.breaks).toHaveLength(99);
    expect(many.length).toBeLessThan(1_000_000 * 1.31);
  });
});
