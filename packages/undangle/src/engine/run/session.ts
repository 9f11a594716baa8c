import type { HookContext } from "../middleware/hooks.ts";
import type { Closing } from "../ledger/ledger.ts";
import type { Book } from "./book.ts";
import type { Abortable } from "./abortable.ts";
import type { LiveRun } from "./run.ts";
import type { Setup } from "./setup.ts";

/** A run that is under way in this process. */
export interface Session {
  readonly run: LiveRun;
  readonly book: Book;
  readonly setup: Setup;
  /** Aborted when the run is to end. */
  readonly signal: AbortSignal;
  /** The tools that are running, by call, and how each is told to stop. */
  readonly running: Map<string, Abortable>;
  /** What the tools of calls get, as validated in this run, and the text that was. */
  readonly validated: Map<string, { readonly name: string; readonly raw: string; readonly value: unknown }>;
  /** It has come to its end: whatever happens from now on is for the next run. */
  isClosing: boolean;
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
  | { readonly how: Closing; readonly error?: Error }
  | { readonly how: "fault"; readonly error: Error };

export function createSession(run: LiveRun, book: Book, setup: Setup): Session {
  const abort = new AbortController();
  const running = new Map<string, Abortable>();
  let ending: Ending | undefined;
  let isWoken = false;
  let listener: (() => void) | undefined;
  const { promise: over, resolve: finish } = Promise.withResolvers<undefined>();
  const waiters = new Set<(nothing: undefined) => void>();
  const orOver = <T>(promise: Promise<T>): Promise<T | undefined> => {
    const { promise: either, resolve, reject } = Promise.withResolvers<T | undefined>();
    if (ending === undefined) waiters.add(resolve);
    else resolve(undefined);
    promise.then(
      (value) => {
        waiters.delete(resolve);
        return resolve(value);
      },
      (error: unknown) => {
        waiters.delete(resolve);
        return reject(error);
      },
    );
    return either;
  };
  const wake = (): void => {
    isWoken = true;
    listener?.();
  };
  return {
    run,
    book,
    setup,
    signal: abort.signal,
    running,
    validated: new Map(),
    isClosing: false,
    isOverCalls: false,
    reminders: 0,
    ending: () => ending,
    end(given) {
      if (ending !== undefined) return;
      ending = given;
      abort.abort(given.error ?? new DOMException("The run was stopped.", "AbortError"));
      for (const each of running.values()) each.abort(abort.signal.reason);
      finish(undefined);
      for (const each of waiters) each(undefined);
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
}

/** What a hook gets to know of a run. */
export const contextOf = ({ book, run, signal }: Session): HookContext => ({
  threadId: book.threadId,
  runId: run.id,
  signal,
});
