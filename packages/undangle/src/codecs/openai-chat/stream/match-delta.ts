import { cleanName, isAnother, isPlaceholder, isRecord, isWhole, textOf } from "#core";
import type { Assembly, Choice, JsonObject, Slot } from "#core";

/** Finds the call of a delta: by label, by id, or as the last open call. */
export function slotFor(wire: JsonObject, called: JsonObject, choice: Choice, assembly: Assembly): Slot {
  const { index } = wire;
  const label = typeof index === "number" ? index : (numberIn(index) ?? numberIn(called["index"]));
  const { slots, labels } = choice;
  const last = slots.at(-1);
  const isBare = wire["id"] === undefined && called["name"] === undefined; // the common case
  if (isBare && label !== undefined && last?.label === label) return last;
  const { tools } = assembly.options;
  const delta: Delta = { id: idIn(wire), name: textOf(called["name"]), called, tools, frame: assembly.frames, label };
  if (label !== undefined) {
    const newest = labels.get(label);
    const slot =
      newest === undefined
        ? (adopted(choice, label, delta) ?? assembly.open(choice, label))
        : labelled(withId(newest, choice, delta), label, { delta, choice, assembly });
    if (mayRepeat(slot, last)) distinguish(slot, last, { delta, choice, assembly });
    slot.touched = assembly.frames;
    return settled(slot, delta, choice, assembly);
  }
  const slot = unlabelled(choice, delta) ?? assembly.open(choice);
  if (slot !== last && last !== undefined && isNamedAgain(last, delta)) slot.repeats = last;
  if (mayRepeat(slot, last)) distinguish(slot, last, { delta, choice, assembly });
  assembly.note("index-missing", slot);
  slot.touched = assembly.frames;
  return settled(slot, delta, choice, assembly);
}

/** A call delta of a frame. */
interface Delta {
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly called: JsonObject;
  readonly tools: ReadonlySet<string> | undefined;
  readonly frame: number;
  readonly label: number | undefined;
}

interface Around {
  readonly delta: Delta;
  readonly choice: Choice;
  readonly assembly: Assembly;
}

/** Some servers write null as text. */
const idIn = ({ id }: JsonObject): string | undefined => (id === "null" ? undefined : textOf(id));

const numberIn = (index: unknown): number | undefined => {
  if (typeof index === "number") return index;
  return typeof index === "string" && /^-?\d+$/u.test(index) ? Number(index) : undefined;
};

/** The call that a delta with its own index continues: by id, or the open call without an index. */
function adopted({ slots, labels, ids }: Choice, label: number, { id, name }: Delta): Slot | undefined {
  const last = slots.at(-1);
  const isOpen = (): boolean => last !== undefined && (last.label === undefined || (last.hasText && !isWhole(last)));
  const isNext = id === undefined && name === undefined && isOpen();
  const known = id === undefined ? undefined : ids.get(id);
  const slot = isNext ? last : known?.label === undefined || name === undefined ? known : undefined;
  if (slot !== undefined && slot.label === undefined) {
    slot.label = label;
    labels.set(label, slot);
  }
  return slot;
}

/** The call with the label of a delta, or another call with the same label. */
function labelled(known: Slot, label: number, { delta, choice, assembly }: Around): Slot {
  if (!opensAnother(known, delta) && !isExtra(known, delta)) return known;
  const isAgain = isNamedAgain(known, delta);
  if (!isAgain) assembly.note("index-reused", known);
  const slot = assembly.open(choice, label);
  if (isAgain || mayBeAgain(known, delta)) slot.repeats = known;
  return slot;
}

/** True if a call may only repeat another, which is rare. */
const mayRepeat = (slot: Slot, last: Slot | undefined): boolean =>
  slot.repeats !== undefined || last?.repeats !== undefined;

/** An id shows that a call is not a repetition; so do different arguments when the next call starts. */
function distinguish(slot: Slot, last: Slot | undefined, { delta: { id }, choice, assembly }: Around): void {
  if (id !== undefined && slot.repeats !== undefined && id !== slot.repeats.id) setApart(slot, slot.repeats, assembly);
  if (last?.repeats === undefined || choice.slots.at(-1) === last) return;
  if (isWhole(last) && isAnother(last, last.repeats)) setApart(last, last.repeats, assembly);
}

function setApart(slot: Slot, before: Slot, assembly: Assembly): void {
  slot.repeats = undefined;
  if (slot.label !== undefined) assembly.note("index-reused", before);
}

/** The call with the id of a delta, if the newest call with its label has another id. */
function withId(newest: Slot, { ids }: Choice, { id, name }: Delta): Slot {
  if (id === undefined || newest.id === undefined || newest.id === id) return newest;
  const known = ids.get(id);
  return known !== undefined && (name === undefined || known.label === newest.label) ? known : newest;
}

/** True if only its arguments show whether a delta starts a call or repeats the previous one. */
const mayBeAgain = (slot: Slot, delta: Delta): boolean =>
  delta.id === undefined && slot.id === undefined && hasName(slot, delta) && slot.touched !== delta.frame;

/**
 * True for the repeated name of a complete call without an id. Some servers send it with every delta, and some start
 * another call of the same tool with it. The next deltas decide.
 */
const isNamedAgain = (slot: Slot, delta: Delta): boolean =>
  delta.id === undefined &&
  slot.touched !== delta.frame &&
  hasName(slot, delta) &&
  !slot.isFreeText &&
  isWhole(slot) &&
  !isPlaceholder(slot.fragments.join("")) &&
  (!hasArguments(delta.called) || (slot.id !== undefined && beginsValue(delta.called)));

/** True for arguments that do not continue others. */
const beginsValue = ({ arguments: args }: JsonObject): boolean => typeof args !== "string" || /^\s*[{"]/u.test(args);

/** True if a delta has the name of the call, ignoring extra characters. */
const hasName = (slot: Slot, { name, tools }: Delta): boolean =>
  name !== undefined && (name === slot.name || cleanName(name, tools) === cleanName(slot.name, tools));

/** True if a delta with the label or id of a call starts another call. */
function opensAnother(slot: Slot, delta: Delta): boolean {
  const { id, name, called, tools } = delta;
  if (name === undefined) return false;
  if (id !== undefined && slot.id !== undefined && id !== slot.id)
    return slot.name !== "" || !isAlias(slot, { label: undefined, id });
  if (slot.name === "") return false;
  if (isNameAlone(slot)) return !hasName(slot, delta);
  if (!slot.hasText) return id === undefined && slot.id === undefined && areTwo(slot.name, name, tools);
  if (!isWhole(slot)) return false;
  // A name after complete arguments starts a call if it differs, or if there are no ids and more arguments arrive.
  if (!hasName(slot, delta) || isNamedAgain(slot, delta)) return true;
  return id === undefined && slot.id === undefined && hasArguments(called);
}

/** True for a call that is only a repeated name. It is complete, and nothing is appended to it. */
const isNameAlone = ({ repeats, fragments }: Slot): boolean =>
  repeats !== undefined && fragments.every((text) => text.trim() === "");

/** True for a second entry of one chunk with the id of a complete call, and with other arguments. */
function isExtra(slot: Slot, { name, called, frame }: Delta): boolean {
  if (slot.touched !== frame || name === undefined || !isWhole(slot) || !hasArguments(called)) return false;
  const { arguments: args } = called;
  return (typeof args === "string" ? args : JSON.stringify(args)) !== slot.fragments.join("");
}

/** True for two names of known tools, as opposed to one split name. */
const areTwo = (one: string, other: string, tools: Delta["tools"]): boolean =>
  one !== other && tools?.has(one) === true && tools.has(other) && !tools.has(one + other);

/** The call of a delta without an index. Undefined if the delta starts one. */
function unlabelled({ slots, ids }: Choice, delta: Delta): Slot | undefined {
  const { id, name } = delta;
  const last = slots.at(-1);
  const named = id === undefined ? undefined : ids.get(id);
  if (named !== undefined) return opensAnother(named, delta) || isExtra(named, delta) ? undefined : named;
  if (last === undefined) return undefined;
  if (last.id === undefined && last.name === "" && !last.hasText) return last;
  if (name === undefined) return id !== undefined && last.id !== undefined && isWhole(last) ? undefined : last;
  if (last.touched === delta.frame) return undefined; // two entries of one chunk are two calls
  if (id !== undefined && last.id !== undefined) return last.name === "" && isAlias(last, delta) ? last : undefined;
  if (last.name === "") return last;
  if (isNameAlone(last)) return hasName(last, delta) ? last : undefined;
  if (last.hasText) return hasName(last, delta) && !beginsCall(last, delta) ? last : undefined;
  return continuesName(last.name, name, delta.tools) ? last : undefined;
}

/** True if a name after complete arguments starts, or may start, another call. */
const beginsCall = (last: Slot, delta: Delta): boolean =>
  isWhole(last) && (hasArguments(delta.called) || isNamedAgain(last, delta));

/** True for the same name again, or the rest of a split name. */
function continuesName(known: string, fragment: string, tools: Delta["tools"]): boolean {
  if (known.startsWith(fragment)) return true;
  if (tools === undefined) return /[_.-]$/u.test(known) || /^[_.-]/u.test(fragment);
  return [...tools].some((tool) => tool.startsWith(known + fragment));
}

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
function settled(slot: Slot, delta: CallDelta, choice: Choice, assembly: Assembly): Slot {
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
function isAlias({ label: own, id: ownId, aliases }: Slot, { label, id }: Pick<CallDelta, "label" | "id">): boolean {
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
