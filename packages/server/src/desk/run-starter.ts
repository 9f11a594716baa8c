import type { Logger, Run } from "undangle/agent";

import { ApiError } from "../answers/api-error.ts";
import type { RunSettings, SettingsKeeper } from "./run-settings.ts";
import type { Commit } from "./watched-store.ts";

/** Begins runs for requests. */
export interface RunStarter {
  /** Refuses one run more than there may be. */
  readonly demandRoom: () => void;
  /** Begins a run, and knows from now on which request that was for. */
  readonly start: (requestId: string, begin: () => Run, settings?: RunSettings) => Run;
  /** A commit, with the ids of the requests in the events of the runs that were begun for them. */
  readonly named: (commit: Commit) => Commit;
  /** The request that a run was begun for, as long as that is remembered. */
  readonly requestOf: (runId: string) => string | undefined;
  /** How many go on. */
  readonly count: () => number;
}

const mostRemembered = 10_000;

export interface RunStarterOptions {
  /** How many runs there may be at a time. */
  readonly most: number;
  readonly settings: SettingsKeeper;
  readonly logger: Logger;
}

export function createRunStarter({ most, settings: settingsOfRuns, logger }: RunStarterOptions): RunStarter {
  const requests = new Map<string, string>();
  let running = 0;
  const demandRoom = (): void => {
    if (running < most) return;
    throw new ApiError(503, "runs-limit", `The limit of ${most} concurrent runs is reached. Try again later.`, {
      headers: { "retry-after": "1" },
    });
  };
  return {
    demandRoom,
    start(requestId, begin, settings) {
      demandRoom();
      const run = begin();
      running++;
      requests.set(run.id, requestId);
      if (requests.size > mostRemembered) {
        const [oldest] = requests.keys();
        if (oldest !== undefined) requests.delete(oldest);
      }
      if (settings !== undefined) settingsOfRuns.set(run.id, settings);
      void run.result.then(({ status, error }) => {
        running--;
        settingsOfRuns.forget(run.id);
        if (status === "failed") logger.warn({ runId: run.id, err: error }, "A run failed"); // callers read less of it
        return undefined;
      });
      return run;
    },
    named(commit) {
      if (!commit.events.some(({ type }) => type === "run_start")) return commit;
      const events = commit.events.map((event) => {
        if (event.type !== "run_start") return event;
        const data = event.data as { readonly runId: string }; // so the engine writes it
        const requestId = requests.get(data.runId);
        return requestId === undefined ? event : { ...event, data: { ...data, requestId } };
      });
      return { ...commit, events };
    },
    requestOf: (runId) => requests.get(runId),
    count: () => running,
  };
}
