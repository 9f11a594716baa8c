import { errorText } from "#core";
import type { Language, UndangleError } from "#core";

import type { AgentEvent, PendingCall, EventData } from "../events.ts";
import { ownEvent } from "../journal/event-log.ts";
import type { ThreadJournal } from "../journal/thread-journal.ts";
import { present } from "../ledger/call.ts";
import { entryText } from "../ledger/entry.ts";
import { noUsage } from "../ledger/ledger.ts";
import type { Usage } from "../ledger/ledger.ts";
import { asError } from "../result/thrown.ts";
import { pendingCalls } from "../views/call-view.ts";
import { createRunLog } from "./run-log.ts";
import type { LogReader, RunLog } from "./run-log.ts";

/** A run of a thread, until it is idle or waits for a decision. It continues even without a listener. */
export interface Run<Output = unknown> extends AsyncIterable<AgentEvent> {
  readonly id: string;
  /** How the run ended. The promise does not reject if the run failed. */
  readonly result: Promise<RunEnd<Output>>;
  /** Stops the run. Finished calls keep their results; the others are settled. */
  stop(): Promise<RunEnd<Output>>;
}

/** How a run ended. The other fields depend on `status`. */
export type RunEnd<Output = unknown> = Ended &
  (
    | {
        readonly status: "done";
        /** The structured output. */ readonly output: Output;
        readonly error?: undefined;
      }
    | { readonly status: "waiting"; readonly output?: undefined; readonly error?: undefined }
    | {
        readonly status: "stopped";
        readonly output?: undefined;
        /** Set if a limit or a hook stopped the run. */
        readonly error?: UndangleError;
        /** Another message or a regeneration replaced the run. */
        readonly cause?: "superseded";
      }
    | { readonly status: "failed"; readonly output?: undefined; readonly error: UndangleError }
  );

interface Ended {
  /** The last text of the model. */
  readonly text: string;
  /** The pending calls. */
  readonly pending: readonly PendingCall[];
  /** The usage of this run. */
  readonly usage: Usage;
  /** The usage of the whole thread, including this run. */
  readonly threadUsage: Usage;
}

/** How the work of a run ended, before its end is saved. */
export type RunOutcome =
  | { readonly status: "done"; readonly output?: unknown }
  | { readonly status: "waiting" }
  | { readonly status: "stopped"; readonly error?: UndangleError; readonly cause?: "superseded" }
  | { readonly status: "failed"; readonly error: UndangleError };

/** A run with the methods that only the engine uses. */
export interface LiveRun extends Run {
  readonly push: (event: AgentEvent) => void;
  readonly settle: (end: RunEnd) => void;
  /** Joins another run: the events from a marked position on, by default from now on, and the end are those of the other. */
  readonly join: (other: LiveRun, from?: number) => void;
  /** The run may leave the run that it joined. The promise settles when that is decided. */
  readonly leave: (leaving: Promise<unknown>) => void;
  readonly isOver: () => boolean;
  /** True for this run, and for the run that it has joined. */
  readonly is: (other: LiveRun) => boolean;
  readonly log: RunLog;
  readonly listen: (listener: () => void) => () => void;
}

export function createRun(id: string, stop: (run: LiveRun) => Promise<void>, language: Language): LiveRun {
  const log = createRunLog();
  const listeners = new Set<() => void>();
  const joined: { readonly run: LiveRun; readonly from: number }[] = []; // in the order of joining
  let leaving: Promise<unknown> | undefined;
  let hasBegun = false;
  let isOver = false;
  let resolve: (end: RunEnd) => void = () => undefined;
  const result = new Promise<RunEnd>((settled) => {
    resolve = settled;
  });
  const wake = (): void => {
    const now = Array.from(listeners); // listeners added meanwhile wait for the next event
    for (const listener of now) listener();
  };

  const endWith = async (other: LiveRun): Promise<void> => {
    const end = await other.result;
    await leaving; // afterwards the run has its own end, or stays joined
    if (!isOver && joined.at(-1)?.run === other) run.settle(end); // otherwise it has joined another run
  };

  async function* read(): AsyncGenerator<AgentEvent, void, undefined> {
    let last: AgentEvent | undefined;
    const reader = log.read(0);
    let other: LogReader | undefined; // reads the joined run
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
          // The run did not start, or was withdrawn while it was queued, so no other event ends it.
          if (last?.type !== "run_end")
            yield { id: last?.id ?? "0", type: "run_end", data: endData(id, await result, language) };
          return;
        }
        await new Promise<void>((woken) => {
          const listener = (): void => {
            listeners.delete(listener);
            woken();
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
    join(other, from = other.log.mark()) {
      joined.push({ run: other, from });
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

/** The end of a run, with the text, pending calls and usage of its thread. */
export function endOf(journal: ThreadJournal, outcome: RunOutcome): RunEnd {
  const last = journal.recorded().at(-1)?.entry;
  const common = {
    text: last?.type === "answer" ? entryText(last) : "",
    pending: pendingIn(journal),
    ...usageIn(journal),
  };
  return outcome.status === "done" ? { ...common, status: "done", output: outcome.output } : { ...common, ...outcome };
}

/** The token usage of the current run and of the whole thread. */
export function usageIn(journal: ThreadJournal): Pick<RunEnd, "usage" | "threadUsage"> {
  const { run, usage } = journal.ledger();
  return { usage: run?.usage ?? noUsage, threadUsage: usage };
}

const pendingIn = (journal: ThreadJournal): RunEnd["pending"] => pendingCalls(journal.ledger().turn?.calls ?? []);

/** The end of a run that could not start. */
export function neverBegun(reason: unknown, journal: ThreadJournal | undefined, isStopped: boolean): RunEnd {
  const pending = journal === undefined ? [] : pendingIn(journal);
  const ended = { text: "", pending, usage: noUsage, threadUsage: journal?.ledger().usage ?? noUsage };
  return isStopped ? { status: "stopped", ...ended } : { status: "failed", ...ended, error: asError(reason) };
}

/** The data of the `run_end` event. */
export function endData(
  runId: string,
  {
    status,
    error,
    cause,
    usage,
    threadUsage,
    restored,
  }: Pick<EventData["run_end"], "status" | "cause" | "usage" | "threadUsage"> & {
    readonly error?: UndangleError | undefined;
    readonly restored?: number | undefined;
  },
  language: Language,
): EventData["run_end"] {
  const shown = error && { code: error.code, message: errorText(error, language) };
  return { runId, status, ...present({ error: shown, cause }), usage, threadUsage, ...present({ restored }) };
}
