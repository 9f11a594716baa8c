import type { Edit, ErrorCode, JsonObject } from "#core";

import type { CallDisplay } from "./approvals/call-display.ts";
import type { InexactNumber } from "./arguments-text.ts";
import type {
  AllowanceMatch,
  AllowanceScope,
  CallAllowance,
  CallState,
  DecisionType,
  SettledState,
} from "./ledger/call.ts";
import type { Usage } from "./ledger/ledger.ts";
import type { RunMode } from "./run/run-mode.ts";

/** The data of each event type. */
export interface EventData {
  run_start: {
    readonly runId: string;
    readonly reason: "message" | "decision" | "recovery" | "regenerate";
    readonly mode: RunMode;
  };
  /** With `purpose`: a request of a middleware outside the conversation. None of its text is emitted. */
  model_start: {
    readonly step: number;
    readonly model: string;
    readonly purpose?: string;
    /** In milliseconds of the clock. The event is stored later, with the end of the response. */
    readonly at?: number;
  };
  text_delta: { readonly text: string };
  reasoning_delta: { readonly text: string };
  tool_call_start: { readonly id: string; readonly name: string };
  tool_call_delta: { readonly id: string; readonly text: string };
  tool_call_ready: {
    readonly id: string;
    readonly name: string;
    readonly arguments: unknown;
    /** The allowance under which the call needs no decision. */
    readonly allowance?: CallAllowance;
  };
  approval_required: PendingCall;
  /** With `progress`: a progress report of the tool. */
  tool_call_running: {
    readonly id: string;
    readonly name: string;
    readonly attempt: number;
    /** When its tool was first started, in milliseconds of the clock. */
    readonly startedAt?: number;
    readonly progress?: unknown;
    /** The person's decision, if the call needed one. */
    readonly decision?: ShownDecision;
    /** Present if a person or a hook changed the arguments. */
    readonly arguments?: unknown;
    readonly proposed?: ProposedCall;
    /** The allowance under which the call needed no decision. */
    readonly allowance?: CallAllowance;
  };
  tool_call_end: ToolCallEnd;
  repair: {
    readonly rule: string;
    readonly message: string;
    /** In milliseconds of the clock. The event is stored later, with the response. */
    readonly at?: number;
    /** The edit of a request. Without its values if they are long. */
    readonly edit?: Edit;
    /** The call of a response that it concerns. */
    readonly id?: string;
  };
  warning: {
    readonly message: string;
    readonly id?: string;
    readonly code?: ErrorCode;
    /** In milliseconds of the clock, if it concerns a response, with which it is stored later. */
    readonly at?: number;
  };
  /** `at` is absent for a response that a crash interrupted. */
  model_discarded: { readonly reason: string; readonly at?: number };
  model_end: {
    readonly finish: string;
    /** The number of the turn in its thread, at which it can be forked. Not with `purpose`. */
    readonly entry?: number;
    /** Set for a request outside the conversation, as in its `model_start`. */
    readonly purpose?: string;
    /** The usage in the provider's form. */
    readonly usage?: JsonObject;
    /** The usage in a common form. */
    readonly tokens?: Usage;
    /** The model that responded, if it differs from the requested one. */
    readonly model?: string;
    /** In milliseconds of the clock. */
    readonly at?: number;
  };
  run_end: {
    readonly runId: string;
    readonly status: RunStatus;
    readonly error?: { readonly code: ErrorCode; readonly message: string };
    /** Set if another message, or a request to respond again, replaced the run. */
    readonly cause?: "superseded";
    /** The usage of this run. */
    readonly usage: Usage;
    /** The usage of the whole thread, including this run. */
    readonly threadUsage: Usage;
    /** The entry from which `regenerate()` retracted content that is restored, because no other response followed. */
    readonly restored?: number;
  };
}

export type EventType = keyof EventData;

/** How a run ended. `waiting`: calls need a decision. */
export type RunStatus = "done" | "waiting" | "stopped" | "failed";

/** The end of a call. */
export interface ToolCallEnd {
  readonly id: string;
  readonly name: string;
  readonly success: boolean;
  readonly status: SettledState;
  /** The result for the model: a text, or its parts. */
  readonly result?: unknown;
  /** The error text of a call that did not succeed. For a rejection, the sentence without its JSON. */
  readonly error?: string;
  readonly userRejected?: true;
  /** In milliseconds of the clock. Absent if a crash interrupted it. */
  readonly endedAt?: number;
  /** The person's decision, if the call needed one. */
  readonly decision?: ShownDecision;
  readonly proposed?: ProposedCall;
}

/** The original call, if a hook substituted another tool or other arguments. */
export interface ProposedCall {
  readonly name: string;
  readonly arguments: unknown;
}

/** A decision about a call, with its time and author. */
export interface ShownDecision {
  readonly type: DecisionType;
  /** In milliseconds of the clock. */
  readonly at: number;
  readonly by?: string;
  readonly reason?: string;
  /** The original call, if the person edited it. */
  readonly proposed?: ProposedCall;
  /** The allowance that the decision created. */
  readonly always?: { readonly scope: AllowanceScope; readonly match: AllowanceMatch };
}

/** A stored permission: all calls of a tool, or those with the same arguments, need no decision. */
export interface Allowance extends InexactArguments {
  readonly id: string;
  readonly tool: string;
  /** `thread`: it applies to the thread with `threadId`; `agent`: to all threads of agents with that name. */
  readonly scope: AllowanceScope;
  readonly match: AllowanceMatch;
  /** The covered arguments, if it does not cover all calls. */
  readonly arguments?: unknown;
  /** The thread and the call whose decision created it. */
  readonly threadId: string;
  readonly callId: string;
  /** In milliseconds of the clock. */
  readonly at: number;
  readonly by?: string;
}

/** Details of arguments that run with other values than written. */
export interface InexactArguments {
  /** The argument text, if it contains inexact numbers. */
  readonly raw?: string;
  /** The inexact numbers. */
  readonly inexact?: readonly InexactNumber[];
}

/** A call of a thread in any state. */
export interface CallView extends InexactArguments {
  readonly id: string;
  readonly name: string;
  /** The arguments to execute, or their text if they are incomplete or nested deeper than 500 levels. */
  readonly arguments: unknown;
  readonly status: CallState;
  readonly decision?: ShownDecision;
  readonly proposed?: ProposedCall;
  /** The allowance under which the call runs or ran without a decision. */
  readonly allowance?: CallAllowance;
  /** The child thread on which an agent runs the call. */
  readonly thread?: string;
  /** The result for the model of a settled call. */
  readonly result?: unknown;
  readonly error?: string;
  /** When its tool was first started, and when the call ended, in milliseconds of the clock. Absent if unknown. */
  readonly startedAt?: number;
  readonly endedAt?: number;
}

/** A pending call. */
export interface PendingCall extends InexactArguments, CallDisplay {
  /** For a call of a child thread: the ids of the calls that lead to it, joined by `/`. */
  readonly id: string;
  /** Where a call of a child thread is, for people: `task#call_1 > drop_db`. */
  readonly path?: string;
  readonly name: string;
  /** The arguments that the tool gets. */
  readonly arguments: unknown;
  /** Binds a decision to this call. A decision with another digest is refused. */
  readonly digest: string;
  readonly decisions: readonly DecisionType[];
  /** When it expires, in milliseconds of the clock. */
  readonly deadline?: number;
  /** The scopes of allowances that a decision may create. None if empty. */
  readonly always: readonly AllowanceScope[];
  /** Since when it waits, in milliseconds of the clock. Absent for calls of earlier versions. */
  readonly since?: number;
  /** The name of the agent that requests it. */
  readonly agent?: string;
  /** True if another agent continues the thread: only the one that requests the call may run it. */
  readonly foreign?: true;
  /** The rule that requires the decision. */
  readonly rule?: ShownRule;
}

/** The rule that stopped a call, for people. */
export interface ShownRule {
  /** `tool`: the tool itself. `agent`: the option `approvals` of the agent. Otherwise the name of a middleware. */
  readonly from: string;
  /** The names of tools that the rule applies to, with wildcards. */
  readonly tools: readonly string[];
  /** True if the rule has a condition, which this call meets. */
  readonly conditional: boolean;
  /** Why these calls need a decision, in the words of the author. */
  readonly reason?: string;
}

/** An event of a thread, the same live and stored. */
export type AgentEvent = {
  readonly [Type in EventType]: {
    /** The position for a reader: the number of the event and, inside a stored text, the offset. */
    readonly id: string;
    readonly type: Type;
    readonly data: EventData[Type];
    /**
     * Present for an event of a child thread: the ids of the calls that lead to it. Such events are stored with the
     * child thread only. Call ids in their data start with the path.
     */
    readonly path?: readonly string[];
  };
}[EventType];

/** An event without a number yet. */
export type EventDraft = {
  readonly [Type in EventType]: {
    readonly type: Type;
    readonly data: EventData[Type];
    readonly path?: readonly string[];
  };
}[EventType];
