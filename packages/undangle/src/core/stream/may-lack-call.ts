import type { Choice } from "./assembly.ts";
import type { Slot } from "./call-slot.ts";

/**
 * The possible content of an unreadable chunk, from harmless to severe: not a call; a call if the turn contains calls;
 * unknown; certainly a part of a call.
 */
export type Loss = (typeof losses)[number];

const losses = ["piece", "perhaps", "anything", "call"] as const;

/** True if a call may have been lost with an unreadable chunk. */
export function mayLackCall({ lost, slots, finishes }: Choice): boolean {
  if (lost === undefined || lost === "call" || lost === "anything") return lost !== undefined;
  return slots.length > 0 ? lost === "perhaps" : finishes.includes("tool_calls");
}

/** Handles an unreadable chunk, which an open call may lack. True if a call may be incomplete or lost. */
export function tear(choice: Choice, what: Loss): boolean {
  choice.lost = worse(choice.lost, what);
  const open = choice.slots.filter(({ isOver }) => !isOver);
  for (const slot of open) slot.isTruncated = true;
  return open.length > 0 || mayLackCall(choice);
}

/**
 * Handles an event of a choice without readable content. A lost delta shows in text arguments, but not in a call
 * without arguments or in a value that is built from deltas. Each slot is visited once.
 */
export function doubt(choice: Choice): void {
  for (let i = choice.slots.length - 1; i >= 0; i--) {
    const slot = choice.slots[i];
    if (slot === undefined || slot.number <= choice.doubted) break;
    if (!slot.isOver) doubtSlot(slot);
  }
  choice.doubted = choice.slots.at(-1)?.number ?? choice.doubted;
}

/** Arguments without a name in another choice may belong to a call of this choice. */
export function doubtStrays(choices: readonly Choice[]): void {
  const hasStray = ({ slots }: Choice): boolean =>
    slots.some(({ name, hasText, value }) => name === "" && (hasText || value !== undefined));
  if (choices.length > 1 && choices.some(hasStray)) for (const { slots } of choices) slots.forEach(doubtSlot);
}

function doubtSlot(slot: Slot): void {
  slot.isDoubtful = true;
  slot.isTruncated ||= slot.isPartial;
}

/** The more severe of two losses. */
export const worse = (one: Loss | undefined, other: Loss): Loss =>
  one === undefined || losses.indexOf(one) < losses.indexOf(other) ? other : one;

/** True for a choice that has not ended: it has no finish reason, or one that announces calls before any arrived. */
export const isRunning = ({ finishes, slots }: Choice): boolean =>
  finishes.length === 0 || (slots.length === 0 && finishes.includes("tool_calls"));
