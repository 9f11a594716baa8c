import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";

import type { DatabaseName } from "./database-name.ts";
import { fateOf, unknownOutcome } from "./postgres-fault.ts";

export interface Following {
  readonly name: DatabaseName;
  /** How long it is tried to find out, in milliseconds. */
  readonly patience: number;
  /** How it is waited between attempts. */
  readonly rest?: (milliseconds: number) => Promise<void>;
}

const firstPause = 10;
const longestPause = 1000;

/**
 * Does a write that may be sent twice, because it is only done once, until it is known what came of it: also when the
 * connection was lost before the answer. What is certain not to have been done is an error at once.
 */
export async function untilKnown<Value>(
  work: () => Promise<Value>,
  { name, patience, rest = pause }: Following,
): Promise<Value> {
  const end = performance.now() + patience;
  let isUnknown = false;
  for (let wait = firstPause; ; wait = Math.min(2 * wait, longestPause)) {
    try {
      return await work();
    } catch (error) {
      const fate = fateOf(error);
      isUnknown ||= fate === "lost";
      const canGoOn = fate === "clash" || (isUnknown && fate !== "refused");
      if (!canGoOn) throw error;
      if (performance.now() + wait > end) throw isUnknown ? unknownOutcome(name, error) : error;
    }
    await rest(wait);
  }
}

/** How often something without consequences is asked for on another connection, when one turns out to be dead. */
const attempts = 3;

/** Does what may be done any number of times; a connection that is dead is not the end of it. */
export async function onLiveConnection<Value>(work: () => Promise<Value>): Promise<Value> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const fate = fateOf(error);
      if (attempt === attempts || (fate !== "lost" && fate !== "unsent" && fate !== "clash")) throw error;
    }
    await pause(firstPause * attempt);
  }
}
