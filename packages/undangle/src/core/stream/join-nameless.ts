import type { Choice } from "./assembly.ts";
import type { Slot } from "./call-slot.ts";

/** Joins arguments under another index or id without a name to the call that they continue. */
export function joinNameless({ slots }: Choice): void {
  if (slots.every(({ follows }) => follows === undefined)) return; // the common case
  const joined = new Map<Slot, Slot>();
  const kept = slots.filter((slot) => {
    const before = slot.follows && (joined.get(slot.follows) ?? slot.follows);
    if (before === undefined) return true;
    for (const fragment of slot.fragments) before.fragments.push(fragment);
    before.hasText = true;
    joined.set(slot, before);
    return false;
  });
  slots.length = 0;
  for (const slot of kept) slots.push(slot);
}
