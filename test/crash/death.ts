import { setTimeout as pause } from "node:timers/promises";

import type { Task } from "./agent-program.ts";
import { startChild } from "./child-process.ts";
import type { Child, ChildEnd } from "./child-process.ts";
import { readDiary } from "./diary.ts";
import type { DiaryLine } from "./diary.ts";
import type { Failpoint } from "./failpoints.ts";
import type { Plan, PlannedDeath } from "./plan.ts";
import { allowedFaults, makeTrouble, troubleAt, withoutRoom } from "./trouble.ts";
import type { Trouble } from "./trouble.ts";

/** Where a process died: while it talked or while it recovered, and with what trouble. */
export interface DeathReport {
  readonly place: string;
  readonly when: "talking" | "recovering";
  readonly trouble: Trouble["type"] | undefined;
  readonly problems: readonly string[];
}

/** The files of an episode. */
export interface Files {
  readonly path: string;
  readonly diary: string;
}

/** Starts a process, and lets it die as planned. */
export async function letDie(program: string, files: Files, plan: Plan, death: PlannedDeath): Promise<DeathReport> {
  const { way } = death;
  const trouble = "early" in death ? undefined : troubleAt(files.path, death.trouble); // there may be no file yet
  const seen = readDiary(files.diary).length;
  const failpoint: Failpoint | undefined = "point" in death ? { ...death, signal: "SIGKILL" } : undefined;
  const task = {
    ...taskOf(files, plan),
    failpoint,
    way,
    ...(trouble && { busyTimeout: 20, storeWait: trouble.storeWait }),
  };
  const child = startChild(program, task, trouble?.type === "full" ? withoutRoom : undefined);
  if (!("early" in death)) await child.ready;
  const calm = trouble === undefined ? undefined : makeTrouble(trouble, files.path, child);
  if (failpoint === undefined) {
    await pause("after" in death ? death.after : "early" in death ? death.early : 0);
    child.signal("SIGKILL");
  }
  const { signal, code, complaint } = await endOf(child);
  await calm;
  const lines = readDiary(files.diary).slice(seen);
  const expired = plan.expiresAfter === undefined ? [] : ["decision/refused"];
  const problems = [...faultsIn(lines, [...allowedFaults(trouble), ...expired])];
  if (signal !== "SIGKILL" && failpoint !== undefined) problems.push(`a process ended with ${signal ?? code}`);
  if (complaint !== "") problems.push(`a process said: ${complaint}`);
  return {
    place: lines.findLast((line) => line.type === "failpoint")?.point ?? ("early" in death ? "opening" : "random"),
    when: way === undefined ? "talking" : "recovering",
    trouble: trouble?.type,
    problems,
  };
}

/** Lets two processes recover the same threads at the same moment; neither dies. */
export async function letCompete(program: string, files: Files, plan: Plan): Promise<readonly string[]> {
  const seen = readDiary(files.diary).length;
  const notBefore = Date.now() + 300;
  const task: Task = { ...taskOf(files, plan), way: "recover", messages: 0, notBefore };
  const ends = await Promise.all(
    [0, 1].map((index) => endOf(startChild(program, { ...task, seed: plan.seed + index }))),
  );
  const complaints = ends.flatMap(({ code, complaint }) =>
    code === 0 ? [] : [`a rival ended with ${code}: ${complaint}`],
  );
  return [...complaints, ...faultsIn(readDiary(files.diary).slice(seen), tooLate)];
}

/** Somebody else was there first. */
export const tooLate = ["store/conflict", "thread/owned", "decision/refused"];

const taskOf = ({ path, diary }: Files, { threads, seed, messages, expiresAfter }: Plan): Task => ({
  path,
  diary,
  threads,
  seed,
  messages,
  isMoody: true,
  expiresAfter,
  busyTimeout: 5000,
  storeWait: 20_000,
  failpoint: undefined,
  way: undefined,
  notBefore: 0,
});

/** Runs that failed for no reason that is known. */
export const faultsIn = (lines: readonly DiaryLine[], allowed: readonly string[]): readonly string[] =>
  lines.flatMap((line) =>
    line.type === "fault" && !allowed.includes(line.code) ? [`a run of ${line.thread} failed: ${line.message}`] : [],
  );

const patience = 60_000;

/** How a process ended; one that hangs is killed, and that is a problem of its own. */
async function endOf(child: Child): Promise<ChildEnd> {
  const timer = new AbortController();
  const hung = pause(patience, undefined, { signal: timer.signal }).then(async () => {
    child.signal("SIGKILL");
    return { ...(await child.ended), signal: null, complaint: `nothing for ${patience} ms` };
  });
  hung.catch(() => undefined); // it did not hang
  const end = await Promise.race([child.ended, hung]);
  timer.abort();
  return end;
}
