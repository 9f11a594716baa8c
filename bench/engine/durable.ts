import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { sqliteStore } from "undangle/store/sqlite";
import type { Store, Thread } from "undangle/agent";
import { emptyLog, logBytes, openLogByHand } from "./write-ahead-log.ts";
import { countingTool, soundRun } from "./loop-client.ts";
import { seedOf } from "./seed.ts";
import type { Seed } from "./seed.ts";
import type { ToolInput } from "./tool-input.ts";
import { createScriptedAgent } from "./undangle.ts";
import { question, scriptOf, stepsPerRun } from "./workload.ts";
import type { Script, Workload } from "./workload.ts";

/** What a step costs that is saved before anything of it is done. */
export interface MeasuredDurable {
  readonly workload: Workload;
  readonly commits: number;
  /** Of the log, for a commit. */
  readonly bytes: number;
  /** Milliseconds of CPU time. */
  readonly cpu: number;
  /** Milliseconds on the clock. */
  readonly wall: number;
  /** The same for as many writes of as many bytes to a file, each of which is waited for. */
  readonly wallByHand: number;
  /** Milliseconds of CPU time to read the thread, once, before its first step. */
  readonly opening: number;
}

export interface DurableOptions {
  readonly input: ToolInput;
  readonly rounds: number;
  readonly workloads: readonly Workload[];
  /** Where the databases are made: on the disk that is to be measured. */
  readonly folder?: string | undefined;
}

/** Measures steps on SQLite, which waits for the disk at every commit. */
export async function measureDurable({
  input,
  rounds,
  workloads,
  folder = tmpdir(),
}: DurableOptions): Promise<readonly MeasuredDurable[]> {
  const measured: MeasuredDurable[] = [];
  for (const workload of workloads) {
    const own = mkdtempSync(join(folder, "undangle-bench-"));
    try {
      measured.push(await measureWorkload(workload, { input, rounds, path: join(own, "threads.db") }));
    } finally {
      rmSync(own, { recursive: true });
    }
  }
  return measured;
}

interface WorkloadOptions {
  readonly input: ToolInput;
  readonly rounds: number;
  readonly path: string;
}

const runsPerRound = 4;

async function measureWorkload(workload: Workload, { input, rounds, path }: WorkloadOptions): Promise<MeasuredDurable> {
  const script = scriptOf(workload);
  const seed = await seedOf(script, input);
  const counted = countCommits(sqliteStore(path));
  const setup = { script, input, seed, store: counted.store };
  // The first run tells how much a commit writes.
  const first = await openThreads(setup, 1);
  emptyLog(path);
  counted.commits = 0;
  await first.run();
  const { commits } = counted;
  const bytes = logBytes(path) / commits;
  const byHand = openLogByHand(`${path}-by-hand`, bytes);
  const least = { cpu: Infinity, wall: Infinity, wallByHand: Infinity, opening: Infinity };
  const isWarm = (round: number): boolean => round >= 0;
  for (let round = -3; round < rounds; round++) {
    const threads = await openThreads(setup, runsPerRound);
    const engine = await measured(threads.run);
    const floor = await measured(async () => {
      for (let write = 0; write < commits * runsPerRound; write++) byHand.append();
    });
    if (!isWarm(round)) continue;
    const steps = stepsPerRun * runsPerRound;
    least.cpu = Math.min(least.cpu, engine.cpu / steps);
    least.wall = Math.min(least.wall, engine.wall / steps);
    least.wallByHand = Math.min(least.wallByHand, floor.wall / steps);
    least.opening = Math.min(least.opening, threads.opening);
  }
  byHand.close();
  await counted.store.close();
  return { workload, commits: commits / stepsPerRun, bytes, ...least };
}

interface ThreadsSetup {
  readonly script: Script;
  readonly input: ToolInput;
  readonly seed: Seed | undefined;
  readonly store: Store;
}

let serial = 0;

/** Threads in which everything was said that came before, read from the store. */
async function openThreads(
  { script, input, seed, store }: ThreadsSetup,
  count: number,
): Promise<{ readonly run: () => Promise<void>; readonly opening: number }> {
  const counting = countingTool();
  const agent = createScriptedAgent({ script, input, store, counting });
  const threads: Thread[] = [];
  let opening = Infinity;
  for (let i = 0; i < count; i++) {
    const thread = agent.thread(`thread ${serial++}`);
    if (seed !== undefined) await store.commit(seed(thread.id));
    const { cpu } = await measured(() => thread.pending());
    opening = Math.min(opening, cpu);
    threads.push(thread);
  }
  const run = async (): Promise<void> => {
    for (const thread of threads) {
      await soundRun(
        "undangle",
        async (tally) => {
          counting.countFor(tally);
          return (await thread.send(question).result).text;
        },
        script,
      );
    }
  };
  return { run, opening };
}

/** Milliseconds of CPU time and on the clock. */
async function measured(work: () => Promise<unknown>): Promise<{ readonly cpu: number; readonly wall: number }> {
  globalThis.gc?.();
  await pause(20); // until the collector's threads have come to their end
  const begin = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / 1000, wall: performance.now() - begin };
}

/** A store that counts its commits. */
function countCommits(store: Store): { readonly store: Store; commits: number } {
  const counted = {
    commits: 0,
    store: {
      ...store,
      commit: (commit: Parameters<Store["commit"]>[0]) => {
        counted.commits++;
        return store.commit(commit);
      },
    },
  };
  return counted;
}
