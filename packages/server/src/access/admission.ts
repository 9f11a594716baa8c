import { performance } from "node:perf_hooks";

import { ApiError } from "../responses/api-error.ts";

/**
 * Refuses part of the requests while iterations of the event loop take too long, so that the others are served in time.
 */
export interface Admission {
  /** Admits a request, or throws a 503. */
  demand(): void;
  /** The duration of an iteration of the event loop, in seconds. */
  readonly turn: () => number;
  close(): void;
}

export interface AdmissionOptions {
  /** The longest acceptable iteration, in milliseconds. */
  readonly most: number;
  readonly every?: number;
}

export function createAdmission({ most, every = 250 }: AdmissionOptions): Admission {
  const shedder = createShedder(most);
  let turn = 0;
  let before = loopNow();
  const timer = setInterval(() => {
    const now = loopNow();
    turn = (now.active - before.active) / Math.max(1, now.turns - before.turns);
    before = now;
    shedder.measured(turn);
  }, every).unref();
  return {
    demand() {
      if (shedder.takes()) return;
      throw new ApiError(503, "overloaded", "The server is overloaded. Nothing was done; retry in a moment.", {
        headers: { "retry-after": "1" },
      });
    },
    turn: () => turn / 1000,
    close: () => clearInterval(timer),
  };
}

/**
 * Iterations of the event loop so far, and the milliseconds in which it was busy. A late timer and
 * `monitorEventLoopDelay` see only part of a long iteration.
 */
const loopNow = (): { readonly turns: number; readonly active: number } => ({
  turns: performance.nodeTiming.uvMetricsInfo.loopCount,
  active: performance.eventLoopUtilization().active,
});

export interface Shedder {
  /** Records the mean duration of an iteration in the last window, in milliseconds. */
  measured(turn: number): void;
  /** False for a request to refuse. */
  takes(): boolean;
}

/** The percentage points by which the refused share grows in a slow window and shrinks in any other. */
const growth = 10;
const recovery = 5;

/**
 * At least every fifth request is admitted. A refusal also takes time, and clients that retry at once would get nothing
 * else.
 */
const largest = 80;

/** Refuses a share of all requests, evenly spread. A single slow window is a pause, not an overload. */
export function createShedder(most: number): Shedder {
  let slow = 0; // windows in a row
  let part = 0;
  let sum = 0;
  return {
    measured(turn) {
      slow = turn > most ? slow + 1 : 0;
      if (slow > 1) part = Math.min(largest, part + growth);
      else if (slow === 0) part = Math.max(0, part - recovery);
    },
    takes() {
      sum += part;
      if (sum < 100) return true;
      sum -= 100;
      return false;
    },
  };
}
