import { argumentsSoFar } from "#core";
import type { Slot } from "#core";

import type { Run } from "./repeat-run.ts";

/**
 * Where arguments that were read as one text came in pieces. That counts only where they are no JSON: servers have sent
 * everything again with each piece, or something in its place before.
 */
export interface Joints {
  /** The last fragment of a call is what a run said. */
  readonly note: (slot: Slot, run: Run) => void;
  /** Parts the fragments of the calls whose arguments are no object. */
  readonly part: () => void;
}

export function createJoints(): Joints {
  const runs = new Map<Slot, Map<number, Run>>(); // by the index of the fragment
  return {
    note(slot, run) {
      const known = runs.get(slot) ?? new Map<number, Run>();
      runs.set(slot, known.set(slot.fragments.length - 1, run));
    },
    part() {
      for (const [slot, known] of runs) {
        if (argumentsSoFar(slot).value !== undefined) continue;
        slot.fragments = slot.fragments.flatMap((fragment, i) => known.get(i)?.texts() ?? [fragment]);
      }
    },
  };
}
