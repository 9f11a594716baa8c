import { join } from "node:path";

import { faultsIn, letCompete, letDie } from "./death.ts";
import type { DeathReport } from "./death.ts";
import { readDiary } from "./diary.ts";
import type { DiaryLine } from "./diary.ts";
import type { Places } from "./places.ts";
import type { Plan } from "./plan.ts";
import { recover } from "./recovery.ts";
import { nothing, takeSnapshot } from "./snapshot.ts";
import type { Snapshot } from "./snapshot.ts";
import type { StrictFormats } from "./strict-formats.ts";
import { brokenLaws, storedHistory, unrest } from "./thread-laws.ts";

/** Where episodes happen: a folder for their files, places for their threads, the program that dies, and the providers. */
export interface Stage {
  readonly folder: string;
  readonly places: Places;
  readonly program: string;
  readonly strict: StrictFormats;
}

/** What came of an episode. */
export interface Episode {
  readonly deaths: readonly DeathReport[];
  readonly threads: number;
  /** How the calls ended. */
  readonly outcomes: readonly string[];
  /** How often the store was waited for, and tools were started. */
  readonly waits: number;
  readonly starts: number;
  readonly problems: readonly string[];
}

/** Lets processes die as planned, recovers what they left, and says what does not hold. */
export async function playEpisode(stage: Stage, plan: Plan, name: string): Promise<Episode> {
  const { folder, places, program, strict } = stage;
  const files = { path: await places.make(name), diary: join(folder, `${name}.diary`) };
  const known = new Map<string, Snapshot>();
  const problems: string[] = [];

  /** Holds the threads against their laws, as they stand in the database. */
  const examine = async (when: string): Promise<void> => {
    const lines = readDiary(files.diary).filter((line) => "thread" in line);
    for (const thread of plan.threads) {
      const found = await takeSnapshot(files.path, thread);
      const told = lines.filter((line) => line.thread === thread);
      const history = storedHistory(found);
      const complaints = history.length === 0 ? [] : await strict.complaints(history, []);
      const broken = [...brokenLaws(known.get(thread) ?? nothing, found, told), ...complaints];
      problems.push(...broken.map((each) => `${when}: ${thread}: ${each}`));
      known.set(thread, found);
    }
  };

  const deaths: DeathReport[] = [];
  for (const planned of plan.deaths) {
    const death = await letDie(program, files, plan, planned);
    deaths.push(death);
    const when = `after death ${deaths.length} at ${death.place}`;
    problems.push(...death.problems.map((each) => `${when}: ${each}`));
    await examine(when);
  }

  if (plan.hasRivals) {
    problems.push(...(await letCompete(program, files, plan)));
    await examine("after two have recovered at once");
  }

  const seen = readDiary(files.diary).length;
  const recovery = await recover(files, plan);
  problems.push(...recovery.problems, ...faultsIn(readDiary(files.diary).slice(seen), []));
  for (const { messages, tools } of recovery.requests) problems.push(...(await strict.complaints(messages, tools)));
  await examine("after recovery");
  for (const found of known.values()) problems.push(...unrest(found));

  const lines = readDiary(files.diary);
  const count = (type: DiaryLine["type"]): number => lines.filter((line) => line.type === type).length;
  const outcomes = [...known.values()].flatMap(({ calls }) => calls.map(({ value }) => value.state));
  return { deaths, threads: plan.threads.length, outcomes, waits: count("wait"), starts: count("start"), problems };
}
