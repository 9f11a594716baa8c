import type { UndangleError } from "#core";

import type { RunHooks } from "../middleware/hooks.ts";
import type { InputEntry } from "../ledger/entry.ts";
import type { Closing, EndedCall } from "../ledger/ledger.ts";
import type { ThreadJournal } from "../journal/thread-journal.ts";
import type { Abortable } from "./abortable.ts";
import type { LiveRun } from "./run.ts";
import type { Setup } from "./setup.ts";
import { hookedRun } from "./hooked-run.ts";

/** A run that is in progress in this process. */
export interface Session {
  readonly run: LiveRun;
  readonly journal: ThreadJournal;
  readonly setup: Setup;
  /** Aborted when the run must end. */
  readonly signal: AbortSignal;
  /** The hooks of the run. Undefined if there are none. */
  readonly hooks: () => RunHooks | undefined;
  /** The running tools, by call id, with their abort handles. */
  readonly running: Map<string, Abortable>;
  /** The arguments of the last turn's calls as validated in this run, with the text they were validated from. */
  readonly validated: Map<string, { readonly name: string; readonly raw: string; readonly value: unknown }>;
  /** Calls whose tools have finished, before they are saved. */
  readonly ended: EndedCall[];
  /** The run has reached its end: later commands apply to the next run. */
  isClosing: boolean;
  /** Messages that were queued when a hook ended the run and have no response: they need another run. */
  owed: readonly InputEntry[];
  /** The runs of messages that were queued in this run. */
  readonly queued: Map<InputEntry, LiveRun>;
  /** Calls were settled because the run has reached its limit of calls. */
  isOverCalls: boolean;
  /** How often the model was reminded to give its final answer. */
  reminders: number;
  /** Why the run must end. Undefined while it may continue. */
  readonly ending: () => Ending | undefined;
  /** Ends the run. Only the first call has an effect. */
  readonly end: (ending: Ending) => void;
  /** Resolves when the run must end. */
  readonly over: Promise<undefined>;
  /** The value of a promise, or undefined if the run must end first. Does not retain the promise after that. */
  readonly orOver: <T>(promise: Promise<T>) => Promise<T | undefined>;
  /** Wakes the run after something it may be waiting for has happened. */
  readonly wake: () => void;
  /** Resolves at the next `wake`. */
  readonly woken: () => Promise<void>;
}

/** How open calls are settled, or the error with which the run fails. */
export type Ending =
  | { readonly how: Closing; readonly error?: UndangleError }
  | { readonly how: "fault"; readonly error: UndangleError };

export function createSession(run: LiveRun, journal: ThreadJournal, setup: Setup): Session {
  const abort = new AbortController();
  const running = new Map<string, Abortable>();
  let hooks: RunHooks | undefined;
  let ending: Ending | undefined;
  let isWoken = false;
  let listener: (() => void) | undefined;
  const { promise: over, resolve: finish } = Promise.withResolvers<undefined>();
  const waiters: ((nothing: undefined) => void)[] = []; // few entries: a set would be recreated each time it becomes empty
  const orOver = <T>(promise: Promise<T>): Promise<T | undefined> => {
    const { promise: either, resolve, reject } = Promise.withResolvers<T | undefined>();
    if (ending === undefined) waiters.push(resolve);
    else resolve(undefined);
    const leave = (): void => void waiters.splice(waiters.indexOf(resolve), 1);
    promise.then(
      (value) => {
        if (ending === undefined) leave();
        return resolve(value);
      },
      (error: unknown) => {
        if (ending === undefined) leave();
        return reject(error);
      },
    );
    return either;
  };
  const wake = (): void => {
    isWoken = true;
    listener?.();
  };
  const session: Session = {
    run,
    journal,
    setup,
    signal: abort.signal,
    hooks() {
      if (setup.hooks.around !== undefined) hooks ??= setup.hooks.around(hookedRun(session));
      return hooks;
    },
    running,
    validated: new Map(),
    ended: [],
    isClosing: false,
    owed: [],
    queued: new Map(),
    isOverCalls: false,
    reminders: 0,
    ending: () => ending,
    end(given) {
      if (ending !== undefined) return;
      ending = given;
      abort.abort(given.error ?? new DOMException("The run was stopped.", "AbortError"));
      for (const each of running.values()) each.abort(abort.signal.reason);
      finish(undefined);
      for (const each of waiters.splice(0)) each(undefined);
      wake();
    },
    over,
    orOver,
    wake,
    async woken() {
      if (!isWoken) {
        await new Promise<void>((heard) => {
          listener = heard;
        });
        listener = undefined;
      }
      isWoken = false;
    },
  };
  return session;
}
