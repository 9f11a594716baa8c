import type { UndangleError } from "#core";

import type { RunHooks } from "../middleware/hooks.ts";
import type { InputEntry } from "../ledger/entry.ts";
import type { Closing, EndedCall } from "../ledger/ledger.ts";
import type { ThreadJournal } from "../journal/thread-journal.ts";
import type { Abortable } from "./abortable.ts";
import type { LiveRun } from "./run.ts";
import type { Setup } from "./setup.ts";
import { hookedRun } from "./hooked-run.ts";

/** A run that is under way in this process. */
export interface Session {
  readonly run: LiveRun;
  readonly journal: ThreadJournal;
  readonly setup: Setup;
  /** Aborted when the run is to end. */
  readonly signal: AbortSignal;
  /** The hooks around it; undefined where there are none. */
  readonly hooks: () => RunHooks | undefined;
  /** The tools that are running, by call, and how each is told to stop. */
  readonly running: Map<string, Abortable>;
  /** What the tools of the last answer's calls get, as validated in this run, and the text that was. */
  readonly validated: Map<string, { readonly name: string; readonly raw: string; readonly value: unknown }>;
  /** Calls whose tools are done, and that are about to be taken down as ended. */
  readonly ended: EndedCall[];
  /** It has come to its end: whatever happens from now on is for the next run. */
  isClosing: boolean;
  /** Messages that were queued when a hook ended the run and have no response: they need another run. */
  owed: readonly InputEntry[];
  /** Runs of messages that were queued in it. */
  readonly queued: Map<InputEntry, LiveRun>;
  /** Calls were settled because the run may not execute more. */
  isOverCalls: boolean;
  /** How often the model was reminded of the form of its answer. */
  reminders: number;
  /** Why it has to end; undefined while it need not. */
  readonly ending: () => Ending | undefined;
  /** It has to end. What is told first holds. */
  readonly end: (ending: Ending) => void;
  /** Resolves when it has to end. */
  readonly over: Promise<undefined>;
  /** What a promise gives, or undefined when the run has to end before that. Nothing of it is kept longer. */
  readonly orOver: <T>(promise: Promise<T>) => Promise<T | undefined>;
  /** Something happened that the run may be waiting for. */
  readonly wake: () => void;
  /** Resolves when something happens. */
  readonly woken: () => Promise<void>;
}

/** Open calls are settled in this way, or the run is given up with an error. */
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
