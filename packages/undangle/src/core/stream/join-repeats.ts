import type { AnomalyKind } from "./anomalies.ts";
import type { Slot } from "./call-slot.ts";
import { resolveArguments } from "./resolve-arguments.ts";

/**
 * The calls, with those that only say another one again put into it. A server that gives two no ids, or the same one, shows
 * by the arguments alone whether it sends a call again or makes another one.
 */
export function joinRepeats(slots: readonly Slot[], note: (kind: AnomalyKind, at: Slot) => void): readonly Slot[] {
  if (slots.every(({ repeats }) => repeats === undefined)) return slots; // nearly always
  const joined = new Map<Slot, Slot>();
  const said = new Map<Slot, Set<string>>(); // what was put into each call
  return slots.filter((slot) => {
    const before = slot.repeats && (joined.get(slot.repeats) ?? slot.repeats);
    if (before === undefined) return true;
    const texts = said.get(before) ?? new Set();
    const text = slot.fragments.join("");
    const isKnown = texts.has(text) && (slot.id === undefined || slot.id === before.id);
    if (!isKnown && texts.size >= mostVersions) before.isOpen = true;
    else if (!isKnown && isAnother(slot, before)) {
      if (slot.label !== undefined) note("index-reused", before);
      return true;
    } else if (!isKnown) {
      before.fragments = before.fragments.concat(slot.fragments);
      said.set(before, texts.add(text));
    }
    if (!slot.hasText) note("name-repeated", before);
    joined.set(slot, before);
    return false;
  });
}

/** A call that is sent again in more versions than these is cut off, and not compared with all of them. */
const mostVersions = 32;

/** True when a call that may say the one before again does not. */
export const isAnother = (slot: Slot, before: Slot): boolean =>
  (slot.id !== undefined && slot.id !== before.id) || !areOne(before, slot);

/** One is an empty object that stood where the arguments had to come, or goes on with the other, or they are the same ones again. */
function areOne({ fragments: before }: Slot, { fragments: after }: Slot): boolean {
  if (/^(?:\s|\{\s*\})*$/u.test(before.join("")) || !/^\s*(?:[{["]|null)/u.test(after.join(""))) return true;
  return resolveArguments(before.concat(after), { ended: false, lenient: false, isBlankNone: false }).state === "ready";
}
