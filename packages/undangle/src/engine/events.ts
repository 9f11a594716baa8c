import type { DecisionType, SettledState } from "./ledger/call.ts";
import type { Usage } from "./ledger/ledger.ts";

/** What every event carries. */
export interface EventData {
  run_start: { readonly runId: string; readonly reason: "message" | "decision" | "recovery" };
  model_start: { readonly step: number; readonly model: string };
  text_delta: { readonly text: string };
  reasoning_delta: { readonly text: string };
  tool_call_start: { readonly id: string; readonly name: string };
  tool_call_delta: { readonly id: string; readonly text: string };
  tool_call_ready: { readonly id: string; readonly name: string; readonly arguments: unknown };
  approval_required: PendingCall;
  /** With `progress`: what the tool reports while it runs. */
  tool_call_running: {
    readonly id: string;
    readonly name: string;
    readonly attempt: number;
    readonly progress?: unknown;
  };
  tool_call_end: ToolCallEnd;
  repair: { readonly rule: string; readonly message: string };
  warning: { readonly message: string; readonly id?: string };
  model_discarded: { readonly reason: string };
  model_end: { readonly finish: string; readonly usage?: Readonly<Record<string, unknown>> };
  run_end: {
    readonly runId: string;
    readonly status: RunStatus;
    readonly error?: { readonly code: string; readonly message: string };
    readonly usage: Usage;
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
  /** What the model is told: a text, or its parts where there is more than that. */
  readonly result?: unknown;
  readonly error?: string;
  readonly userRejected?: true;
}

/** A call that waits for a decision. */
export interface PendingCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
  /** Binds a decision to just this call: one that names another digest is refused. */
  readonly digest: string;
  readonly decisions: readonly DecisionType[];
  /** When it expires, in milliseconds of the clock. */
  readonly deadline?: number;
}

/** What happens on a thread, the same live and in the store. */
export type AgentEvent = {
  readonly [Type in EventType]: {
    /** Where a reader may go on: the number of the event and, in pieces of text that are kept as one, how far it had come. */
    readonly id: string;
    readonly type: Type;
    readonly data: EventData[Type];
  };
}[EventType];

/** An event that has no place in the thread yet. */
export type EventDraft = {
  readonly [Type in EventType]: { readonly type: Type; readonly data: EventData[Type] };
}[EventType];
