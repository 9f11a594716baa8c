import { measureRounds } from "../measure/cpu-rounds.ts";
import { assertSameRequests } from "./assert-sound.ts";
import { contenderOf, loadEntrants } from "./contenders.ts";
import type { Entrant, LastRequest } from "./contenders.ts";
import type { MeasuredLoop } from "./measured.ts";
import { seedOf } from "./seed.ts";
import type { Seed } from "./seed.ts";
import type { ToolInput } from "./tool-input.ts";
import { scriptOf } from "./workload.ts";
import type { Script, Workload } from "./workload.ts";

export interface LoopOptions {
  readonly input: ToolInput;
  readonly rounds: number;
  /** Without the other libraries. */
  readonly isOwnOnly: boolean;
  readonly workloads: readonly Workload[];
}

/** Measures what a step costs everybody, in all workloads. */
export async function measureLoops({ input, rounds, isOwnOnly, workloads }: LoopOptions): Promise<MeasuredLoop> {
  const scripts = workloads.map((workload) => ({ workload, script: scriptOf(workload) }));
  const seeds = new Map<Script, Seed>();
  for (const { script } of scripts) {
    const seed = await seedOf(script, input);
    if (seed !== undefined) seeds.set(script, seed);
  }
  const lastRequest: LastRequest = { text: "" };
  const entrants = await loadEntrants({ input, seeds, lastRequest, isOwnOnly });
  for (const { script } of scripts) await assertSameRequests(entrants, script, lastRequest);

  const runs = new Map<string, number>();
  for (const { workload, script } of scripts) {
    for (const entrant of entrants) runs.set(`${workload.name}/${entrant.name}`, await warmUp(entrant, script));
  }
  const measured: MeasuredLoop["workloads"][number][] = [];
  for (const { workload, script } of scripts) {
    const contenders = entrants.map((entrant) =>
      contenderOf(entrant, script, runs.get(`${workload.name}/${entrant.name}`) ?? 1),
    );
    measured.push({ workload, costs: await measureRounds(contenders, rounds) });
  }
  return { rows: entrants.map(({ name }) => name), workloads: measured };
}

/** Milliseconds of CPU time that everybody gets before the first measurement, and that a measurement is to take at least. */
const warmUpTime = 500;
const measuredTime = 300;
const mostRuns = 3000;

/** What is alive keeps V8 from forgetting what it has learned of its shape. */
const kept: unknown[] = [];

/** Lets an entrant run until it is warm; how many runs make a measurement. */
async function warmUp(entrant: Entrant, script: Script): Promise<number> {
  const one = contenderOf(entrant, script, 1);
  kept.push(entrant.client.start(script, 1), entrant.client.hold?.(script));
  let cost = Infinity;
  for (let spent = 0; spent < warmUpTime;) {
    const work = one.prepare();
    const begin = process.cpuUsage();
    await work.run();
    const { user, system } = process.cpuUsage(begin);
    spent += (user + system) / 1000 + 0.01;
    cost = Math.min(cost, (user + system) / 1000);
  }
  return Math.min(mostRuns, Math.ceil(measuredTime / cost));
}
