import type { Choice } from "./assembly.ts";
import type { Slot } from "./call-slot.ts";

/**
 * What a piece was that could not be read: one of something else than calls by its looks; one that was of a call if the rest of the
 * turn speaks of calls; one that may have been anything, where the rest does not tell; one that spoke of a call.
 */
export type Loss = (typeof losses)[number];

const losses = ["piece", "perhaps", "anything", "call"] as const;

/** True where a call may have been lost with a piece that could not be read. */
export function mayLackCall({ lost, slots, finishes }: Choice): boolean {
  if (lost === undefined || lost === "call" || lost === "anything") return lost !== undefined;
  return slots.length > 0 ? lost === "perhaps" : finishes.includes("tool_calls");
}

/** The content of the chunk is unknown, so an open call may lack it. True if a call may be incomplete or lost. */
export function tear(choice: Choice, what: Loss): boolean {
  choice.lost = worse(choice.lost, what);
  const open = choice.slots.filter(({ isOver }) => !isOver);
  for (const slot of open) slot.isTorn = true;
  return open.length > 0 || mayLackCall(choice);
}

/**
 * An event of a choice contained nothing that can be read. Arguments as text show by themselves whether a delta is lost, a call
 * without any and a value that is built from deltas do not. A slot that was visited once needs no second visit.
 */
export function doubt(choice: Choice): void {
  for (let i = choice.slots.length - 1; i >= 0; i--) {
    const slot = choice.slots[i];
    if (slot === undefined || slot.number <= choice.doubted) break;
    if (!slot.isOver) doubtSlot(slot);
  }
  choice.doubted = choice.slots.at(-1)?.number ?? choice.doubted;
}

/** Arguments without a name in another choice may be those of a call of this one. */
export function doubtStrays(choices: readonly Choice[]): void {
  const hasStray = ({ slots }: Choice): boolean =>
    slots.some(({ name, hasText, value }) => name === "" && (hasText || value !== undefined));
  if (choices.length > 1 && choices.some(hasStray)) for (const { slots } of choices) slots.forEach(doubtSlot);
}

function doubtSlot(slot: Slot): void {
  slot.isDoubtful = true;
  slot.isTorn ||= slot.isPartial;
}

/** The one of two losses that costs more. */
export const worse = (one: Loss | undefined, other: Loss): Loss =>
  one === undefined || losses.indexOf(one) < losses.indexOf(other) ? other : one;

/** True for a choice of which more has to come: no reason has ended it, or one that speaks of calls before any came. */
export const isRunning = ({ finishes, slots }: Choice): boolean =>
  finishes.length === 0 || (slots.length === 0 && finishes.includes("tool_calls"));
