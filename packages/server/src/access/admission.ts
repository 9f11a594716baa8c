import { performance } from "node:perf_hooks";

import { ApiError } from "../answers/api-error.ts";

/** Refuses a part of the requests while turns of the event loop last too long, so that the others are served in time. */
export interface Admission {
  /** Takes a request in, or throws a 503. */
  demand(): void;
  /** How long a turn of the event loop lasts, in seconds. */
  readonly turn: () => number;
  close(): void;
}

export interface AdmissionOptions {
  /** Milliseconds that a turn may last. */
  readonly most: number;
  /** Milliseconds between two measurements. */
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
 * What the event loop has done so far: its turns, and the milliseconds in which it was busy. A timer that fires late, and
 * `monitorEventLoopDelay`, see a part of a long turn only.
 */
const loopNow = (): { readonly turns: number; readonly active: number } => ({
  turns: performance.nodeTiming.uvMetricsInfo.loopCount,
  active: performance.eventLoopUtilization().active,
});

export interface Shedder {
  /** How long a turn lasted in the last window, in milliseconds. */
  measured(turn: number): void;
  /** False for a request that is to be refused. */
  takes(): boolean;
}

/** By how many percent the refused part of all requests grows in a slow window, and shrinks in another one. */
const growth = 10;
const recovery = 5;

/** Every fifth request is taken in at least: to refuse takes time too, and clients that do not wait would get nothing else. */
const largest = 80;

/** Refuses a part of all requests, evenly spread. One slow window alone is a pause, not an overload. */
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
