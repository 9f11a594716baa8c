import type { Contender } from "../measure/cpu-rounds.ts";

/** What each round cost, by name, in milliseconds of CPU time, all threads of the process together. */
export type RunningCosts = ReadonlyMap<string, readonly number[]>;

/** Rounds that are not counted: V8 has compiled what runs all the time before the figures begin. */
const warmUps = 4;

/**
 * Measures contenders in a process that goes on running, as one that serves does: all garbage is collected once, before all of
 * them have warmed up, and never between rounds, where V8 would throw compiled code away and measure how it is made again. They
 * take turns, so that a busy machine disturbs all of them alike.
 */
export async function measureRunning(contenders: readonly Contender[], rounds: number): Promise<RunningCosts> {
  const costs = new Map(contenders.map(({ name }): [string, number[]] => [name, []]));
  globalThis.gc?.();
  for (let round = -warmUps; round < rounds; round++) {
    for (let place = 0; place < contenders.length; place++) {
      const contender = contenders[(place + round + warmUps) % contenders.length]; // each one goes first once in a while
      if (contender === undefined) continue;
      const cost = await cpuOf(contender);
      if (round >= 0) costs.get(contender.name)?.push(cost);
    }
  }
  return costs;
}

async function cpuOf({ prepare }: Contender): Promise<number> {
  const { times, run } = prepare();
  const begin = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1000 / times;
}

/** The middle of some numbers. */
export const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN;

/**
 * How much more one contender costs than another, as the median of all rounds: each is compared with what ran beside it. Full
 * collections come once in a few streams, whoever's turn it is, and the median has as few of them as most rounds have.
 */
export function ratioOf(costs: RunningCosts, name: string, to: string): number {
  const others = costs.get(to) ?? [];
  return median((costs.get(name) ?? []).map((cost, round) => cost / (others[round] ?? NaN)));
}
