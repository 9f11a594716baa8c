import type { Media, Text } from "#codecs";
import type { Cause, Seal } from "#core";

import type { CallDisplay } from "../approvals/call-display.ts";
import type { Decision } from "../approvals/decisions.ts";
import type { PendingCall, ShownRule } from "../events.ts";
import type { Usage } from "./ledger.ts";

/** The state of a call. It only moves forward, and has an outcome exactly if it is settled. */
export type CallState = OpenState | SettledState;

/**
 * `proposed`: nothing blocks it; `awaiting`: it needs a decision; `approved`: it was approved; `running`: its tool was
 * started or is about to start; `delegated`: it was started, and its child thread waits for decisions.
 */
export type OpenState = "proposed" | "awaiting" | "approved" | "running" | "delegated";

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
  /** The engine's id, unique in the thread. */
  readonly id: string;
  /** The id from the model, which histories use; unique there. */
  readonly providerId: string;
  readonly name: string;
  /** The argument text to execute: that of the model, or of the person who edited it. */
  readonly raw: string;
  readonly state: CallState;
  /** The provider's signature of the call. */
  readonly seal?: Seal;
  /** Present if the call needs a decision. */
  readonly gate?: Gate;
  /** Present if a person has decided. */
  readonly decision?: RecordedDecision;
  /** Present if an allowance made the decision unnecessary. */
  readonly allowance?: CallAllowance;
  /** The number of times its tool was started. */
  readonly attempts: number;
  /** When its tool was first started, in milliseconds of the clock. Absent for imported calls. */
  readonly startedAt?: number;
  /** When it was settled. Absent for imported calls, and for those that a crash interrupted: their end is unknown. */
  readonly endedAt?: number;
  /** The original call, if a hook substituted another tool or other arguments. `name` and `raw` are what ran. */
  readonly proposed?: CallText & { readonly allowance?: CallAllowance };
  /** Present if an agent runs the call on a thread of its own. */
  readonly child?: ChildThread;
  readonly outcome?: Outcome;
}

/** The thread on which an agent runs a call. */
export interface ChildThread {
  readonly thread: string;
  /** The usage of the child that the usage of this thread includes. */
  readonly usage: Usage;
  /** The pending calls of the child when it began to wait, with the ids of the child. */
  readonly pending?: readonly PendingCall[];
  /** Decisions that the child has not received yet. */
  readonly decisions?: readonly ChildDecisions[];
}

/** Decisions for a child thread, by the ids of the child. */
export interface ChildDecisions {
  readonly decisions: Readonly<Record<string, StoredDecision>>;
  readonly by?: string;
}

/** A decision as JSON. */
export type StoredDecision =
  | Exclude<Decision, { readonly type: "respond" }>
  | {
      readonly type: "respond";
      readonly outcome: Extract<Outcome, { readonly type: "result" }>;
      readonly digest?: string | undefined;
    };

/** A tool name, and the text of the arguments. */
export interface CallText {
  readonly name: string;
  readonly raw: string;
}

export type DecisionType = "approve" | "reject" | "edit" | "respond";

/** The accepted decisions, their deadline, and why the call needs one. */
export interface Gate {
  /** The digest of the name and the argument text, which the person sees and decides about. */
  readonly digest: string;
  readonly decisions: readonly DecisionType[];
  /** In milliseconds of the clock. */
  readonly deadline?: number;
  /** The scopes of allowances that a decision may create. None if omitted. */
  readonly always?: readonly AllowanceScope[];
  /** When the call began to wait. Like the next two, absent in threads of earlier versions. */
  readonly since?: number;
  /** The name of the agent that requests the call, if it has one. */
  readonly agent?: string;
  readonly rule?: ShownRule;
  /** How the call is shown to the person. */
  readonly display?: CallDisplay;
}

/** A decision, with its author and time. */
export interface RecordedDecision {
  readonly type: DecisionType;
  readonly by?: string;
  readonly at: number;
  /** The digest of the call that was decided. Only that call may run. */
  readonly digest: string;
  readonly reason?: string;
  /** The original call, if the person edited it. */
  readonly proposed?: CallText;
  /** The allowance that the decision created. */
  readonly always?: Pick<AppliedAlways, "scope" | "match">;
}

/** The outcome of a call for the model. */
export type Outcome =
  | { readonly type: "result"; readonly parts: readonly OutcomePart[]; readonly isError: boolean }
  /** There is no result; the cause truthfully states why. */
  | { readonly type: "notice"; readonly cause: Cause; readonly reason?: string };

type Unplaced<T> = T extends unknown ? Omit<T, "path"> : never;

export type OutcomePart = Unplaced<Text> | Unplaced<Media>;

/** The fields that are not undefined. */
export const present = <Fields extends object>(
  fields: Fields,
): { readonly [Key in keyof Fields]?: Exclude<Fields[Key], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    readonly [Key in keyof Fields]?: Exclude<Fields[Key], undefined>; // undefined values were removed
  };

/** True for a call with an outcome, which does not change any more. */
export const isSettled = ({ outcome }: Pick<LedgerCall, "outcome">): boolean => outcome !== undefined;

/** True for a call that continues only after a decision, of its own or of its child thread. */
export const isWaiting = ({ state }: Pick<LedgerCall, "state">): boolean =>
  state === "awaiting" || state === "delegated";

/** True for a call whose tool may start. */
export const isReady = ({ state }: Pick<LedgerCall, "state">): boolean => state === "proposed" || state === "approved";

/** A call that does not wait for its child thread any more. */
export function withoutPending(call: LedgerCall): LedgerCall {
  if (call.child === undefined) return call;
  const { thread, usage } = call.child;
  return { ...call, child: { thread, usage } };
}

/** A call for a copy of its thread. The child thread belongs to the original. */
export function withoutChild(call: LedgerCall): LedgerCall {
  const { child: _, ...rest } = call;
  return rest;
}

/** The ledger's id of a call, by its number in the thread. */
export const callId = (number: number): string => `call_${number + 1}`;

/** The next free call number after calls with these ids and this count. */
export function nextNumber(count: number, ids: readonly string[]): number {
  return ids.reduce((next, id) => Math.max(next, Number(id.slice("call_".length)) || 0), count + ids.length);
}

/** Applies to one thread, or to all threads of agents with the same name. */
export type AllowanceScope = "thread" | "agent";

/** Covers every call of a tool, or only calls with the same arguments. */
export type AllowanceMatch = "tool" | "arguments";

/** A stored permission: the calls that it covers need no decision. */
export interface LedgerAllowance {
  readonly id: string;
  readonly tool: string;
  /** The digest of the arguments, if it covers only calls with these. */
  readonly digest?: string;
  /** The call whose decision created it. */
  readonly call: string;
  readonly at: number;
  readonly by?: string;
}

/** The allowance that a decision creates. */
export interface AppliedAlways {
  readonly scope: AllowanceScope;
  readonly match: AllowanceMatch;
  readonly allowance: LedgerAllowance;
}

/** The allowance under which a call runs without a decision. */
export interface CallAllowance {
  readonly id: string;
  readonly scope: AllowanceScope;
  /** When it was created, in milliseconds of the clock, and by whom. */
  readonly at: number;
  readonly by?: string;
}

/** Adds allowances without duplicates. Returns the same list if nothing is new. */
export function withAllowances<One extends LedgerAllowance>(
  known: readonly One[],
  more: readonly One[],
): readonly One[] {
  const all = [...known];
  for (const each of more) {
    const isKnown = all.some(({ tool, digest }) => tool === each.tool && digest === each.digest);
    if (!isKnown) all.push(each);
  }
  return all.length === known.length ? known : all;
}
