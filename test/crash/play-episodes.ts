import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { bundleProgram } from "./child-process.ts";
import { playEpisode } from "./episode.ts";
import type { Episode, Stage } from "./episode.ts";
import { filePlaces } from "./places.ts";
import type { Places } from "./places.ts";
import { planOf } from "./plan.ts";
import { playStaleWriter, standstills } from "./stale-writer.ts";
import type { StaleWriter } from "./stale-writer.ts";
import { openStrictFormats } from "./strict-formats.ts";
import { createTally } from "./tally.ts";
import type { Tally } from "./tally.ts";

export interface EpisodesOptions {
  readonly seed: number;
  /** At least so many; the last episode may add one or two. */
  readonly kills: number;
  /** The first episode to play, and how many at the same time. */
  readonly from?: number;
  readonly jobs?: number;
  /** Where threads are kept; in files when it is left out. */
  readonly places?: Places;
  readonly onEpisode?: (tally: Tally) => void;
}

/** An episode in which something does not hold. */
export interface Failure {
  readonly episode: number;
  readonly problems: readonly string[];
}

/** Plays episodes until enough processes have died. */
export async function playEpisodes(
  options: EpisodesOptions,
): Promise<{ readonly tally: Tally; readonly failures: readonly Failure[] }> {
  const { seed, kills, from = 0, jobs = 2, places, onEpisode } = options;
  const tally = createTally();
  const failures: Failure[] = [];
  let next = from;
  await onStage(async (stage) => {
    const play = async (): Promise<void> => {
      while (tally.kills() < kills) {
        const number = next++;
        const { problems, ...rest } = await playOne(stage, seed, number);
        if ("isReached" in rest) tally.addStale(rest.isReached);
        else tally.add(rest);
        if (problems.length > 0) failures.push({ episode: number, problems });
        onEpisode?.(tally);
      }
    };
    await Promise.all(Array.from({ length: jobs }, play));
  }, places);
  return { tally, failures };
}

/** Every tenth process does not die: it stands still, and wakes up when others have gone on without it. */
function playOne(stage: Stage, seed: number, number: number): Promise<Episode | StaleWriter> {
  const plan = planOf(seed, number);
  if (number % 10 !== 9 || process.platform !== "linux") return playEpisode(stage, plan, `episode-${number}`);
  const point = standstills[plan.seed % standstills.length] ?? "start:after";
  return playStaleWriter(stage, point, plan.seed);
}

/** Prepares a stage, and takes it down again. */
async function onStage<Value>(play: (stage: Stage) => Promise<Value>, given?: Places): Promise<Value> {
  const folder = mkdtempSync(join(tmpdir(), "undangle-crash-"));
  const strict = await openStrictFormats();
  const places = given ?? filePlaces(folder);
  try {
    return await play({ folder, places, program: bundleProgram(folder), strict });
  } finally {
    await places.close();
    await strict.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
