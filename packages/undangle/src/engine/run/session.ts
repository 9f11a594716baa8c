import type { UndangleError } from "#core";

import type { ThreadJournal } from "../journal/thread-journal.ts";
import type { InputEntry } from "../ledger/entry.ts";
import type { Closing, EndedCall } from "../ledger/ledger.ts";
import type { RunHooks } from "../middleware/hooks.ts";
import type { CallDrafts } from "../step/call-drafts.ts";
import type { LiveRun } from "./run.ts";
import type { Setup } from "./setup.ts";

/** A run that is in progress in this process. */
export interface Session {
  readonly run: LiveRun;
  readonly journal: ThreadJournal;
  readonly setup: Setup;
  /** Aborted when the run must end. */
  readonly signal: AbortSignal;
  /** The hooks of the run. Undefined if there are none. */
  readonly hooks: () => RunHooks | undefined;
  /** The running tools, by call id, with the controllers that abort them. */
  readonly running: Map<string, AbortController>;
  /** The arguments of the last turn's calls as validated in this run, with the text they were validated from. */
  readonly validated: Map<string, { readonly name: string; readonly raw: string; readonly value: unknown }>;
  /** What running calls have written, before it is saved. */
  readonly drafts: CallDrafts;
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
