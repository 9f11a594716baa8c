import type { Model } from "../model.ts";
import { isAboutRequest, pauseOf } from "./failure.ts";

/** The models, and which of them are cooling down. */
export interface Members {
  /** The models in order of use. Those that are cooling down come last. */
  readonly inTurn: () => readonly Model[];
  readonly answered: (model: Model) => void;
  readonly failed: (model: Model, error: unknown) => void;
}

export interface Resting {
  /** In milliseconds. */
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
      if (coolDown === 0 || isAboutRequest(error)) return; // it may work for the next request
      restsUntil.set(model, now() + Math.max(coolDown, pauseOf(error)));
    },
  };
}
