import { setTimeout as pause } from "node:timers/promises";
import { stepsPerRun } from "./workload.ts";

/** Milliseconds of a step. */
export interface Cost {
  /** Of CPU time. */
  readonly cpu: number;
  /** On the clock. */
  readonly wall: number;
}

/** What some work takes; something may go before it that is not measured. */
export async function cost(work: () => Promise<unknown>, before?: () => Promise<unknown>): Promise<Cost> {
  globalThis.gc?.();
  await pause(20); // until the collector's threads have come to their end
  await before?.();
  const begin = performance.now();
  const used = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(used);
  return { cpu: (user + system) / 1000, wall: performance.now() - begin };
}

/** Runs that are measured, and those before them: V8 forgets much when it collects everything, which a server seldom does. */
export interface Runs {
  readonly work: () => Promise<unknown>;
  readonly runs: number;
  readonly before?: () => Promise<unknown>;
}

/** What a step of some runs takes. */
export async function costOfAStep({ work, runs, before }: Runs): Promise<Cost> {
  const { cpu, wall } = await cost(work, before);
  const steps = stepsPerRun * runs;
  return { cpu: cpu / steps, wall: wall / steps };
}

export const never: Cost = { cpu: Infinity, wall: Infinity };

/** Disturbance only ever adds, to each of the two. */
export function lesser(one: Cost, { cpu, wall }: Cost): Cost {
  return { cpu: Math.min(one.cpu, cpu), wall: Math.min(one.wall, wall) };
}
