import type { FailedDecision } from "../card/decide.ts";

/** A decision that was not accepted, with the title of its thread. */
export type BulkFailure = FailedDecision & { readonly title: string };

/** What became of one decision for many calls. */
export interface BulkReport {
  readonly all: number;
  readonly failures: readonly BulkFailure[];
}

/** What the bar for the selected calls does. */
export type BulkPhase =
  | { readonly type: "choosing"; readonly report?: BulkReport }
  /** The person writes the reason of a rejection. */
  | { readonly type: "writing"; readonly reason: string; readonly report?: BulkReport }
  /** One decision is sent for all calls. What was written is kept until it is known whether it is needed again. */
  | (BulkReport & { readonly type: "sending"; readonly done: number; readonly reason?: string });

export type BulkAction =
  | { readonly type: "write" }
  | { readonly type: "edit"; readonly reason: string }
  /** The person cancels the rejection, or no selected call can be rejected any more. */
  | { readonly type: "drop-reason" }
  | { readonly type: "send"; readonly all: number }
  /** The server has decided some calls. */
  | { readonly type: "decided"; readonly count: number; readonly failures: readonly BulkFailure[] }
  | { readonly type: "finish" }
  | { readonly type: "dismiss-report" };

/** The phase after an action. The same object if the action means nothing in the phase. */
export function bulkPhaseAfter(phase: BulkPhase, action: BulkAction): BulkPhase {
  return phase.type === "sending" ? whileSending(phase, action) : atRest(phase, action);
}

function atRest(phase: Exclude<BulkPhase, { type: "sending" }>, action: BulkAction): BulkPhase {
  const { report } = phase;
  const written = phase.type === "writing" ? { reason: phase.reason } : {};
  switch (action.type) {
    case "write":
      return phase.type === "writing" ? phase : { ...phase, type: "writing", reason: "" };
    case "edit":
      return phase.type === "writing" ? { ...phase, reason: action.reason } : phase;
    case "drop-reason":
      return phase.type === "writing" ? { type: "choosing", ...(report && { report }) } : phase;
    case "send":
      return { type: "sending", ...written, all: action.all, done: 0, failures: [] };
    case "dismiss-report":
      return phase.type === "writing" ? { type: "writing", reason: phase.reason } : { type: "choosing" };
    case "decided":
    case "finish":
      return phase;
  }
}

function whileSending(phase: Extract<BulkPhase, { type: "sending" }>, action: BulkAction): BulkPhase {
  const { reason, all, failures } = phase;
  switch (action.type) {
    case "decided":
      return { ...phase, done: phase.done + action.count, failures: [...failures, ...action.failures] };
    case "drop-reason": {
      const { reason: _reason, ...rest } = phase;
      return rest;
    }
    case "finish": {
      const report = { all, failures };
      // What was refused stays selected with the reason, so that it can be sent again.
      return failures.length === 0 || reason === undefined
        ? { type: "choosing", report }
        : { type: "writing", reason, report };
    }
    default:
      return phase;
  }
}
