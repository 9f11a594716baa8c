import type { Model } from "../model.ts";
import { isAboutRequest, pauseOf } from "./failure.ts";

/** The models that stand in for each other, and which of them rest. */
export interface Members {
  /** In the order in which they are asked now: those that rest come last, since a late answer is better than none. */
  readonly inTurn: () => readonly Model[];
  readonly answered: (model: Model) => void;
  readonly failed: (model: Model, error: unknown) => void;
}

export interface Resting {
  /** For how many milliseconds. */
  readonly coolDown: number;
  readonly now: () => number;
}

export function createMembers(models: readonly Model[], { coolDown, now }: Resting): Members {
  const restsUntil = new Map<Model, number>();
  return {
    inTurn() {
      const at = now();
      const rests = (model: Model): boolean => (restsUntil.get(model) ?? 0) > at;
      return [...models.filter((model) => !rests(model)), ...models.filter(rests)];
    },
    answered: (model) => void restsUntil.delete(model),
    failed(model, error) {
      if (coolDown === 0 || isAboutRequest(error)) return; // it may answer the next one
      restsUntil.set(model, now() + Math.max(coolDown, pauseOf(error)));
    },
  };
}
