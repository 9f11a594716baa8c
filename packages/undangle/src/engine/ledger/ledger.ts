import type { JsonObject } from "#core";
import type { FileChange } from "#store";

import type { PendingCall } from "../events.ts";
import type {
  AppliedAlways,
  CallAllowance,
  ChildDecisions,
  LedgerAllowance,
  CallText,
  DecisionType,
  Gate,
  LedgerCall,
  Outcome,
  SettledState,
} from "./call.ts";
import type { RunMode } from "../run/run-mode.ts";
import type { TurnEntry, Entry, InputEntry, Recorded } from "./entry.ts";

/** The state that is needed to resume a thread. Only its last turn can have open calls, so its size is constant. */
export interface Ledger {
  /** A unique key of the thread, for the idempotency keys of its calls. Empty before the first run. */
  readonly key: string;
  /** The number of entries. */
  readonly entries: number;
  /** The number of the next call. */
  readonly calls: number;
  /** The last turn while some of its calls are open. */
  readonly turn: OpenTurn | undefined;
  /** Set if an imported history ends with unanswered calls. The next message decides their cause. */
  readonly ending: ImportEnding | undefined;
  /** True if the model must respond. */
  readonly isAsking: boolean;
  /** Messages that wait for open calls. */
  readonly queue: readonly InputEntry[];
  /** The current run. Undefined while the thread is idle. */
  readonly run: LedgerRun | undefined;
  /** The mode of the current or last run, which a run that resumes it keeps. Undefined before the first run. */
  readonly mode: RunMode | undefined;
  /** True if a hook ended the last run before a queued message had a response, so another run must follow. */
  readonly isOwing: boolean;
  readonly usage: Usage;
  /** The state of tools and middleware, by key. */
  readonly state: JsonObject;
  /** The allowances of this thread. */
  readonly allowed: readonly LedgerAllowance[];
  /** Metadata set by the application, by key. */
  readonly meta: JsonObject;
  /** Present in a child thread. */
  readonly parent?: ParentCall;
}

/** The call that a child thread runs. */
export interface ParentCall {
  readonly thread: string;
  readonly call: string;
  /** 1 for a child of a thread without a parent. */
  readonly depth: number;
  /** Files of the parent that the child has deleted. */
  readonly deleted: readonly string[];
}

export interface OpenTurn {
  /** The number of the turn's entry. */
  readonly entry: number;
  /** All calls of the turn, in order. */
  readonly calls: readonly LedgerCall[];
}

/** The last turn of an imported history, and its unanswered calls. */
export interface ImportEnding {
  /** The number of the turn's entry. */
  readonly entry: number;
  readonly calls: readonly { readonly call: LedgerCall; readonly place: number }[];
}

/** A run from its start until the thread is idle or waits for a decision. */
export interface LedgerRun {
  readonly id: string;
  readonly at: number;
  /** The number of its turns and calls. */
  readonly steps: number;
  readonly calls: number;
  /** The usage of this run. */
  readonly usage: Usage;
  /** The number of consecutive turns without an executable call. */
  readonly faulty: number;
}

/** Tokens, as reported by models. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  /** The input tokens that came from the provider's cache. */
  readonly cachedTokens: number;
}

/** An event that changes a thread. */
export type LedgerEvent =
  | { readonly type: "begin"; readonly run: string; readonly at: number; readonly mode?: RunMode }
  | { readonly type: "say"; readonly entry: InputEntry }
  /** A message while calls are open; it waits until they are settled. */
  | { readonly type: "queue"; readonly entry: InputEntry }
  /** Removes a queued message, or the last entry, if it is not saved: `last` is whether the model must respond without it. */
  | { readonly type: "withdraw"; readonly entry: InputEntry; readonly last?: Pick<Ledger, "isAsking"> }
  | {
      readonly type: "answer";
      readonly entry: TurnEntry;
      readonly calls: readonly LedgerCall[];
      readonly usage: Usage;
    }
  | { readonly type: "start"; readonly ids: readonly string[]; readonly at: number }
  /** A hook substitutes another tool or other arguments for a started call. */
  | ({ readonly type: "hand-on"; readonly id: string; readonly allowance: CallAllowance | undefined } & CallText)
  /** Tools have finished. */
  | { readonly type: "end"; readonly calls: readonly EndedCall[] }
  /** Gates proposed calls that have not started. Calls that an allowance covers need no decision. */
  | {
      readonly type: "gate";
      readonly gates: ReadonlyMap<string, Gate>;
      readonly allowances: ReadonlyMap<string, CallAllowance>;
    }
  /** Applies decisions, and the allowances for the thread that they create. */
  | { readonly type: "decide"; readonly decisions: readonly AppliedDecision[] }
  /** Revokes allowances. */
  | { readonly type: "revoke"; readonly ids: readonly string[] }
  /** The usage of the child thread of a call. */
  | { readonly type: "track-child"; readonly id: string; readonly thread: string; readonly usage: Usage }
  /** The child threads of these calls wait for decisions. */
  | { readonly type: "delegate"; readonly calls: readonly DelegatedCall[] }
  /** Calls whose child threads wait may start again, with decisions for those threads. Running calls continue. */
  | { readonly type: "resume"; readonly calls: readonly ResumedCall[] }
  /** The child thread of a call has saved decisions, or refused them. */
  | { readonly type: "receive"; readonly id: string; readonly given: ChildDecisions }
  /** The thread is a child. In the first commit of a thread. */
  | { readonly type: "nest"; readonly parent: Omit<ParentCall, "deleted"> }
  /** Settles all open calls, or the given ones. */
  | { readonly type: "close"; readonly how: Closing; readonly at: number; readonly ids?: readonly string[] }
  /** Calls that were about to start, or that a dead process had started, may start again. */
  | { readonly type: "reclaim"; readonly ids: readonly string[]; readonly hasBegun: boolean }
  /**
   * Imports a history after the existing entries, with tool state, queued messages and the mode of its last run. Only its last turn may have open
   * calls.
   */
  | {
      readonly type: "import";
      readonly recorded: readonly Recorded[];
      readonly state?: Ledger["state"];
      readonly queue?: readonly InputEntry[];
      readonly mode?: Ledger["mode"];
    }
  /** The model must respond again, without the entries from `from` on. */
  | { readonly type: "retract"; readonly from: number; readonly ending: Ledger["ending"]; readonly at: number }
  /** Restores retracted entries from this entry on. */
  | {
      readonly type: "restore";
      readonly retraction: number;
      readonly from: number;
      readonly isAsking: boolean;
      readonly ending: Ledger["ending"];
      readonly at: number;
    }
  /** Sets keys of the state. Undefined removes a key. */
  | { readonly type: "remember"; readonly values: JsonObject }
  /** The tokens of a request outside the conversation. */
  | { readonly type: "spend"; readonly usage: Usage }
  /** Changes files of the thread. The ledger does not contain them. */
  | WriteFiles
  /** The metadata of the thread. Given keys replace earlier ones, and null removes a key. */
  | { readonly type: "describe"; readonly meta: JsonObject; readonly title?: string }
  /** A run ends. `isOwing`: queued messages need another run. */
  | { readonly type: "finish"; readonly isOwing?: boolean };

/** The end of a call whose tool was started. */
export interface EndedCall {
  readonly id: string;
  readonly at: number;
  readonly state: SettledState;
  readonly outcome: Outcome;
}

/** A call whose child thread waits for decisions. */
export interface DelegatedCall {
  readonly id: string;
  readonly pending: readonly PendingCall[];
}

export interface ResumedCall {
  readonly id: string;
  /** None if an approval in the child thread has expired. */
  readonly decisions?: ChildDecisions;
}

/** Why calls are settled without an outcome of their own. */
export type Closing = "superseded" | "expired" | "stopped" | "limit" | "crashed";

/** A validated decision. */
export interface AppliedDecision {
  readonly id: string;
  readonly type: DecisionType;
  readonly at: number;
  /** The digest of the call to execute. */
  readonly digest: string;
  readonly by?: string;
  readonly reason?: string;
  /** The call to execute, if it was edited. */
  readonly edited?: CallText;
  /** The result that the person supplied. */
  readonly outcome?: Outcome;
  readonly always?: AppliedAlways;
}

/** What must be saved. The next action is derived from the ledger by `nextOf`. */
export type LedgerAction =
  | { readonly type: "append"; readonly entry: Entry }
  | { readonly type: "save"; readonly call: LedgerCall; readonly entry: number; readonly place: number }
  | WriteFiles;

/** Changes to files, which are saved in one commit with everything else. */
export interface WriteFiles {
  readonly type: "write-files";
  readonly changes: readonly FileChange[];
}

/** `ask` the model, `call` tools, `wait` for a decision, or `rest` if there is nothing to do. */
export type Next = "ask" | "call" | "wait" | "rest";

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0, cachedTokens: 0 };

/** A new thread. */
export const emptyLedger: Ledger = {
  key: "",
  entries: 0,
  calls: 0,
  turn: undefined,
  ending: undefined,
  isAsking: false,
  queue: [],
  run: undefined,
  mode: undefined,
  isOwing: false,
  usage: noUsage,
  state: {},
  allowed: [],
  meta: {},
};
