import type { Contender } from "../measure/cpu-rounds.ts";
import { median } from "../measure/text-table.ts";

/** What each round cost, by name, in milliseconds of CPU time, all threads of the process together. */
export type RunningCosts = ReadonlyMap<string, readonly number[]>;

/** Rounds that are not counted: V8 has compiled what runs all the time before the figures begin. */
const warmUps = 6;

/**
 * Measures contenders in a process that goes on running, as one that serves does: all garbage is collected once, before all of
 * them have warmed up, and never between rounds, where V8 would throw compiled code away and measure how it is made again. They
 * take turns, so that a busy machine disturbs all of them alike.
 */
export async function measureRunning(contenders: readonly Contender[], rounds: number): Promise<RunningCosts> {
  const costs = new Map(contenders.map(({ name }): [string, number[]] => [name, []]));
  const litter = createLitter();
  globalThis.gc?.();
  for (let round = -warmUps; round < rounds; round++) {
    for (let place = 0; place < contenders.length; place++) {
      const contender = contenders[(place + round + warmUps) % contenders.length]; // each one goes first once in a while
      if (contender === undefined) continue;
      const cost = await cpuOf(contender, litter);
      if (round >= 0) costs.get(contender.name)?.push(cost);
    }
  }
  return costs;
}

async function cpuOf({ prepare }: Contender, litter: () => void): Promise<number> {
  const { times, run } = await prepare();
  litter();
  const begin = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1000 / times;
}

/** So much fits into the space for what is new, before V8 collects what is left of it. */
const newSpace = 64 * 1024 * 1024;

/** What one small list takes, with its object. */
const listBytes = 48;

/**
 * Makes garbage, more or less of it, which is not measured. All streams of a way make as much as each other, a part of what fits
 * into the space for what is new: without it, V8 would collect at the same few places of every stream for as long as the process
 * runs, and what lives there, which is the client's, would be counted for one way and not for another.
 */
function createLitter(): () => void {
  const ring: (readonly number[] | undefined)[] = Array.from({ length: 64 });
  let seed = 1;
  return () => {
    seed = (seed * 48_271) % 2_147_483_647;
    const lists = ((seed / 2_147_483_647) * newSpace) / listBytes;
    for (let i = 0; i < lists; i++) ring[i % ring.length] = [i];
  };
}

/**
 * How much more one contender costs than another, as the median of all rounds: each is compared with what ran beside it. Full
 * collections come once in a few streams, whoever's turn it is, and the median has as few of them as most rounds have.
 */
export function ratioOf(costs: RunningCosts, name: string, to: string): number {
  const others = costs.get(to) ?? [];
  return median((costs.get(name) ?? []).map((cost, round) => cost / (others[round] ?? NaN)));
}
