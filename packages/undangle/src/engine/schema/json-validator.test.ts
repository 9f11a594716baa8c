import { expect, test } from "vitest";

import { longestCheck, TooSlow, withinLimit } from "./json-validator.ts";

/** Blocks without using CPU time, as on a busy machine. */
const stall = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, longestCheck + 100);

test("work during which the process was stalled is done again", () => {
  let attempts = 0;
  const work = (): number => {
    attempts += 1;
    if (attempts === 1) stall();
    return attempts;
  };
  expect(withinLimit(work)).toBe(2);
});

test("work that takes too long is given up", () => {
  expect(() => withinLimit(() => /^(a+)+$/u.test(`${"a".repeat(60)}!`))).toThrow(TooSlow);
});

test("work that throws is not done again", () => {
  let attempts = 0;
  const work = (): never => {
    attempts += 1;
    throw new RangeError("no");
  };
  expect(() => withinLimit(work)).toThrow("no");
  expect(attempts).toBe(1);
});
