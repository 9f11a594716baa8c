import { writeLine } from "./diary.ts";

/** What a commit may hold: a message, an answer, decisions, starts of tools, their results, calls that are closed; or only the head. */
export const commitKinds = ["say", "answer", "decision", "start", "result", "close", "head"] as const;

export type CommitKind = (typeof commitKinds)[number];

/** The places where a process can be made to die. */
export type Point =
  | `${CommitKind}:${"before" | "after"}`
  /** Inside a transaction, before one of its statements. */
  | "statement"
  | "read"
  | "beat"
  /** While it is found out whether a person has to decide. */
  | "gate"
  | `tool:${"before" | "middle" | "after"}`
  | "stream"
  | "recover"
  /** When everything is done. */
  | "idle";

/** Where a process dies, at which visit, and whether it dies or only stands still. */
export interface Failpoint {
  readonly point: Point;
  readonly visit: number;
  readonly signal: "SIGKILL" | "SIGSTOP";
}

/** Says that the process has come to a place. */
export type Visit = (point: Point) => void;

export const nowhere: Visit = () => undefined;

/** Lets this process come to its end at a failpoint. */
export function armed(failpoint: Failpoint | undefined, diary: string): Visit {
  if (failpoint === undefined) return nowhere;
  let visits = 0;
  return (point) => {
    if (point === failpoint.point) visits++;
    const isReached = point === failpoint.point && visits === failpoint.visit;
    const isTooLate = point === "idle" && failpoint.signal === "SIGKILL"; // it dies all the same
    if (!isReached && !isTooLate) return;
    writeLine(diary, { type: "failpoint", point });
    process.kill(process.pid, failpoint.signal);
    // A signal to oneself is there before the next line, but only almost always.
    if (failpoint.signal === "SIGKILL") for (;;);
  };
}
