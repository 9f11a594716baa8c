import { createContext, Script } from "node:vm";
import type { Context } from "node:vm";

import { isRecord } from "#core";

/** Milliseconds for one check of arguments. */
export const longestCheck = 1000;

/** A check took too long. */
export class TooSlow extends Error {
  constructor() {
    super(`they could not be checked within ${longestCheck} ms`);
    this.name = "TooSlow";
  }
}

/**
 * Runs synchronous work with a time limit. A schema may come from an untrusted server: a pattern such as `^(a+)+$`
 * takes forever on thirty letters, and only the engine can stop a regular expression. It costs about 0.1 ms.
 */
export function withinLimit<Result>(work: () => Result): Result {
  for (let left = attempts; ; left--) {
    const begin = process.cpuUsage();
    try {
      return limitedOnce(work);
    } catch (error) {
      const { user, system } = process.cpuUsage(begin);
      const isStalled = (user + system) / 1000 < longestCheck / 10; // the process got almost no CPU time
      if (!(error instanceof TooSlow && isStalled) || left === 1) throw error;
    }
  }
}

/** The clock also runs while a machine is busy or asleep, so the work is retried this often. */
const attempts = 3;

function limitedOnce<Result>(work: () => Result): Result {
  const { script, context } = (limited ??= { script: new Script("work()"), context: createContext({ work }) });
  context["work"] = work;
  try {
    return script.runInContext(context, { timeout: longestCheck }) as Result; // the result of the work
  } catch (error) {
    if (isRecord(error) && error["code"] === "ERR_SCRIPT_EXECUTION_TIMEOUT") throw new TooSlow();
    throw error;
  } finally {
    context["work"] = undefined;
  }
}

/** Created on first use. */
let limited: { readonly script: Script; readonly context: Context } | undefined;
