import { argumentsText } from "#codecs";
import type { LiveCall, LiveWriter, ReadEnd, SentFrame, Wire } from "#codecs";
import { isWhole } from "#core";
import type { Slot } from "#core";

/** Calls that a client sees grow, each under one name and one id. */
export interface LiveCalls {
  /** A frame that speaks of calls has passed as it came, with all that they have. */
  readonly passed: (slots: readonly Slot[]) => void;
  /** Such a frame waits, with what they have now; gives what is to be called when it passes. */
  readonly waits: (slots: readonly Slot[]) => () => void;
  /** Writes what is new of calls. */
  readonly write: (slots: readonly Slot[], like: Wire) => void;
  /** How what is new of calls may pass as it came: not at all, or perhaps, if no more of the same calls follows. */
  readonly fitness: (slots: readonly Slot[]) => Fitness;
  /** Those calls that are doubtful themselves. */
  readonly doubtful: (slots: readonly Slot[]) => readonly Slot[];
  /** The client has seen a call begin. */
  readonly hasBegun: () => boolean;
  /** The last one, where it has not seen all of that: what comes between must not end it. */
  readonly open: () => Slot | undefined;
  /** It has seen the end of the last one, where each has to end before the next begins. */
  readonly ended: () => void;
  /** Writes what is left of all calls; false where what the client has cannot be made right any more. */
  readonly finish: (calls: ReadEnd["calls"], like: Wire) => boolean;
}

type Fitness = "fit" | "doubtful" | "unfit";

/** A call as the client has it. */
interface Live {
  readonly call: LiveCall;
  readonly slot: Slot;
  text: string;
  /** How many fragments of the slot that is. */
  fragments: number;
  /** It was whole: what comes behind that may be the same again. */
  isOver: boolean;
}

interface Surroundings {
  readonly writer: LiveWriter;
  readonly send: (frames: readonly SentFrame[]) => void;
  /** An id for a call that has none of its own. */
  readonly mint: (number: number) => string;
  readonly nameOf: (name: string) => string;
}

export function createLiveCalls({ writer, send, mint, nameOf }: Surroundings): LiveCalls {
  const lives = new Map<number, Live>();
  const counts = new Map<number, number>();
  const pending = new Set<Slot>(); // of which the client lacks something
  let last: Live | undefined; // the one that began last
  let isStuck = false; // more of a call has come than the client takes

  const register = (slot: Slot, id: string, name: string): Live => {
    const index = counts.get(slot.choice) ?? 0;
    counts.set(slot.choice, index + 1);
    const call = { id, name, choice: slot.choice, index, isCustom: slot.isFreeText };
    const live: Live = { call, slot, text: "", fragments: 0, isOver: false };
    lives.set(slot.number, live);
    last = live;
    return live;
  };

  const freeId = (wished: string | undefined, number: number): string =>
    wished === undefined || [...lives.values()].some(({ call }) => call.id === wished) ? mint(number) : wished;

  /** True where a format keeps the client from hearing of a call now. */
  const isBlocked = (known: Live | undefined): boolean => {
    if (!writer.isOneByOne || last === undefined) return false;
    return known === undefined ? !last.isOver : known !== last;
  };

  /** False where the client takes no more of a call. */
  const sendMore = (call: LiveCall, text: string, like: Wire): boolean => {
    const frames = writer.more(call, text, like);
    send(frames);
    isStuck ||= frames.length === 0;
    return frames.length > 0;
  };

  const begin = (slot: Slot, like: Wire): Live => {
    const live = register(slot, freeId(slot.id, slot.number), nameOf(slot.name));
    send(writer.begin(live.call, like));
    return live;
  };

  /** Sends more of a call, which is then all that has come of it. */
  const goOn = (live: Live, text: string, like: Wire): void => {
    const { call, slot } = live;
    if (!sendMore(call, text, like)) return;
    live.text += text;
    live.fragments = slot.fragments.length;
    live.isOver = isOver(slot);
    if (live.isOver) pending.delete(slot);
  };

  const canBegin = (slot: Slot): boolean => slot.name !== "" && slot.repeats === undefined && !lives.has(slot.number);

  /** Begins calls without arguments that came before another one, so that they keep their places. */
  const beginEarlier = (slot: Slot, like: Wire): void => {
    for (const earlier of pending) {
      if (earlier.number >= slot.number || !canBegin(earlier)) continue;
      if (!writer.isOneByOne) begin(earlier, like);
      // Where one has to end before the next begins, what stood in the place of its arguments was those.
      else if (isOver(earlier) && earlier.fragments.every(isEmpty)) goOn(begin(earlier, like), "{}", like);
    }
  };

  /** Says what can be said of a call now. */
  const writeSlot = (slot: Slot, like: Wire): void => {
    const known = lives.get(slot.number);
    if (known === undefined ? !canBegin(slot) : known.isOver || slot.repeats !== undefined) return;
    if (isBlocked(known)) return;
    const text = newText(slot, known);
    if (text === "") return;
    if (known === undefined) beginEarlier(slot, like);
    goOn(known ?? begin(slot, like), text, like);
  };

  const finishCall = (number: number, { choice, call }: CallEnd, like: Wire): boolean => {
    const isCustom = call.extras?.["type"] === "custom";
    const text = isCustom ? call.raw : argumentsText(call);
    const known = lives.get(number);
    if (known === undefined) {
      const index = counts.get(choice) ?? 0;
      counts.set(choice, index + 1);
      const live = { id: freeId(call.id, number), name: call.name, choice, index, isCustom };
      send(writer.begin(live, like));
      if (text !== "") send(writer.more(live, text, like));
      return true;
    }
    if (call.name !== known.call.name) return false;
    if (known.text === text || isSame(known.text, text)) return true;
    if (known.isOver && known.text.trim() === "" && isEmpty(text)) return true; // it has ended without any
    if (!text.startsWith(known.text) || (writer.isOneByOne && known !== last)) return false;
    return sendMore(known.call, text.slice(known.text.length), like);
  };

  /** The client has so many fragments of a call. */
  const pass = (slot: Slot, { id, name, fragments, isOver: isAll }: Passing): void => {
    const live = lives.get(slot.number) ?? register(slot, id, name);
    live.text += slot.fragments.slice(live.fragments, fragments).join("");
    live.fragments = fragments;
    live.isOver = isAll;
  };

  const ofSlot = (slot: Slot): Fitness => fitnessOf(slot, lives.get(slot.number));

  return {
    passed(slots) {
      for (const slot of slots) pass(slot, passingOf(slot));
    },
    waits(slots) {
      const passing = slots.map((slot) => [slot, passingOf(slot)] as const);
      return () => {
        for (const [slot, each] of passing) pass(slot, each);
      };
    },
    fitness(slots) {
      const all = slots.map(ofSlot);
      return all.find((each) => each === "unfit") ?? all.find((each) => each === "doubtful") ?? "fit";
    },
    doubtful: (slots) => slots.filter((slot) => ofSlot(slot) === "doubtful"),
    write(slots, like) {
      for (const slot of slots) pending.add(slot);
      for (const slot of pending) writeSlot(slot, like);
    },
    hasBegun: () => lives.size > 0,
    open: () => (writer.isOneByOne && last?.isOver === false ? last.slot : undefined),
    ended() {
      if (writer.isOneByOne && last !== undefined) last.isOver = true;
    },
    finish(calls, like) {
      if (isStuck || [...lives.keys()].some((number) => !calls.has(number))) return false;
      const inOrder = [...calls].sort(([one], [other]) => one - other);
      // Those that have begun first: a client may have only one that is open.
      const [begun, others] = [true, false].map((is) => inOrder.filter(([number]) => lives.has(number) === is));
      return [...(begun ?? []), ...(others ?? [])].every(([number, end]) => finishCall(number, end, like));
    },
  };
}

/** What passes of a call with a frame. */
interface Passing extends Pick<Live, "fragments" | "isOver"> {
  readonly id: string;
  readonly name: string;
}

const passingOf = (slot: Slot): Passing => ({
  id: slot.id ?? "",
  name: slot.name,
  fragments: slot.fragments.length,
  isOver: isOver(slot),
});

/** Text has no end of its own. */
const isOver = (slot: Slot): boolean => !slot.isFreeText && isWhole(slot);

type CallEnd = ReadEnd["calls"] extends ReadonlyMap<number, infer End> ? End : never;

/** What servers put where arguments have to come. */
const isPlaceholder = /^\s*(?:\{\s*\}|null|""|"\{\}")?\s*$/u;
const isEmpty = (fragment: string): boolean => isPlaceholder.test(fragment);

/** Arguments that are a text in which they stand. */
const isEncoded = /^\s*"/u;

/** What a client lacks of the arguments of a call, as far as they can be told before they are all there. */
function newText({ fragments, isFreeText }: Slot, known: Live | undefined): string {
  const fresh = fragments.slice(known?.fragments ?? 0);
  if (isFreeText) return fresh.join("");
  const before = known?.text ?? ""; // may be long: nothing here looks at all of it for every piece that comes
  const first = before === "" ? fresh.findIndex((fragment) => !isEmpty(fragment)) : 0;
  if (first < 0 || (before === "" && isEncoded.test(fresh[first] ?? ""))) return "";
  let more = "";
  for (const fragment of fresh.slice(first)) {
    more = isLonger(fragment, before + more) ? fragment.slice(before.length) : more + fragment;
  }
  return more;
}

/** True for a text that says all that came before once more. */
const isLonger = (fragment: string, before: string): boolean =>
  fragment.length > before.length && before.length > 1 && before.startsWith("{") && fragment.startsWith(before);

function fitnessOf(slot: Slot, known: Live | undefined): Fitness {
  const fresh = slot.fragments.slice(known?.fragments ?? 0);
  const before = known?.text ?? "";
  const text = fresh.join("");
  if (text.trim() === "" || slot.isFreeText) return slot.repeats === undefined ? "fit" : "unfit";
  if (known?.isOver === true || slot.repeats !== undefined || fresh.some((each) => isLonger(each, before)))
    return "unfit";
  if (before !== "") return "fit";
  return isEncoded.test(text) ? "unfit" : isPlaceholder.test(text) ? "doubtful" : "fit";
}

/** True when two texts are the same JSON. */
function isSame(one: string, other: string): boolean {
  try {
    return JSON.stringify(JSON.parse(one)) === JSON.stringify(JSON.parse(other));
  } catch {
    return false; // one of them is none
  }
}
