import { useSyncExternalStore } from "react";
import { ServerRefusal } from "undangle/client";
import type { Decisions, PendingCall, RefusedCall } from "undangle/client";

import { newIdempotencyKey } from "../api/idempotency-key.ts";
import { isFinal, server } from "../api/server.ts";
import type { CardTexts } from "../texts/card-texts.ts";
import { serverTime } from "../api/server-time.ts";
import { dropDrafts } from "./card-drafts.ts";

export type Decision = Decisions[string];

/** What became of a decision that was made in this tab. */
export type Deciding =
  /** `attempt` is more than 1 if a response was lost. */
  | { readonly phase: "sending"; readonly decision: Decision; readonly attempt: number }
  | { readonly phase: "accepted"; readonly decision: Decision; readonly at: number }
  | { readonly phase: "failed"; readonly decision: Decision; readonly error: unknown };

/** A call and the decision about it. */
interface DecidedCall {
  readonly call: PendingCall;
  readonly decision: Decision;
}

/** A decision that the server did not accept. */
export interface FailedDecision extends DecidedCall {
  readonly error: unknown;
}

/** The call as it was when the server refused its decision, for example because another person had decided. */
export const refusedCall = (error: unknown, { id }: PendingCall): RefusedCall | undefined =>
  error instanceof ServerRefusal ? error.calls.find((call) => call.id === id) : undefined;

/** Why a decision was not accepted. If no response came, it may have been. */
export const whyNotAccepted = (error: unknown, texts: CardTexts): string =>
  error instanceof ServerRefusal ? texts.failed(error.message) : texts.notConfirmed;

/** By thread, call and digest: a changed call is another one. */
const known = new Map<string, Deciding>();
const listeners = new Set<() => void>();
let version = 0;

const placeOf = (threadId: string, { id, digest }: PendingCall): string => JSON.stringify([threadId, id, digest]);

function note(threadId: string, calls: readonly DecidedCall[], next: (decision: Decision) => Deciding): void {
  for (const { call, decision } of calls) known.set(placeOf(threadId, call), next(decision));
  version++;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The phase of the decision of this tab about a call, for lists of calls. */
export function usePhaseHere(): typeof phaseHere {
  useSyncExternalStore(subscribe, () => version);
  return phaseHere;
}

const phaseHere = (threadId: string, call: PendingCall): Deciding["phase"] | undefined =>
  known.get(placeOf(threadId, call))?.phase;

/** The decision of this tab about a call. It outlives the card, which may be closed and opened again. */
export const useDeciding = (threadId: string, call: PendingCall): Deciding | undefined =>
  useSyncExternalStore(subscribe, () => known.get(placeOf(threadId, call)));

/** True if this tab is sending a decision about the call, or the server has accepted one. */
export function isDecidedHere(threadId: string, call: PendingCall): boolean {
  const phase = phaseHere(threadId, call);
  return phase === "sending" || phase === "accepted";
}

/**
 * Sends decisions about calls of one thread, each with the digest of what was shown. A call whose decision is on its
 * way, or accepted, is not decided again. Resolves with the decisions that were not accepted.
 */
export async function decide(threadId: string, wanted: readonly DecidedCall[]): Promise<readonly FailedDecision[]> {
  const calls = wanted
    .filter(({ call }) => !isDecidedHere(threadId, call))
    .map(({ call, decision }) => ({ call, decision: { ...decision, digest: call.digest } }));
  if (calls.length === 0) return [];
  if (calls.length > mostDecisions) {
    const failures: FailedDecision[] = [];
    for (let i = 0; i < calls.length; i += mostDecisions)
      failures.push(...(await decide(threadId, calls.slice(i, i + mostDecisions))));
    return failures;
  }
  const onAttempt = (attempt: number): void =>
    note(threadId, calls, (decision) => ({ phase: "sending", decision, attempt }));
  onAttempt(1);
  try {
    await send(threadId, calls, onAttempt);
    note(threadId, calls, (decision) => ({ phase: "accepted", decision, at: serverTime() }));
    for (const { call } of calls) dropDrafts(threadId, call);
    return [];
  } catch (error) {
    note(threadId, calls, (decision) => ({ phase: "failed", decision, error }));
    const isShared = calls.length > 1 && error instanceof ServerRefusal && error.code === "decision/refused";
    if (!isShared) return calls.map((each) => ({ ...each, error }));
    const failures: FailedDecision[] = []; // one refused decision refuses all of a request, so each is sent alone
    for (const each of calls) failures.push(...(await decide(threadId, [each])));
    return failures;
  }
}

const mostAttempts = 20;

/** The server takes at most so many decisions in a request. */
const mostDecisions = 500;

/** Sends until a response arrives. All attempts have one key, so that the server takes the decision once. */
async function send(
  threadId: string,
  calls: readonly DecidedCall[],
  onAttempt: (attempt: number) => void,
): Promise<void> {
  const decisions = Object.fromEntries(calls.map(({ call, decision }) => [call.id, decision]));
  const idempotencyKey = newIdempotencyKey();
  for (let attempt = 1; ; attempt++) {
    try {
      await server.threads.start.decide(threadId, decisions, { idempotencyKey, signal: AbortSignal.timeout(15_000) });
      return;
    } catch (error) {
      if (!isTransient(error) || attempt === mostAttempts) throw error;
    }
    onAttempt(attempt + 1);
    await pause(Math.min(250 * 2 ** attempt, 8_000));
  }
}

/** True if the response was lost, or the server could not respond yet. */
const isTransient = (error: unknown): boolean =>
  !isFinal(error) || (error instanceof ServerRefusal && error.code === "idempotency-pending");

/** Ends early when the browser is online again. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      removeEventListener("online", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    addEventListener("online", end);
  });
}
