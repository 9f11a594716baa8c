import type { Choice } from "./assembly.ts";
import type { Slot } from "./call-slot.ts";

/**
 * What an unreadable chunk may have contained, from harmless to severe:
 * - `delta`: content of the turn, but no new call. An open call may lack it.
 * - `perhaps`: a call, if the turn contains or announces calls.
 * - `anything`: a call, whatever the turn contains.
 * - `call`: certainly a part of a call.
 */
export type Loss = (typeof losses)[number];

const losses = ["delta", "perhaps", "anything", "call"] as const;

/** The more severe of two losses. */
export const worse = (one: Loss | undefined, other: Loss): Loss =>
  one === undefined || losses.indexOf(one) < losses.indexOf(other) ? other : one;

/** Applies the loss of a chunk to the choices of a stream. True if a call may be incomplete or lost. */
export function lose(choices: readonly Choice[], what: Loss): boolean {
  if (choices.length === 0) return what === "call" || what === "anything";
  const running = choices.filter(isRunning);
  const affected = running.length === 0 && what === "call" ? choices : running; // some servers send calls after the finish reason
  const truncated = affected.filter((choice) => truncate(choice, what));
  return truncated.length > 0;
}

/** Open calls of the choice may lack the chunk. */
function truncate(choice: Choice, what: Loss): boolean {
  choice.lost = worse(choice.lost, what);
  const open = choice.slots.filter(({ isOver }) => !isOver);
  for (const slot of open) slot.isTruncated = true;
  return open.length > 0 || mayLackCall(choice);
}

/** True if a call may have been lost with an unreadable chunk. */
export function mayLackCall({ lost, slots, finishes }: Choice): boolean {
  if (lost === undefined || lost === "call" || lost === "anything") return lost !== undefined;
  return slots.length > 0 ? lost === "perhaps" : finishes.includes("tool_calls");
}

/** True for a choice that has not ended: it has no finish reason, or one that announces calls before any arrived. */
export const isRunning = ({ finishes, slots }: Choice): boolean =>
  finishes.length === 0 || (slots.length === 0 && finishes.includes("tool_calls"));

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

// At the end

/** True if a chunk could not be read and the call may be incomplete without it. */
export function lacksPart(slot: Slot, { lost, finishes }: Choice): boolean {
  const { isTruncated, isOver, name } = slot;
  if (isTruncated || lost === undefined) return isTruncated;
  return name === "" || (finishes.length === 0 ? isBlank(slot) || !isOver : isBlank(slot) && !isOver);
}

/** True if no arguments arrived and their place was unreadable. */
export const lacksAll = ({ isDoubtful, value, fragments }: Slot): boolean =>
  isDoubtful && value === undefined && fragments.join("").trim() === "";

/** True without arguments, or with only a placeholder. */
export const isBlank = ({ value, fragments }: Slot): boolean =>
  (value === undefined || Object.keys(value).length === 0) &&
  fragments.join("").replaceAll(/\{\s*\}|null|\s+/gu, "") === "";
