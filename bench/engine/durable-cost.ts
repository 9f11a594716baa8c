import { setTimeout as pause } from "node:timers/promises";
import { stepsPerRun } from "./workload.ts";

/** Milliseconds of a step. */
export interface Cost {
  /** Of CPU time. */
  readonly cpu: number;
  /** On the clock. */
  readonly wall: number;
}

/** What some work takes. */
export async function cost(work: () => Promise<unknown>): Promise<Cost> {
  globalThis.gc?.();
  await pause(20); // until the collector's threads have come to their end
  const begin = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / 1000, wall: performance.now() - begin };
}

/** What a step of so many runs takes. */
export async function costOfAStep(work: () => Promise<unknown>, runs: number): Promise<Cost> {
  const { cpu, wall } = await cost(work);
  const steps = stepsPerRun * runs;
  return { cpu: cpu / steps, wall: wall / steps };
}

export const never: Cost = { cpu: Infinity, wall: Infinity };

/** Disturbance only ever adds, to each of the two. */
export function lesser(one: Cost, { cpu, wall }: Cost): Cost {
  return { cpu: Math.min(one.cpu, cpu), wall: Math.min(one.wall, wall) };
}
