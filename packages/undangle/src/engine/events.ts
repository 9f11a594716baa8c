import type { ErrorCode } from "#core";

import type { InexactNumber } from "./arguments-text.ts";
import type { AllowanceMatch, AllowanceScope, CallAllowance } from "./ledger/allowance.ts";
import type { CallState, DecisionType, SettledState } from "./ledger/call.ts";
import type { Usage } from "./ledger/ledger.ts";

/** What every event carries. */
export interface EventData {
  run_start: { readonly runId: string; readonly reason: "message" | "decision" | "recovery" | "regenerate" };
  model_start: { readonly step: number; readonly model: string };
  text_delta: { readonly text: string };
  reasoning_delta: { readonly text: string };
  tool_call_start: { readonly id: string; readonly name: string };
  tool_call_delta: { readonly id: string; readonly text: string };
  tool_call_ready: {
    readonly id: string;
    readonly name: string;
    readonly arguments: unknown;
    /** Under what it runs without a decision, where a person would have to make one. */
    readonly allowance?: CallAllowance;
  };
  approval_required: PendingCall;
  /** With `progress`: what the tool reports while it runs. */
  tool_call_running: {
    readonly id: string;
    readonly name: string;
    readonly attempt: number;
    readonly progress?: unknown;
    /** What a person has decided, where one had to. */
    readonly decision?: ShownDecision;
    /** Where they are not those of the model, but of a person or of a hook. */
    readonly arguments?: unknown;
    readonly proposed?: ProposedCall;
    /** Under what it runs without a decision, where a person would have had to make one. */
    readonly allowance?: CallAllowance;
  };
  tool_call_end: ToolCallEnd;
  repair: { readonly rule: string; readonly message: string };
  warning: { readonly message: string; readonly id?: string; readonly code?: ErrorCode };
  model_discarded: { readonly reason: string };
  /** `entry` is the number of the turn in its thread, at which it can be forked. */
  model_end: {
    readonly finish: string;
    readonly entry: number;
    /** The usage in the provider's form. */
    readonly usage?: Readonly<Record<string, unknown>>;
    /** The usage in a common form. */
    readonly tokens?: Usage;
    /** The model that responded, if it differs from the requested one. */
    readonly model?: string;
  };
  run_end: {
    readonly runId: string;
    readonly status: RunStatus;
    readonly error?: { readonly code: ErrorCode; readonly message: string };
    /** Set if another message, or a request to respond again, replaced the run. */
    readonly cause?: "superseded";
    /** Of this run. */
    readonly usage: Usage;
    /** Of the whole thread, this run included. */
    readonly threadUsage: Usage;
    /** The entry from which `regenerate()` retracted content that is restored, because no other response came. */
    readonly restored?: number;
  };
}

export type EventType = keyof EventData;

/** How a run ended. `waiting`: a person has to decide. */
export type RunStatus = "done" | "waiting" | "stopped" | "failed";

/** How a call ended, whichever way. */
export interface ToolCallEnd {
  readonly id: string;
  readonly name: string;
  readonly success: boolean;
  readonly status: SettledState;
  /** The result for the model: a text, or its parts. */
  readonly result?: unknown;
  /** The same for a call that did not succeed; of a rejection, the sentence without its JSON. */
  readonly error?: string;
  readonly userRejected?: true;
  /** What a person has decided, where one had to. */
  readonly decision?: ShownDecision;
  readonly proposed?: ProposedCall;
}

/** What the model had called, where a hook handed on another tool or other arguments. */
export interface ProposedCall {
  readonly name: string;
  readonly arguments: unknown;
}

/** What a person decided about a call, when, and who that was. */
export interface ShownDecision {
  readonly type: DecisionType;
  /** In milliseconds of the clock. */
  readonly at: number;
  readonly by?: string;
  readonly reason?: string;
  /** What the model had proposed, where it was edited. */
  readonly proposed?: ProposedCall;
  /** What was allowed with it from now on. */
  readonly always?: { readonly scope: AllowanceScope; readonly match: AllowanceMatch };
}

/** What a person has allowed from now on: calls of a tool, all or those with the same arguments, that need no decision. */
export interface Allowance extends InexactArguments {
  readonly id: string;
  readonly tool: string;
  /** `thread`: it holds in this thread; `agent`: in all threads of the agents of that name. */
  readonly scope: AllowanceScope;
  readonly match: AllowanceMatch;
  /** Those that it holds for, where it is not for all. */
  readonly arguments?: unknown;
  /** The call that was decided about when it was given. */
  readonly threadId: string;
  readonly callId: string;
  /** In milliseconds of the clock. */
  readonly at: number;
  readonly by?: string;
}

/** What is shown besides arguments that run otherwise than they are written. */
export interface InexactArguments {
  /** Their text, where a number in it runs as another one. */
  readonly raw?: string;
  /** Those numbers. */
  readonly inexact?: readonly InexactNumber[];
}

/** A call of a thread in any state. */
export interface CallView extends InexactArguments {
  readonly id: string;
  readonly name: string;
  /** Those that are executed; their text where they are not whole. */
  readonly arguments: unknown;
  readonly status: CallState;
  readonly decision?: ShownDecision;
  readonly proposed?: ProposedCall;
  /** Under what it runs, or ran, without a decision. */
  readonly allowance?: CallAllowance;
  /** The result for the model of a settled call. */
  readonly result?: unknown;
  readonly error?: string;
}

/** A call that waits for a decision. */
export interface PendingCall extends InexactArguments {
  readonly id: string;
  readonly name: string;
  /** As they run. */
  readonly arguments: unknown;
  /** Binds a decision to just this call: one that names another digest is refused. */
  readonly digest: string;
  readonly decisions: readonly DecisionType[];
  /** When it expires, in milliseconds of the clock. */
  readonly deadline?: number;
  /** Where a decision may allow the same from now on; nowhere when it is empty. */
  readonly always: readonly AllowanceScope[];
}

/** What happens on a thread, the same live and in the store. */
export type AgentEvent = {
  readonly [Type in EventType]: {
    /** The position for a reader: the number of the event and, inside a stored text, the offset. */
    readonly id: string;
    readonly type: Type;
    readonly data: EventData[Type];
  };
}[EventType];

/** An event that has no place in the thread yet. */
export type EventDraft = {
  readonly [Type in EventType]: { readonly type: Type; readonly data: EventData[Type] };
}[EventType];
