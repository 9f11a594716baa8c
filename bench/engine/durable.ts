import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqliteStore } from "undangle/store/sqlite";
import type { Run } from "undangle/agent";
import { cost, costOfAStep, lesser, never } from "./durable-cost.ts";
import type { Cost } from "./durable-cost.ts";
import { openThreads } from "./durable-threads.ts";
import type { ThreadsSetup } from "./durable-threads.ts";
import { countingTool } from "./loop-client.ts";
import { recording, seedOf } from "./seed.ts";
import type { Commit } from "./seed.ts";
import { openSqliteByHand } from "./sqlite-by-hand.ts";
import type { ToolInput } from "./tool-input.ts";
import { createScriptedAgent } from "./undangle.ts";
import { question, scriptOf, stepsPerRun } from "./workload.ts";
import type { Workload } from "./workload.ts";
import { emptyLog, logBytes, openLogByHand } from "./write-ahead-log.ts";
import type { WriterByHand } from "./write-ahead-log.ts";
import { writtenDown } from "./written-down.ts";

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
  /** The engine on a store in memory, with such a write over what is there for each commit. */
  readonly engineWithLog: Cost;
  /** What those writes take on the clock, in milliseconds: between them something happens, and a disk that is left alone answers later. */
  readonly writesBetween: number;
  /** The engine on a store in memory, with SQLite by hand for each commit. */
  readonly engineWithSqlite: Cost;
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
    spent += (await cost(() => threads.run())).cpu;
    await threads.close();
  }
  await store.close();
}

interface WorkloadOptions {
  readonly input: ToolInput;
  readonly rounds: number;
  readonly folder: string;
}

/**
 * As many commits as make SQLite fold its log in three times, so that every round has its share of that. Not more, so that some
 * rounds are over before anything disturbs them.
 */
const runsPerRound = 12;

/** Not more than agents keep at rest, where some are long: what was let go would be read again while it is measured. */
const threadsAtOnce = runsPerRound / 2;

/** Before either, in short threads, and not measured: after a collection the first runs take half as much again. */
const runsBefore = 10;

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
  const setup = { script, input, seed, store };
  const { commits, bytes } = await firstRun(setup, path);
  const writers = {
    writtenOver: openLogByHand(join(folder, "written-over"), { bytes, isGrowing: false }),
    appended: openLogByHand(join(folder, "appended"), { bytes, isGrowing: true }),
    sqliteByHand: openSqliteByHand(join(folder, "by-hand.db"), commits),
  };
  let [opening, writesBetween] = [Infinity, Infinity];

  const half = async (): Promise<Cost> => {
    const threads = await openThreads(setup, threadsAtOnce);
    const others = await openThreads({ ...setup, seed: undefined }, runsBefore);
    opening = Math.min(opening, threads.opening);
    const spent = await costOfAStep({ before: () => others.run(), work: () => threads.run(), runs: threadsAtOnce });
    await others.close();
    await threads.close();
    return spent;
  };
  const step = async (): Promise<Cost> => {
    const [one, other] = [await half(), await half()];
    return { cpu: (one.cpu + other.cpu) / 2, wall: (one.wall + other.wall) / 2 };
  };
  const alone = ({ write }: WriterByHand): Promise<Cost> => {
    const writes = commits.length * runsPerRound;
    const work = async (): Promise<void> => {
      for (let i = 0; i < writes; i++) write();
    };
    return costOfAStep({ work, runs: runsPerRound });
  };
  const withLog = async (): Promise<Cost> => {
    const { waited, ...spent } = await underTheEngine(writers.writtenOver, setup);
    writesBetween = Math.min(writesBetween, waited);
    return spent;
  };
  const contenders: readonly (readonly [name: keyof typeof nothing, measure: () => Promise<Cost>])[] = [
    ["step", step],
    ["sqliteByHand", () => alone(writers.sqliteByHand)],
    ["writtenOver", () => alone(writers.writtenOver)],
    ["appended", () => alone(writers.appended)],
    ["engineWithLog", withLog],
    ["engineWithSqlite", () => underTheEngine(writers.sqliteByHand, setup)],
  ];

  const least = { ...nothing };
  for (let round = -warmUpRounds; round < rounds; round++) {
    for (const [name, measure] of contenders) {
      const spent = await measure();
      if (round >= 0) least[name] = lesser(least[name], spent);
    }
  }
  for (const each of Object.values(writers)) each.close();
  await store.close();
  return { workload, commits: commits.length / stepsPerRun, bytes, ...least, writesBetween, opening };
}

const nothing = {
  step: never,
  sqliteByHand: never,
  writtenOver: never,
  appended: never,
  engineWithLog: never,
  engineWithSqlite: never,
};

/** The engine on a store in memory, with a writer by hand for each commit; and what of the time was the writer's. */
async function underTheEngine(
  { write }: WriterByHand,
  setup: ThreadsSetup,
): Promise<Cost & { readonly waited: number }> {
  const { store, waited } = writtenDown(write);
  const threads = await openThreads({ ...setup, store }, threadsAtOnce);
  const others = await openThreads({ ...setup, store, seed: undefined }, runsBefore);
  let waitedBefore = 0;
  const before = async (): Promise<void> => {
    await others.run();
    waitedBefore = waited();
  };
  const spent = await costOfAStep({ before, work: () => threads.run(), runs: threadsAtOnce });
  const waitedFor = waited() - waitedBefore;
  await others.close();
  await threads.close();
  return { ...spent, waited: waitedFor / (stepsPerRun * threadsAtOnce) };
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
