import { setTimeout as pause } from "node:timers/promises";

import type { AgentEvent } from "undangle/agent";

import { outcomeError } from "../../responses/api-error.ts";
import type { RespondingRun } from "./recorded-run.ts";

/** How long `begun` waits for the start of a run. Input that joins a running turn may have no start of its own. */
const moment = 300;

/** Waits until a run has started. Throws if it could not start. */
export async function begun(run: RespondingRun, mayJoin: boolean): Promise<string> {
  const events = run[Symbol.asyncIterator]();
  const first = events.next();
  const patience = mayJoin ? [pause(moment, undefined, { ref: false })] : [];
  const event = await Promise.race([first, ...patience]);
  events.return?.().catch(() => undefined); // the events are read again from the start
  if (event === undefined || (event.done !== true && !isEndOf(run, event.value))) return "running";
  const end = await run.result;
  if (end.status === "failed") throw end.error instanceof Error ? end.error : outcomeError(end.error);
  return end.status;
}

/** True for the end of this run. After a crash, the end of the dead run is emitted first. */
const isEndOf = ({ id }: RespondingRun, { type, data }: AgentEvent): boolean => type === "run_end" && data.runId === id;
