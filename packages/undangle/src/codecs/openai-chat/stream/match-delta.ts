import { cleanName, isAnother, isPlaceholder, isWhole, textOf, isRecord } from "#core";
import type { Assembly, Choice, JsonObject, Slot } from "#core";

import { isAlias, settled } from "./aliases.ts";

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

const hasArguments = ({ arguments: args }: JsonObject): boolean =>
  typeof args === "string" ? args.trim() !== "" : isRecord(args);

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
