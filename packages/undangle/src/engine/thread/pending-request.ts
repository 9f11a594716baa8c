import { randomUUID } from "node:crypto";

import type { Language } from "#core";

import { createRun } from "../run/run.ts";
import type { LiveRun } from "../run/run.ts";

/** Something that somebody asked a thread for, and the run that comes of it. */
export interface Asked {
  readonly run: LiveRun;
  /** It need not be done any more, if nothing has been done yet. */
  readonly takeBack: () => void;
  readonly isTakenBack: () => boolean;
  /** Resolves when it is taken back. */
  readonly takenBack: Promise<undefined>;
  /** Takes back what waits in the thread, where something does; false when it waits no more. */
  withdraw: (() => Promise<boolean>) | undefined;
}

export function createAsked(stop: (asked: Asked) => Promise<void>, language: Language): Asked {
  const { promise: takenBack, resolve } = Promise.withResolvers<undefined>();
  let isTakenBack = false;
  const asked: Asked = {
    run: createRun(randomUUID(), () => stop(asked), language),
    takeBack() {
      isTakenBack = true;
      resolve(undefined);
    },
    isTakenBack: () => isTakenBack,
    takenBack,
    withdraw: undefined,
  };
  return asked;
}
