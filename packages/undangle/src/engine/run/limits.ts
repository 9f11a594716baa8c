import { UndangleError } from "#core";

import { nextOf } from "../ledger/step.ts";
import type { Ending, Session } from "./session.ts";

/** The limits of a run. */
export interface Limits {
  /** Turns of the model. */
  readonly steps: number;
  /** Executed calls. */
  readonly calls: number;
  /** Milliseconds. */
  readonly time: number;
  /** Tokens of all turns, as reported by the model. */
  readonly tokens: number;
  /** Concurrent calls. */
  readonly parallel: number;
  /** Consecutive turns without an executable call. */
  readonly faulty: number;
  /** The longest result that the model receives, in characters. */
  readonly resultLength: number;
  /** How long to wait for an unavailable store, in milliseconds. */
  readonly storeWait: number;
}

export const defaultLimits: Limits = {
  steps: 50,
  calls: Infinity,
  time: Infinity,
  tokens: Infinity,
  parallel: 16,
  faulty: 3,
  resultLength: 400_000,
  storeWait: 30_000,
};

/** The limit that the run has reached before its next turn, or before it would wait for a decision. */
export function limitReached({ journal, isOverCalls, setup: { limits } }: Session): Ending | undefined {
  const ledger = journal.ledger();
  const { run, isAsking } = ledger;
  if (isOverCalls && nextOf(ledger) === "wait") return limitEnding("calls", limits.calls);
  if (run === undefined || !isAsking) return undefined;
  if (run.steps >= limits.steps) return limitEnding("steps", limits.steps);
  if (isOverCalls) return limitEnding("calls", limits.calls);
  if (run.usage.totalTokens >= limits.tokens) return limitEnding("tokens", limits.tokens);
  if (run.faulty >= limits.faulty)
    return { how: "fault", error: new UndangleError("model/faulty", { answers: run.faulty }) };
  return undefined;
}

/** The end of a run that has reached a limit. */
export const limitEnding = (name: string, value: number): Ending => ({
  how: "limit",
  error: new UndangleError("run/limit", { limit: name, value }),
});
