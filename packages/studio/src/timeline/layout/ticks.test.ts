import { describe, expect, test } from "vitest";

import { elapsedText, stepOf, ticksOf } from "./ticks.ts";
import { scaleOf } from "./time-scale.ts";
import { approvedTransfer, span, traceOf } from "../trace.fixture.ts";

const axis = (length: number) => scaleOf(traceOf([span("a", { start: 1_000, end: 1_000 + length })]), { now: 0 });

test.each([
  [10, 2],
  [900, 200],
  [10_000, 2_000],
  [60_000, 10_000],
  [3_600_000, 600_000],
  [86_400_000, 21_600_000],
  [4e12, 8_000 * 86_400_000],
])("an axis of %d ms and 600 pixels has ticks every %d ms", (length, step) => {
  expect(stepOf(axis(length), 600)).toBe(step);
});

describe("ticks", () => {
  test("are at whole steps since the start", () => {
    expect(ticksOf(axis(5_000), { pixels: 600 }).map(({ elapsed, position }) => [elapsed, position])).toEqual([
      [0, 0],
      [1_000, 0.2],
      [2_000, 0.4],
      [3_000, 0.6],
      [4_000, 0.8],
      [5_000, 1],
    ]);
  });

  test("outside the visible part are left out", () => {
    const visible = ticksOf(axis(10_000), { pixels: 6e6, from: 0.5, to: 0.5001 });
    expect(visible.map(({ elapsed }) => elapsed)).toEqual([5_000, 5_001]);
  });

  test("never overlap, and none is in a break", () => {
    const scale = scaleOf(approvedTransfer, { now: 0, compress: true });
    const ticks = ticksOf(scale, { pixels: 900 });
    expect(ticks.length).toBeGreaterThan(4);
    for (const [i, { position }] of ticks.entries()) {
      expect(position - (ticks[i - 1]?.position ?? -1)).toBeGreaterThan(40 / 900);
      expect(scale.breaks.some(({ left, right }) => position > left && position < right)).toBe(false);
    }
    expect(ticks.at(-1)?.elapsed).toBeGreaterThan(3_600_000);
  });
});

test.each([
  [0, 1_000, "0 s"],
  [1_250, 50, "1.25 s"],
  [5, 1, "0.005 s"],
  [65_000, 1_000, "1:05"],
  [65_500, 500, "1:05.5"],
  [59_996, 10, "1:00.00"],
  [119_998, 10, "2:00.00"],
  [3_600_000, 60_000, "1:00:00"],
  [93_784_000, 1_000, "1 d 2:03:04"],
  [172_800_000, 86_400_000, "2 d"],
])("%d ms with a step of %d ms is %s", (elapsed, step, text) => {
  expect(elapsedText(elapsed, { step, unit: "s", day: "d" })).toBe(text);
});
