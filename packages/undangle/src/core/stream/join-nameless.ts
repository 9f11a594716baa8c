import type { Choice } from "./assembly.ts";
import type { Slot } from "./call-slot.ts";

/** Puts what came under another index or id, and was never named, into the call that it goes on with. */
export function joinNameless({ slots }: Choice): void {
  if (slots.every(({ follows }) => follows === undefined)) return; // nearly always
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
