import type { Logger, Run } from "undangle/agent";

import { ApiError } from "../../responses/api-error.ts";
import type { RunSettings, SettingsKeeper } from "./run-settings.ts";
import type { Commit } from "../store/watched-store.ts";

export interface RunStarter {
  /** Throws if the limit of concurrent runs is reached. */
  readonly demandRoom: () => void;
  /** Starts a run and records its request. */
  readonly start: (requestId: string, begin: () => Run, settings?: RunSettings) => Run;
  /** A commit with the ids of the requests in the start events of their runs. */
  readonly named: (commit: Commit) => Commit;
  /** The request that started a run, while it is in memory. */
  readonly requestOf: (runId: string) => string | undefined;
  /** The number of running runs. */
  readonly count: () => number;
}

const mostRemembered = 10_000;

export interface RunStarterOptions {
  /** The limit of concurrent runs. */
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
        if (status === "failed") logger.warn({ runId: run.id, err: error }, "A run failed"); // the client gets a shorter message
        return undefined;
      });
      return run;
    },
    named(commit) {
      if (!commit.events.some(({ type }) => type === "run_start")) return commit;
      const events = commit.events.map((event) => {
        if (event.type !== "run_start") return event;
        const data = event.data as { readonly runId: string }; // the engine writes this type
        const requestId = requests.get(data.runId);
        return requestId === undefined ? event : { ...event, data: { ...data, requestId } };
      });
      return { ...commit, events };
    },
    requestOf: (runId) => requests.get(runId),
    count: () => running,
  };
}
