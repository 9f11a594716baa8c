import type { Script, ToolArguments } from "./workload.ts";
import { finalText, toolResult } from "./workload.ts";

/** One way to run a model with tools. */
export interface LoopClient {
  /** A run that goes on for ever, as there always is one on a server: what V8 has learned of its shapes is not forgotten. */
  readonly hold?: (script: Script) => unknown;
  /** Makes the agent and what it needs for so many runs, which is not measured. */
  readonly start: (script: Script, runs: number) => Run;
}

/** One run: from the question to the final text, which it returns. */
export type Run = (tally: Tally) => Promise<unknown>;

/** Counts how often the tools of a run did something. */
export interface Tally {
  toolRuns: number;
}

/** A tool that counts. The tally is that of the run that goes on: there is one at a time. */
export interface CountingTool {
  readonly execute: (args: ToolArguments) => string;
  /** From now on it counts for this run. */
  readonly countFor: (tally: Tally) => void;
}

export function countingTool(): CountingTool {
  let current: Tally = { toolRuns: 0 };
  return {
    execute(args) {
      current.toolRuns++;
      return toolResult(args);
    },
    countFor(tally) {
      current = tally;
    },
  };
}

/** Runs once, and refuses what is not the right end. */
export async function soundRun(name: string, run: Run, script: Script): Promise<void> {
  const tally = { toolRuns: 0 };
  const text = await run(tally);
  if (text !== finalText) throw new Error(`${name}: the run ended with ${JSON.stringify(text)}.`);
  if (tally.toolRuns !== script.toolRuns)
    throw new Error(`${name}: tools ran ${tally.toolRuns} times, not ${script.toolRuns}.`);
}

/** What comes next in a list that is gone through again and again: the turns of one run after the other. */
export function cycle<T>(list: readonly T[]): () => T {
  let next = 0;
  return () => {
    const value = list[next++ % list.length];
    if (value === undefined) throw new Error("There is nothing in the list.");
    return value;
  };
}
