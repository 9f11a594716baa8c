import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { sqliteStore } from "undangle/store/sqlite";
import type { Run, Store, Thread } from "undangle/agent";
import { countingTool, soundRun } from "./loop-client.ts";
import { recording, seedOf } from "./seed.ts";
import type { Commit, Seed } from "./seed.ts";
import { openSqliteByHand } from "./sqlite-by-hand.ts";
import type { ToolInput } from "./tool-input.ts";
import { createScriptedAgent } from "./undangle.ts";
import { question, scriptOf, stepsPerRun } from "./workload.ts";
import type { Script, Workload } from "./workload.ts";
import { emptyLog, logBytes, openLogByHand } from "./write-ahead-log.ts";

/** What a step costs that is saved before anything of it is done. */
export interface MeasuredDurable {
  readonly workload: Workload;
  readonly commits: number;
  /** Of the log, for a commit. */
  readonly bytes: number;
  readonly step: Cost;
  /** A program that gives the same text to SQLite, as one row for each commit. */
  readonly sqliteByHand: Cost;
  /** As many writes of as many bytes to a file, each of which is waited for: over what is there, as in the log of SQLite. */
  readonly writtenOver: Cost;
  /** The same in a file that grows. */
  readonly appended: Cost;
  /** Milliseconds of CPU time to read the thread, once, before its first step. */
  readonly opening: number;
}

/** Milliseconds of a step. */
export interface Cost {
  /** Of CPU time. */
  readonly cpu: number;
  /** On the clock. */
  readonly wall: number;
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
  const held = workloads.slice(0, 1).map((workload) => hold(workload, input));
  for (const [place, workload] of workloads.entries()) {
    const own = mkdtempSync(join(folder, "undangle-bench-"));
    try {
      if (place === 0) await warmUp(workload, join(own, "warm-up.db"), input);
      measured.push(await measureWorkload(workload, { input, rounds, folder: own }));
    } finally {
      rmSync(own, { recursive: true });
    }
  }
  for (const run of held) void run.stop(); // its model never answers
  return measured;
}

/** A run that goes on all the time, as there always is one on a server: what V8 has learned of its shapes is not forgotten. */
function hold(workload: Workload, input: ToolInput): Run {
  const setup = { script: scriptOf(workload), input, store: sqliteStore(":memory:"), counting: countingTool() };
  return createScriptedAgent({ ...setup, isSilent: true })
    .thread("waits")
    .send(question);
}

/** Milliseconds of CPU time that steps get before the first measurement, until everything is compiled. */
const warmUpTime = 1000;

async function warmUp(workload: Workload, path: string, input: ToolInput): Promise<void> {
  const store = sqliteStore(path);
  const script = scriptOf(workload);
  for (let spent = 0; spent < warmUpTime;) {
    const threads = await openThreads({ script, input, seed: undefined, store }, runsPerRound);
    spent += (await cost(threads.run)).cpu;
    await threads.close();
  }
  await store.close();
}

interface WorkloadOptions {
  readonly input: ToolInput;
  readonly rounds: number;
  readonly folder: string;
}

/** As many commits as make SQLite fold its log in ten times, so that every round has its share of that. */
const runsPerRound = 40;

/** Until the logs of SQLite have their length and are written over. */
const warmUpRounds = 3;

async function measureWorkload(
  workload: Workload,
  { input, rounds, folder }: WorkloadOptions,
): Promise<MeasuredDurable> {
  const path = join(folder, "threads.db");
  const script = scriptOf(workload);
  const seed = await seedOf(script, input);
  const store = sqliteStore(path);
  const { commits, bytes } = await firstRun({ script, input, seed, store }, path);
  const overWritten = openLogByHand(join(folder, "written-over"), { bytes, isGrowing: false });
  const appended = openLogByHand(join(folder, "appended"), { bytes, isGrowing: true });
  const sqliteByHand = openSqliteByHand(join(folder, "by-hand.db"), commits);
  let opening = Infinity;

  const writes = commits.length * runsPerRound;
  const byHand = (write: () => void) => async (): Promise<Cost> =>
    cost(async () => {
      for (let i = 0; i < writes; i++) write();
    });
  const contenders = {
    step: async (): Promise<Cost> => {
      const threads = await openThreads({ script, input, seed, store }, runsPerRound);
      opening = Math.min(opening, threads.opening);
      const spent = await cost(threads.run);
      await threads.close();
      return spent;
    },
    sqliteByHand: byHand(sqliteByHand.write),
    writtenOver: byHand(overWritten.write),
    appended: byHand(appended.write),
  };

  const least = { step: never, sqliteByHand: never, writtenOver: never, appended: never };
  const names = ["step", "sqliteByHand", "writtenOver", "appended"] as const;
  for (let round = -warmUpRounds; round < rounds; round++) {
    for (const name of names) {
      const spent = await contenders[name]();
      if (round >= 0) least[name] = lesser(least[name], spent);
    }
  }
  for (const each of [overWritten, appended, sqliteByHand]) each.close();
  await store.close();
  return { workload, commits: commits.length / stepsPerRun, bytes, ...least, opening };
}

const never: Cost = { cpu: Infinity, wall: Infinity };

/** Of one step; disturbance only ever adds, to each of the two. */
function lesser(one: Cost, { cpu, wall }: Cost): Cost {
  const steps = stepsPerRun * runsPerRound;
  return { cpu: Math.min(one.cpu, cpu / steps), wall: Math.min(one.wall, wall / steps) };
}

interface ThreadsSetup {
  readonly script: Script;
  readonly input: ToolInput;
  readonly seed: Seed | undefined;
  readonly store: Store;
}

/** The first run tells what is written, and how much that is in the log. */
async function firstRun(
  setup: ThreadsSetup,
  path: string,
): Promise<{ readonly commits: readonly Commit[]; readonly bytes: number }> {
  const commits: Commit[] = [];
  const threads = await openThreads({ ...setup, store: recording(setup.store, commits) }, 1);
  emptyLog(path);
  commits.length = 0; // what was said before
  await threads.run();
  const bytes = logBytes(path) / commits.length;
  await threads.close();
  return { commits, bytes };
}

interface OpenThreads {
  /** Has each of them answer once. */
  readonly run: () => Promise<void>;
  readonly opening: number;
  readonly close: () => Promise<void>;
}

let serial = 0;

/** Threads in which everything was said that came before, read from the store. */
async function openThreads({ script, input, seed, store }: ThreadsSetup, count: number): Promise<OpenThreads> {
  const counting = countingTool();
  const agent = createScriptedAgent({ script, input, store, counting });
  const threads: Thread[] = [];
  let opening = Infinity;
  for (let i = 0; i < count; i++) {
    const thread = agent.thread(`thread ${serial++}`);
    if (seed !== undefined) await store.commit(seed(thread.id));
    const { cpu } = await cost(() => thread.pending());
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
  return { run, opening, close: () => agent.close() };
}

/** What some work takes. */
async function cost(work: () => Promise<unknown>): Promise<Cost> {
  globalThis.gc?.();
  await pause(20); // until the collector's threads have come to their end
  const begin = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / 1000, wall: performance.now() - begin };
}
