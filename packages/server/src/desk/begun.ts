import { setTimeout as pause } from "node:timers/promises";

import type { AgentEvent } from "undangle/agent";

import { outcomeError } from "../answers/api-error.ts";
import type { AnsweringRun } from "./recorded-run.ts";

/** How long something is waited for that may be part of a run that goes on: then there may be nothing to tell. */
const moment = 300;

/** Waits until a run has begun; one that could not is an error. */
export async function begun(run: AnsweringRun, mayJoin: boolean): Promise<string> {
  const events = run[Symbol.asyncIterator]();
  const first = events.next();
  const patience = mayJoin ? [pause(moment, undefined, { ref: false })] : [];
  const event = await Promise.race([first, ...patience]);
  events.return?.().catch(() => undefined); // it is read anew
  if (event === undefined || (event.done !== true && !isEndOf(run, event.value))) return "running";
  const end = await run.result;
  if (end.status === "failed") throw end.error instanceof Error ? end.error : outcomeError(end.error);
  return end.status;
}

/** True for the end of this run: after a crash, the end of the run that died is emitted first. */
const isEndOf = ({ id }: AnsweringRun, { type, data }: AgentEvent): boolean => type === "run_end" && data.runId === id;
