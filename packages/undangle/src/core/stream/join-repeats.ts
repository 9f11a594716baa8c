import type { Slot } from "./call-slot.ts";
import { resolveArguments } from "./resolve-arguments.ts";

/**
 * The calls, with those that only say another one again put into it. A server that gives two no ids, or the same one, shows
 * by the arguments alone whether it sends a call again or makes another one.
 */
export function joinRepeats(slots: readonly Slot[]): readonly Slot[] {
  if (slots.every(({ repeats }) => repeats === undefined)) return slots; // nearly always
  const joined = new Map<Slot, Slot>();
  return slots.filter((slot) => {
    const before = slot.repeats && (joined.get(slot.repeats) ?? slot.repeats);
    if (before === undefined || slot.id !== before.id || !areOne(before, slot)) return true;
    before.fragments = before.fragments.concat(slot.fragments);
    joined.set(slot, before);
    return false;
  });
}

/** One is an empty object that stood where the arguments had to come, or they are the same ones again. */
function areOne({ fragments: before }: Slot, { fragments: after }: Slot): boolean {
  if (/^(?:\s|\{\s*\})*$/u.test(before.join(""))) return true;
  return resolveArguments(before.concat(after), { ended: false, lenient: false, isBlankNone: false }).state === "ready";
}
