import { isRecord, isWhole } from "#core";
import type { Assembly, Choice, JsonObject, Slot } from "#core";

/** A call delta, by its identifying fields. */
interface CallDelta {
  readonly label: number | undefined;
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly called: JsonObject;
}

/**
 * The call of a delta that was found by index, id or position. If the delta has another index or id, a later name may
 * show that it belongs to another call. Calls whose arguments cannot be assigned are never complete.
 */
export function settled(slot: Slot, delta: CallDelta, choice: Choice, assembly: Assembly): Slot {
  const { label, id, name, called } = delta;
  if (name !== undefined) {
    takeName(slot, delta, choice);
    return slot;
  }
  if (isMisplacedId(slot, delta, choice)) cutOff(slot, ...(isLarge(choice) ? [] : choice.slots.filter(isWaiting)));
  if (!hasArguments(called)) return slot;
  const isInPlace = isOneOf(slot.label, label);
  if (isInPlace && isOneOf(slot.id, id)) {
    if (slot.name === "" && id !== undefined && hasOtherIds(slot)) cutOff(slot); // they alternate
    return slot;
  }
  if ((slot.hasText ? isWhole(slot) : !isInPlace) && beginsObject(called)) {
    const next = assembly.open(choice, label);
    next.follows = slot;
    return next;
  }
  choice.hasAliases = true;
  if (isLarge(choice)) cutOff(slot);
  slot.aliases ??= { labels: new Set(), ids: new Set() };
  if (label === undefined || !isInPlace) slot.aliases.labels.add(label);
  if (id === undefined || !isOneOf(slot.id, id)) slot.aliases.ids.add(id);
  return slot;
}

/** True if arguments of a call arrived under this index and id, and at least one of them differs from its own. */
export function isAlias(
  { label: own, id: ownId, aliases }: Slot,
  { label, id }: Pick<CallDelta, "label" | "id">,
): boolean {
  if (aliases === undefined) return false;
  const { labels, ids } = aliases;
  const [isOtherLabel, isOtherId] = [isAmong(labels, label), isAmong(ids, id)];
  return (isOtherLabel || isOtherId) && (isOtherLabel || isOneOf(own, label)) && (isOtherId || isOneOf(ownId, id));
}

/** True for a known alias. A missing value on either side matches. */
const isAmong = (others: ReadonlySet<Slot["label"]>, given: Slot["label"]): boolean =>
  given === undefined ? others.size > 0 : others.has(given) || others.has(undefined);

const isOneOf = (known: Slot["label"], given: Slot["label"]): boolean =>
  known === undefined || given === undefined || known === given;

/** Checks whether a name identifies earlier arguments. */
function takeName(slot: Slot, delta: CallDelta, choice: Choice): void {
  const { slots, hasAliases } = choice;
  if (slot.name !== "") return;
  if (!slot.hasText) {
    if (!hasAliases) return; // the common case
    if (isLarge(choice)) {
      cutOff(slot);
      return;
    }
    const others = slots.filter((other) => other !== slot && mayHaveTaken(other, delta));
    if (others.length > 0) cutOff(slot, ...others);
    return;
  }
  slot.follows = undefined;
  if (isDoubtful(slot, delta, choice)) cutOff(slot);
}

/**
 * True for a call that may have received the arguments of a call that is only named now, or its id and arguments of a
 * third call.
 */
const mayHaveTaken = (other: Slot, delta: CallDelta): boolean =>
  isAlias(other, delta) ||
  (delta.id !== undefined && other.id === delta.id && hasOtherIds(other) && !isApart(other, delta));

/** True if each has its own index, under which all deltas of the other arrived. */
const isApart = ({ label: own, aliases }: Slot, { label }: CallDelta): boolean =>
  own !== undefined && label !== undefined && own !== label && aliases?.labels.size === 0;

const hasOtherIds = ({ aliases }: Slot): boolean => aliases !== undefined && aliases.ids.size > 0;

/**
 * True for a name that only its position assigns to arguments, if other names of the turn arrived before or with their
 * arguments.
 */
function isDoubtful(slot: Slot, { label, id, called }: CallDelta, choice: Choice): boolean {
  if (label !== undefined || id !== undefined) return false;
  if (isLarge(choice) || (isWhole(slot) && hasArguments(called))) return true;
  return choice.slots.some(({ name, hasText, seen }) => name !== "" && hasText && !seen.has("name-late"));
}

/** True for an id after the name of its call, if several calls wait for an id and nothing identifies one. */
function isMisplacedId(slot: Slot, { label, id }: CallDelta, choice: Choice): boolean {
  if (id === undefined || label !== undefined || slot.id !== undefined || slot.name === "") return false;
  return isLarge(choice) || choice.slots.some((other) => other !== slot && isWaiting(other));
}

/** True for a response with too many calls to compare. A doubtful call is then truncated without a comparison. */
const isLarge = ({ slots }: Choice): boolean => slots.length > 256;

/** True for a call of which only the name arrived. */
const isWaiting = ({ id, label, name, hasText }: Slot): boolean =>
  id === undefined && label === undefined && name !== "" && !hasText;

function cutOff(...slots: readonly Slot[]): void {
  for (const slot of slots) slot.isOpen = true;
}

const hasArguments = (called: CallDelta["called"]): boolean => argumentsIn(called) !== "";

const beginsObject = (called: CallDelta["called"]): boolean => /^"?\s*\{/u.test(argumentsIn(called));

/** The text of the arguments, or the start of it for a parsed value. */
const argumentsIn = ({ arguments: args }: CallDelta["called"]): string =>
  typeof args === "string" ? args.trim() : isRecord(args) ? "{" : "";
