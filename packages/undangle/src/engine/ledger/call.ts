import type { Media, Text } from "#codecs";
import type { Cause, Seal } from "#core";

import type { AllowanceScope, AppliedAlways, CallAllowance } from "./allowance.ts";

/** The state of a call. It only moves forward, and has an outcome exactly if it is settled. */
export type CallState = OpenState | SettledState;

/**
 * `proposed`: nothing blocks it; `awaiting`: it needs a decision; `approved`: it was approved; `running`: its tool was
 * started, or is about to be.
 */
export type OpenState = "proposed" | "awaiting" | "approved" | "running";

/** `stopped` and `lost` calls were running or never started; the cause of the outcome shows which. */
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

/** A call of a turn. */
export interface LedgerCall {
  /** Ours, unique in the thread. */
  readonly id: string;
  /** The id from the model, which histories use; unique there. */
  readonly providerId: string;
  readonly name: string;
  /** The argument text to execute: that of the model, or of the person who edited it. */
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

/** The outcome of a call for the model. */
export type Outcome =
  | { readonly type: "result"; readonly parts: readonly OutcomePart[]; readonly isError: boolean }
  /** There is no result; the cause truthfully states why. */
  | { readonly type: "notice"; readonly cause: Cause; readonly reason?: string };

type Unplaced<T> = T extends unknown ? Omit<T, "path"> : never;

export type OutcomePart = Unplaced<Text> | Unplaced<Media>;

/** True for a call that has its outcome: nothing changes it any more. */
export const isSettled = ({ outcome }: Pick<LedgerCall, "outcome">): boolean => outcome !== undefined;

/** True for a call whose tool may be started. */
export const isReady = ({ state }: Pick<LedgerCall, "state">): boolean => state === "proposed" || state === "approved";
