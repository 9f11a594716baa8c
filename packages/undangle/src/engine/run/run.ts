import type { Language, UndangleError } from "#core";

import type { AgentEvent, PendingCall } from "../events.ts";
import type { Usage } from "../ledger/ledger.ts";
import { ownEvent } from "../journal/event-log.ts";
import { endData } from "./run-end.ts";
import { createRunLog } from "./run-log.ts";
import type { LogReader, RunLog } from "./run-log.ts";

/** A run of a thread, until it is idle or waits for a decision. It continues even without a listener. */
export interface Run<Output = unknown> extends AsyncIterable<AgentEvent> {
  readonly id: string;
  /** How it ended. It does not reject for a run that failed. */
  readonly result: Promise<RunEnd<Output>>;
  /** Ends it: calls that are finished keep their results, the others are settled. */
  stop(): Promise<RunEnd<Output>>;
}

/** How a run ended; `status` tells what else there is. */
export type RunEnd<Output = unknown> = Ended &
  (
    | {
        readonly status: "done";
        /** The answer in the form that was asked for. */ readonly output: Output;
        readonly error?: undefined;
      }
    | { readonly status: "waiting"; readonly output?: undefined; readonly error?: undefined }
    | {
        readonly status: "stopped";
        readonly output?: undefined;
        /** Where a limit has stopped it. */
        readonly error?: UndangleError;
        /** Another message, or a request to answer again, took its place. */
        readonly cause?: "superseded";
      }
    | { readonly status: "failed"; readonly output?: undefined; readonly error: UndangleError }
  );

interface Ended {
  /** The last thing that the model said. */
  readonly text: string;
  /** The calls that wait for a decision. */
  readonly pending: readonly PendingCall[];
  /** Of this run. */
  readonly usage: Usage;
  /** Of the whole thread, this run included. */
  readonly threadUsage: Usage;
}

/** A run as the engine sees it. */
export interface LiveRun extends Run {
  readonly push: (event: AgentEvent) => void;
  readonly settle: (end: RunEnd) => void;
  /** From now on this run is another one: its events and its end are those of that. */
  readonly join: (other: LiveRun) => void;
  /** It may part from the run that it has joined: whether it does is known when the promise is settled. */
  readonly leave: (leaving: Promise<unknown>) => void;
  readonly isOver: () => boolean;
  /** True for this run, and for the one that it has joined. */
  readonly is: (other: LiveRun) => boolean;
  readonly log: RunLog;
  readonly listen: (listener: () => void) => () => void;
}

export function createRun(id: string, stop: (run: LiveRun) => Promise<void>, language: Language): LiveRun {
  const log = createRunLog();
  const listeners = new Set<() => void>();
  const joined: { readonly run: LiveRun; readonly from: number }[] = []; // one after the other
  let leaving: Promise<unknown> | undefined;
  let hasBegun = false;
  let isOver = false;
  let resolve: (end: RunEnd) => void = () => undefined;
  const result = new Promise<RunEnd>((settled) => {
    resolve = settled;
  });
  const wake = (): void => {
    const now = Array.from(listeners); // those who listen again wait for the next
    for (const listener of now) listener();
  };

  const endWith = async (other: LiveRun): Promise<void> => {
    const end = await other.result;
    await leaving; // then it has an end of its own, or it stays
    if (!isOver && joined.at(-1)?.run === other) run.settle(end); // else it has joined another since
  };

  async function* read(): AsyncGenerator<AgentEvent, void, undefined> {
    let last: AgentEvent | undefined;
    const reader = log.read(0);
    let other: LogReader | undefined; // of the run that it has joined
    let next = 0;
    try {
      for (;;) {
        const event = reader.next() ?? other?.next();
        if (event !== undefined) {
          last = event;
          yield ownEvent(event);
          continue;
        }
        const following = joined[next];
        if (following !== undefined) {
          next++;
          other?.leave();
          other = following.run.log.read(following.from);
          continue;
        }
        if (isOver) {
          // It did not start, or was retracted while it waited, so no other event ends it.
          if (last?.type !== "run_end")
            yield { id: last?.id ?? "0", type: "run_end", data: endData(id, await result, language) };
          return;
        }
        await new Promise<void>((heard) => {
          const listener = (): void => {
            listeners.delete(listener);
            heard();
          };
          listeners.add(listener);
        });
      }
    } finally {
      reader.leave();
      other?.leave();
    }
  }

  const run: LiveRun = {
    id,
    result,
    async stop() {
      await stop(run);
      return result;
    },
    [Symbol.asyncIterator]: read,
    push(event) {
      hasBegun ||= event.type === "run_start" && event.data.runId === id;
      if (!hasBegun) return; // the end of a run whose process died is saved with the start of this one
      log.push(event);
      if (listeners.size > 0) wake();
    },
    settle(end) {
      isOver = true;
      resolve(end);
      wake();
    },
    join(other) {
      joined.push({ run: other, from: other.log.mark() });
      other.listen(wake);
      void endWith(other);
    },
    leave(until) {
      leaving = until.catch(() => undefined); // the caller handles it
    },
    isOver: () => isOver,
    is: (other) => other === run || other === joined.at(-1)?.run,
    log,
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return run;
}
