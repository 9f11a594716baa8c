import type { Round, Settled } from "./situation.ts";
import type { Wish } from "./wishes/wishes.ts";

/** How far a plan has come. */
export interface Progress {
  /** What is still to be called. */
  readonly left: readonly Wish[];
  /** Calls of the last turn that failed and have not been tried twice. */
  readonly retriable: readonly Settled[];
}

/** Holds what was called against what was wished for. Nothing is kept between two answers: the history says it all. */
export function progressOf(wishes: readonly Wish[], rounds: readonly Round[]): Progress {
  let left = wishes;
  let retriable: readonly Settled[] = [];
  for (const round of rounds) {
    const failed = round.filter(({ outcome }) => outcome.type === "failed");
    const tried = [...retriable];
    const isRetry = new Set<Settled>();
    let stage = -1;
    for (const call of round) {
      const before = tried.findIndex(({ name }) => name === call.name);
      const wish = left.find(({ tool }) => tool.name === call.name);
      if (before >= 0) {
        tried.splice(before, 1);
        isRetry.add(call);
      } else if (wish !== undefined) {
        stage = Math.max(stage, wish.stage);
        left = left.filter((each) => each !== wish);
      }
    }
    left = left.filter((wish) => wish.stage > stage); // what could not be called with the others is not called at all
    retriable = failed.filter((call) => !isRetry.has(call));
  }
  return { left, retriable };
}
