import type { Media, Text } from "#codecs";
import type { Cause, Seal } from "#core";

import type { AllowanceScope, AppliedAlways, CallAllowance } from "./allowance.ts";

/** Where a call stands. It moves to the right only, and has an outcome exactly when it is settled. */
export type CallState = OpenState | SettledState;

/**
 * `proposed`: nothing stands in its way; `awaiting`: a person has to decide; `approved`: one has; `running`: its tool was
 * started, or is about to be.
 */
export type OpenState = "proposed" | "awaiting" | "approved" | "running";

/** `stopped` and `lost` were running, or never began: the cause of the outcome tells which. */
export type SettledState = (typeof settledStates)[number];

export const settledStates = [
  "rejected",
  "responded",
  "superseded",
  "expired",
  "succeeded",
  "failed",
  "timed-out",
  "stopped",
  "lost",
] as const;

/** One call of an answer, from the moment when the model has made it. */
export interface LedgerCall {
  /** Ours, unique in the thread. */
  readonly id: string;
  /** What the model called it; it stands in histories, and is unique there. */
  readonly providerId: string;
  readonly name: string;
  /** The text of the arguments, as they are to be executed: those of the model, or of the person who edited them. */
  readonly raw: string;
  readonly state: CallState;
  /** By what the provider of its model knows the call again. */
  readonly seal?: Seal;
  /** Present when a person has to decide. */
  readonly gate?: Gate;
  /** Present when one has. */
  readonly decision?: RecordedDecision;
  /** Present when a person would have to decide, and has allowed it before. */
  readonly allowance?: CallAllowance;
  /** How often its tool was started. */
  readonly attempts: number;
  /** What the model had called, where a hook handed on another tool or other arguments: `name` and `raw` are what ran. */
  readonly proposed?: CallText & { readonly allowance?: CallAllowance };
  readonly outcome?: Outcome;
}

/** A tool, and the text of its arguments. */
export interface CallText {
  readonly name: string;
  readonly raw: string;
}

export type DecisionType = "approve" | "reject" | "edit" | "respond";

/** What may be decided, and until when. */
export interface Gate {
  /** Of the name and the text of the arguments: what a person gets to see, and decides about. */
  readonly digest: string;
  readonly decisions: readonly DecisionType[];
  /** In milliseconds of the clock. */
  readonly deadline?: number;
  /** Where the same may be allowed from now on; left out, it may not. */
  readonly always?: readonly AllowanceScope[];
}

/** What was decided, by whom and when. */
export interface RecordedDecision {
  readonly type: DecisionType;
  readonly by?: string;
  readonly at: number;
  /** Of the call as it was decided about: only that may run. */
  readonly digest: string;
  readonly reason?: string;
  /** What the model had proposed, where it was edited. */
  readonly proposed?: CallText;
  /** What was allowed from now on. */
  readonly always?: Pick<AppliedAlways, "scope" | "match">;
}

/** What the model is told of a call. */
export type Outcome =
  | { readonly type: "result"; readonly parts: readonly OutcomePart[]; readonly isError: boolean }
  /** There is no result: the cause says why, in words that are true. */
  | { readonly type: "notice"; readonly cause: Cause; readonly reason?: string };

type Unplaced<T> = T extends unknown ? Omit<T, "path"> : never;

export type OutcomePart = Unplaced<Text> | Unplaced<Media>;

/** True for a call that has its outcome: nothing changes it any more. */
export const isSettled = ({ outcome }: Pick<LedgerCall, "outcome">): boolean => outcome !== undefined;

/** True for a call whose tool may be started. */
export const isReady = ({ state }: Pick<LedgerCall, "state">): boolean => state === "proposed" || state === "approved";
