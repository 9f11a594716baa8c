import { join } from "node:path";

import { createAgent } from "../../packages/undangle/src/engine/index.ts";
import { randomFrom } from "../../packages/undangle/src/testing/random.ts";
import { openStore } from "../../packages/undangle/test/store/open-store.ts";
import { startChild } from "./child-process.ts";
import { createPerson } from "./converse.ts";
import { faultsIn, tooLate } from "./death.ts";
import type { Files } from "./death.ts";
import { readDiary } from "./diary.ts";
import type { Stage } from "./episode.ts";
import { commitKinds, nowhere } from "./failpoints.ts";
import type { Point } from "./failpoints.ts";
import { nothing, takeSnapshot } from "./snapshot.ts";
import type { Snapshot } from "./snapshot.ts";
import { brokenLaws, storedHistory, unrest } from "./thread-laws.ts";
import { crashModel } from "./watched-model.ts";
import { gatedTools, watchedTools } from "./watched-tools.ts";

/** What came of a process that stood still for so long that others took it for dead. */
export interface StaleWriter {
  /** False when the process never came to the place where it was to stand still. */
  readonly isReached: boolean;
  readonly problems: readonly string[];
}

/** Where it may stand still: anywhere but in the middle of a transaction, where it would hold up all others. */
export const standstills: readonly Point[] = [
  ...commitKinds.flatMap((kind) => [`${kind}:before`, `${kind}:after`] as const),
  "read",
  "beat",
  "gate",
  "tool:before",
  "tool:middle",
  "tool:after",
  "stream",
];

const thread = "t1";

/** Lets a process stand still, another one go on with its thread, and the first one wake up again. */
export async function playStaleWriter(
  { folder, places, program, strict }: Stage,
  point: Point,
  seed: number,
): Promise<StaleWriter> {
  const name = `stale-${point.replace(":", "-")}-${seed}`;
  const files = { path: await places.make(name), diary: join(folder, `${name}.diary`) };
  const child = startChild(program, {
    ...files,
    threads: [thread],
    seed,
    messages: 2,
    isMoody: true,
    expiresAfter: undefined,
    busyTimeout: 5000,
    storeWait: 5000,
    failpoint: { point, visit: 1 + (seed % 2), signal: "SIGSTOP" },
    way: undefined,
    notBefore: 0,
  });
  const problems: string[] = [];
  let known = nothing;
  const examine = async (): Promise<Snapshot> => {
    const found = await takeSnapshot(files.path, thread);
    const lines = readDiary(files.diary).filter((line) => "thread" in line);
    problems.push(...brokenLaws(known, found, lines));
    known = found;
    return found;
  };
  try {
    const isReached = await child.stopped();
    if (isReached) {
      await examine();
      problems.push(...(await takeOver(files, seed)), ...unrest(await examine()));
      child.signal("SIGCONT");
    }
    const { code, complaint } = await child.ended;
    if (code !== 0) problems.push(`the process that woke up ended with ${code}: ${complaint}`);
    problems.push(...(await strict.complaints(storedHistory(await examine()), [])));
    problems.push(...faultsIn(readDiary(files.diary), tooLate));
    return { isReached, problems };
  } finally {
    child.signal("SIGKILL"); // one that stands still would do so for ever
  }
}

const longAfter = 60_000;

/** Goes on with the thread at a time when nobody believes any more that its owner is alive. */
async function takeOver({ path, diary }: Files, seed: number): Promise<readonly string[]> {
  const store = await openStore(path);
  const agent = createAgent({
    model: crashModel(seed),
    tools: watchedTools(diary, nowhere),
    approvals: [{ tools: gatedTools }],
    store,
    now: () => Date.now() + longAfter,
  });
  const person = createPerson({ agent, thread: agent.thread(thread), random: randomFrom(seed), diary });
  await person.comeBack("recover");
  const { status, error } = await person.sayPatiently("I take it from here.");
  await agent.close();
  await store.close();
  return status === "done" ? [] : [`the thread does not go on: ${status} ${String(error)}`];
}
