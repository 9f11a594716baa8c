import { isRecord, textOf } from "#core";

import { createCallIds } from "./call-ids.ts";
import { inputText, saySame, takesText } from "./call-input.ts";

/** What a model is called with, as far as it matters here. */
export interface ModelCall {
  readonly prompt: readonly { readonly role: string }[];
  readonly tools?: readonly unknown[] | undefined;
}

/** The parts of one turn of a model. Calls are held until it is known whether the turn is whole. */
export interface ModelTurn {
  /** What may pass at once of a part; undefined for one that is held. */
  take(part: unknown): unknown;
  /** What becomes of each part that was held, in their order, when the turn is whole: undefined for one that goes. */
  release(): readonly unknown[];
  /** The names of the calls that are held. */
  names(): readonly string[];
  /** True once a call began, whether it came to its end or not. */
  hasBegun(): boolean;
}

type Wire = Readonly<Record<string, unknown>>;

/** One call of the turn. */
interface Slot {
  readonly name: string;
  /** The id as it came; "" for none. */
  readonly given: string;
  /** The id that it gets; undefined while it may be another call of its id, or that one again. */
  id: string | undefined;
  call: Wire | undefined;
  /** The text of its input. */
  input: string;
  isCopy: boolean;
}

/** Calls that the provider runs, and what belongs to them, pass as they are: nobody here acts upon them. */
export function createModelTurn({ prompt, tools = [] }: ModelCall): ModelTurn {
  const ids = createCallIds(prompt);
  const slots: Slot[] = [];
  const slotsOf = new Map<string, Slot[]>(); // by the id as it came
  const open = new Map<string, Slot>(); // the call whose input comes under an id
  const held: { readonly part: Wire; readonly slot: Slot }[] = [];

  const hold = (part: Wire, slot: Slot): undefined => void held.push({ part, slot });
  const freshId = ({ name, given }: Slot, place: number): string => ids.fresh([name, given, place].join("\n"));

  function addSlot(name: string, given: string): Slot {
    const slot: Slot = { name, given, id: undefined, call: undefined, input: "", isCopy: false };
    const others = slotsOf.get(given);
    if (given === "" || others === undefined) slot.id = ids.claim(given) ? given : freshId(slot, slots.length);
    if (others === undefined) slotsOf.set(given, [slot]);
    else others.push(slot);
    slots.push(slot);
    return slot;
  }

  function takeInput(part: Wire): unknown {
    const given = textOf(part["id"]) ?? "";
    if (part["type"] === "tool-input-start") {
      if (part["providerExecuted"] === true) open.delete(given);
      else open.set(given, addSlot(textOf(part["toolName"]) ?? "", given));
    }
    const slot = open.get(given);
    if (slot === undefined) return part;
    return slot.id === undefined ? hold(part, slot) : withId(part, "id", slot.id);
  }

  function takeCall(part: Wire): unknown {
    const given = textOf(part["toolCallId"]) ?? "";
    if (part["providerExecuted"] === true) {
      ids.claim(given);
      return part;
    }
    const name = textOf(part["toolName"]) ?? "";
    const begun = slotsOf.get(given)?.find((slot) => slot.call === undefined && (given !== "" || slot.name === name));
    const slot = begun ?? addSlot(name, given);
    const tool = tools.find((one) => isRecord(one) && one["name"] === name);
    slot.call = part;
    slot.input = inputText(part["input"], { isText: takesText(tool) });
    return hold(part, slot);
  }

  /** What speaks of a call that is held waits behind it. */
  function takeAnswer(part: Wire): unknown {
    const slot = slotsOf.get(textOf(part["toolCallId"]) ?? "")?.find(({ call }) => call !== undefined);
    return slot === undefined ? part : hold(part, slot);
  }

  /** Says of the calls under an id that another one has, whether they are that one again. */
  function settle(): void {
    for (const [place, slot] of slots.entries()) {
      if (slot.id !== undefined) continue;
      const others = slotsOf.get(slot.given) ?? [];
      slot.isCopy = slot.call === undefined || others.slice(0, others.indexOf(slot)).some((one) => isSame(one, slot));
      slot.id = slot.isCopy ? slot.given : freshId(slot, place);
    }
  }

  return {
    take(part) {
      if (!isRecord(part)) return part;
      const { type } = part;
      if (type === "tool-call") return takeCall(part);
      if (type === "tool-result" || type === "tool-approval-request") return takeAnswer(part);
      return typeof type === "string" && type.startsWith("tool-input-") ? takeInput(part) : part;
    },
    release() {
      settle();
      return held.map(({ part, slot }) => (slot.isCopy ? undefined : mend(part, slot)));
    },
    names: () => slots.filter(({ call }) => call !== undefined).map(({ name }) => name),
    hasBegun: () => slots.length > 0,
  };
}

const isSame = (one: Slot, other: Slot): boolean =>
  one.call !== undefined && one.name === other.name && saySame(one.input, other.input);

function mend(part: Wire, { id = "", call, input }: Slot): Wire {
  if (part !== call) return withId(part, "id" in part ? "id" : "toolCallId", id);
  const named = withId(part, "toolCallId", id);
  return part["input"] === input ? named : { ...named, input };
}

const withId = (part: Wire, key: "id" | "toolCallId", id: string): Wire =>
  part[key] === id ? part : { ...part, [key]: id };
