import type { AnomalyKind } from "./anomalies.ts";
import type { Choice } from "./assembly.ts";
import type { Slot } from "./call-slot.ts";
import { resolveArguments } from "./resolve-arguments.ts";

/**
 * Merges calls that only repeat another. If a server sends no ids, or the same id, only the arguments show whether a
 * call is repeated or new.
 */
export function joinRepeats(slots: readonly Slot[], note: (kind: AnomalyKind, at: Slot) => void): readonly Slot[] {
  if (slots.every(({ repeats }) => repeats === undefined)) return slots; // the common case
  const joined = new Map<Slot, Slot>();
  const readTexts = new Map<Slot, Set<string>>(); // the texts that were merged into each call
  return slots.filter((slot) => {
    const before = slot.repeats && (joined.get(slot.repeats) ?? slot.repeats);
    if (before === undefined) return true;
    const texts = readTexts.get(before) ?? new Set();
    const text = slot.fragments.join("");
    const isKnown = texts.has(text) && (slot.id === undefined || slot.id === before.id);
    if (!isKnown && texts.size >= mostVersions) before.isOpen = true;
    else if (!isKnown && isAnother(slot, before)) {
      if (slot.label !== undefined) note("index-reused", before);
      return true;
    } else if (!isKnown) {
      before.fragments = before.fragments.concat(slot.fragments);
      readTexts.set(before, texts.add(text));
    }
    if (!slot.hasText) note("name-repeated", before);
    joined.set(slot, before);
    return false;
  });
}

/** A call that is repeated in more versions is truncated, and not compared with all of them. */
const mostVersions = 32;

/** True if a call does not repeat the call before. */
export const isAnother = (slot: Slot, before: Slot): boolean =>
  (slot.id !== undefined && slot.id !== before.id) || !areOne(before, slot);

/** True if one is an empty placeholder, continues the other, or is equal to it. */
function areOne({ fragments: before }: Slot, { fragments: after }: Slot): boolean {
  if (/^(?:\s|\{\s*\})*$/u.test(before.join("")) || !/^\s*(?:[{["]|null)/u.test(after.join(""))) return true;
  return resolveArguments(before.concat(after), { ended: false, lenient: false, isBlankNone: false }).state === "ready";
}

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
