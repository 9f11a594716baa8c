import { randomUUID } from "node:crypto";

import type { JsonObject } from "#core";

import type { HeldEvent } from "../../journal/thread-journal.ts";
import { neverBegun, createRun } from "../../run/run.ts";
import type { LiveRun } from "../../run/run.ts";
import type { ThreadActor } from "../thread-actor.ts";
import { stopRun } from "./stop.ts";

/** The title and metadata of a thread. */
export interface Description {
  readonly title?: string | undefined;
  /** Merged into the existing metadata; null removes a key. */
  readonly meta?: JsonObject | undefined;
}

/** Options of every command that starts a run. */
export interface StartOptions {
  readonly signal?: AbortSignal | undefined;
  /** Saved in the commit that starts the run. If that commit fails, the description is not stored. */
  readonly describe?: Description | undefined;
}

/** A command that starts a run and has not finished. */
export interface PendingRequest {
  readonly run: LiveRun;
  /** Cancels the command if it has not started. */
  readonly cancel: () => void;
  readonly isCancelled: () => boolean;
  /** Resolves when it is cancelled. */
  readonly cancelled: Promise<undefined>;
  /** A decision is cancelled if the calls of the thread are stopped before it is applied. */
  readonly isDecision: boolean;
  /** Removes its queued message from the thread. False if the message is not queued any more. */
  withdraw: (() => Promise<boolean>) | undefined;
}

export function createRequest(actor: ThreadActor, isDecision = false): PendingRequest {
  const { promise: cancelled, resolve } = Promise.withResolvers<undefined>();
  let isCancelled = false;
  const request: PendingRequest = {
    run: createRun(randomUUID(), () => stopRequest(actor, request), actor.setup.language),
    cancel() {
      isCancelled = true;
      resolve(undefined);
    },
    isCancelled: () => isCancelled,
    cancelled,
    isDecision,
    withdraw: undefined,
  };
  return request;
}

interface RunStart {
  readonly signal?: AbortSignal | undefined;
  readonly isDecision?: boolean;
}

/** Creates a run that starts with this work. */
export const startRun = (
  actor: ThreadActor,
  start: RunStart,
  work: (request: PendingRequest) => Promise<void>,
): LiveRun => requestRun(actor, start, work).run;

/** Creates a run that starts with this work. `performed` resolves when the work is done or has failed. */
export function requestRun(
  actor: ThreadActor,
  { signal, isDecision }: RunStart,
  work: (request: PendingRequest) => Promise<void>,
): { readonly run: LiveRun; readonly performed: Promise<void> } {
  const request = createRequest(actor, isDecision);
  const stop = (): void => void stopRequest(actor, request);
  if (signal?.aborted === true) request.cancel();
  signal?.addEventListener("abort", stop, { once: true });
  void request.run.result.then(() => signal?.removeEventListener("abort", stop));
  const performed = perform(actor, request, () => work(request));
  return { run: request.run, performed };
}

/** Performs a command in its turn. If the command fails, its run ends with that error. */
export async function perform(actor: ThreadActor, request: PendingRequest, work: () => Promise<void>): Promise<void> {
  const { thread } = actor;
  const { run, isCancelled } = request;
  const cancel = request.isDecision ? request.cancel : undefined;
  try {
    await actor.exclusive(() => (isCancelled() ? Promise.resolve() : work()), cancel);
  } catch (error) {
    const current = thread.journal();
    if (thread.state().phase !== "running") thread.scheduleNext(); // saves what was settled when the thread was opened
    thread.forgetTentative();
    if (!run.isOver()) run.settle(neverBegun(error, thread.journal() ?? current, false));
  }
  if (isCancelled() && !run.isOver() && !thread.isCurrent(run))
    run.settle(neverBegun(undefined, thread.journal(), true));
}

async function stopRequest(actor: ThreadActor, request: PendingRequest): Promise<void> {
  const { thread, mailbox } = actor;
  const { run } = request;
  if (run.isOver() || (await request.withdraw?.()) === true) return;
  if (thread.isCurrent(run)) return stopRun(actor, "stopped");
  request.cancel();
  if (!run.isOver()) await mailbox.run(async () => (thread.isCurrent(run) ? thread.endRun("stopped") : undefined)); // the run had started
}

/** The ledger event that stores a description. */
export const descriptionEvent = ({ title, meta = {} }: Description): HeldEvent => ({
  type: "describe",
  meta,
  ...(title !== undefined && { title }),
});

export const describeEvents = (about: Description | undefined): readonly HeldEvent[] =>
  about === undefined ? [] : [descriptionEvent(about)];
