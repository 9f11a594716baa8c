import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";

// Every measurement begins with a full collection, and V8 would throw away code that did not run for a few of those.
setFlagsFromString("--no-flush-bytecode");

/** One of the things that are measured side by side. */
export interface Contender {
  readonly name: string;
  /** Makes fresh input, which is not measured, and returns the work that is. */
  readonly prepare: () => Work | Promise<Work>;
  /** Fewer rounds than the others, for one that takes minutes. */
  readonly atMostRounds?: number;
}

export interface Work {
  /** How many times the work does the same thing, each time on input of its own. */
  readonly times: number;
  readonly run: () => unknown;
}

/** What one thing costs in milliseconds of CPU time, all threads of the process together: the least of all rounds. */
export type Costs = ReadonlyMap<string, number>;

/**
 * Measures contenders in turns, so that a busy machine disturbs all of them alike. The least of the rounds is taken, because
 * disturbance only ever adds.
 */
export async function measureRounds(contenders: readonly Contender[], rounds: number): Promise<Costs> {
  const costs = new Map<string, number>();
  for (let round = 0; round < rounds; round++) {
    for (let place = 0; place < contenders.length; place++) {
      const contender = contenders[(place + round) % contenders.length]; // each one goes first once in a while
      if (contender === undefined || round >= (contender.atMostRounds ?? rounds)) continue;
      const cost = await cpuOf(contender);
      costs.set(contender.name, Math.min(cost, costs.get(contender.name) ?? Infinity));
    }
  }
  return costs;
}

async function cpuOf({ prepare }: Contender): Promise<number> {
  const work = await prepare();
  // Otherwise the garbage of the preparation is collected in the middle of the work, and counted as its cost.
  globalThis.gc?.();
  await untilIdle();
  const begin = process.cpuUsage();
  const outcome = work.run();
  if (outcome instanceof Promise) await outcome;
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1000 / work.times;
}

/** The collector's threads go on for a while after a collection; waits until this process does nothing, or half a second. */
async function untilIdle(): Promise<void> {
  for (let wait = 0; wait < 100; wait++) {
    const begin = process.cpuUsage();
    await pause(5);
    const { user, system } = process.cpuUsage(begin);
    if (user + system < 500) return; // microseconds: not more than the timer itself takes
  }
}
