import { argumentsSoFar } from "#core";
import type { Slot } from "#core";

import { parted } from "./repeat-run.ts";

/**
 * Where arguments that were read as one text came in pieces. That counts only where they are no JSON: servers have sent
 * everything again with each piece, or something in its place before.
 */
export interface Joints {
  /** The last fragment of a call came in pieces that end at these places. */
  readonly note: (slot: Slot, ends: Int32Array) => void;
  /** Parts the fragments of the calls whose arguments are no object. */
  readonly part: () => void;
}

export function createJoints(): Joints {
  const places = new Map<Slot, Map<number, Int32Array>>(); // by the index of the fragment
  return {
    note(slot, ends) {
      const known = places.get(slot) ?? new Map<number, Int32Array>();
      places.set(slot, known.set(slot.fragments.length - 1, ends));
    },
    part() {
      for (const [slot, known] of places) {
        if (argumentsSoFar(slot).value !== undefined) continue;
        slot.fragments = slot.fragments.flatMap((fragment, i) => {
          const ends = known.get(i);
          return ends === undefined ? [fragment] : parted(fragment, ends);
        });
      }
    },
  };
}
