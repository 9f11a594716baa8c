import { randomUUID } from "node:crypto";

import type { Language } from "#core";

import { createRun } from "../run/run.ts";
import type { LiveRun } from "../run/run.ts";

/** A command for a thread that has not finished, and its run. */
export interface PendingRequest {
  readonly run: LiveRun;
  /** Cancels the command if it has not started. */
  readonly cancel: () => void;
  readonly isCancelled: () => boolean;
  /** Resolves when it is cancelled. */
  readonly cancelled: Promise<undefined>;
  /** Removes its queued message from the thread. False if the message is not queued any more. */
  withdraw: (() => Promise<boolean>) | undefined;
}

export function createPendingRequest(
  stop: (asked: PendingRequest) => Promise<void>,
  language: Language,
): PendingRequest {
  const { promise: takenBack, resolve } = Promise.withResolvers<undefined>();
  let isTakenBack = false;
  const asked: PendingRequest = {
    run: createRun(randomUUID(), () => stop(asked), language),
    cancel() {
      isTakenBack = true;
      resolve(undefined);
    },
    isCancelled: () => isTakenBack,
    cancelled: takenBack,
    withdraw: undefined,
  };
  return asked;
}
