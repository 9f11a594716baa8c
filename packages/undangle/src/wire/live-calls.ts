import { argumentsText } from "#codecs";
import type { LiveCall, LiveWriter, ReadEnd, SentFrame, Wire } from "#codecs";
import { isObjectText, isPlaceholder, isWhole } from "#core";
import type { Slot } from "#core";

import { createCallPieces } from "./call-pieces.ts";
import type { CallPieces } from "./call-pieces.ts";

/** Calls that a client sees grow, each under one name and one id. */
export interface LiveCalls {
  /** A frame that speaks of calls has passed as it came, with all that they have. */
  readonly passed: (slots: readonly Slot[]) => void;
  /** Such a frame waits, with what they have now. */
  readonly waits: (slots: readonly Slot[]) => void;
  /** The end of the last call waits: it has no arguments, and those may come behind it. */
  readonly waitsAtEnd: () => void;
  readonly isAtEnd: () => boolean;
  /** What has waited passes as it came. */
  readonly released: () => void;
  /** What becomes of frames that wait because of calls that were doubtful, now that another one has come. */
  readonly outlook: (came: Came) => Outlook;
  /** Nothing more comes of a call that waits: what it says is what it has. */
  readonly close: (slot: Slot) => void;
  /** Writes what is new of calls, also of those that wait. */
  readonly write: (slots: readonly Slot[], like: Wire) => void;
  /** How what is new of calls may pass as it came: not at all, or perhaps, if what follows fits. */
  readonly fitness: (slots: readonly Slot[]) => Fitness;
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

/** Nothing is doubtful; they pass; they wait on; they have to be written. */
export type Outlook = "none" | "clear" | "open" | "unfit";

/** What a frame is about. */
interface Came {
  readonly slots: readonly Slot[];
  /** It says something. */
  readonly isSaid: boolean;
}

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

/** A call of a frame that waits. */
interface Held {
  /** What passes of it with that. */
  readonly passing: Passing;
  readonly doubt: Doubt | undefined;
}

/**
 * Why a call is doubtful: what it has may only stand in the place of arguments; its pieces can be read in two ways; its name may be
 * half of it; or it has ended without arguments.
 */
type Doubt = "placeholder" | "pieces" | "name" | "end";

interface Surroundings {
  readonly writer: LiveWriter;
  readonly send: (frames: readonly SentFrame[]) => void;
  /** An id for a call that has none of its own. */
  readonly mint: (number: number) => string;
  readonly nameOf: (name: string) => string;
  /** True for the name of a tool. */
  readonly isKnownName: (name: string) => boolean;
}

export function createLiveCalls({ writer, send, mint, nameOf, isKnownName }: Surroundings): LiveCalls {
  const lives = new Map<number, Live>();
  const counts = new Map<number, number>();
  const pending = new Set<Slot>(); // of which the client lacks something
  const held = new Map<Slot, Held>(); // those of frames that wait
  const pieces = new Map<Slot, CallPieces>();
  const blanks = new WeakMap<readonly string[], { readonly start: number; readonly end: number }>(); // runs of blank fragments
  const taken = new Set<string>(); // the ids of all that the client has, each in its choice
  let last: Live | undefined; // the one that began last
  let isStuck = false; // more of a call has come than the client takes

  /** The pieces of a call as they are now. */
  const piecesOf = (slot: Slot): CallPieces => {
    let known = pieces.get(slot);
    if (known === undefined) {
      known = createCallPieces();
      pieces.set(slot, known);
    }
    known.look(slot);
    return known;
  };

  /** True where one of the fragments of a call from an index on is not blank. Each is looked at once. */
  const saysMore = ({ fragments }: Slot, from: number): boolean => {
    const run = blanks.get(fragments);
    const known = run !== undefined && run.start <= from && from <= run.end ? run : { start: from, end: from };
    let { end } = known;
    while (end < fragments.length && fragments[end]?.trim() === "") end++;
    blanks.set(fragments, { start: known.start, end });
    return end < fragments.length;
  };

  const register = (slot: Slot, id: string, name: string): Live => {
    const index = counts.get(slot.choice) ?? 0;
    counts.set(slot.choice, index + 1);
    taken.add(`${slot.choice} ${id}`);
    const call = { id, name, choice: slot.choice, index, isCustom: slot.isFreeText, extras: slot.extras };
    const live: Live = { call, slot, text: "", fragments: 0, isOver: false };
    lives.set(slot.number, live);
    last = live;
    return live;
  };

  const freeId = (wished: string | undefined, number: number, choice: number): string => {
    return wished === undefined || taken.has(`${choice} ${wished}`) ? mint(number) : wished;
  };

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
    const live = register(slot, freeId(slot.id, slot.number, slot.choice), nameOf(slot.name));
    send(writer.begin(live.call, like));
    return live;
  };

  /** Sends more of a call: now the client has so many fragments of it. */
  const goOn = (live: Live, { text, fragments }: More, like: Wire): void => {
    const { call, slot } = live;
    if (!sendMore(call, text, like)) return;
    live.text += text;
    live.fragments = fragments;
    live.isOver = isOver(slot);
    if (live.isOver) pending.delete(slot);
  };

  /** Text has no end of its own, and what can be read in two ways has none yet. */
  const isOver = (slot: Slot): boolean => {
    if (slot.isFreeText) return false;
    const known = pieces.get(slot);
    const manner = known?.manner() ?? "joined";
    return manner === "joined" ? isWhole(slot) : manner === "again" && known?.isWhole() === true;
  };

  /** What passes of a call, behind what waits of it. */
  const passingOf = (slot: Slot): Passing => {
    const before = held.get(slot)?.passing;
    const had = before?.fragments ?? lives.get(slot.number)?.fragments ?? 0;
    const more = slot.fragments.slice(had).join("");
    const { name, fragments } = slot;
    const text = before === undefined ? more : before.text + more;
    return { id: slot.id ?? "", name, text, fragments: fragments.length, isOver: isOver(slot) };
  };

  const canBegin = (slot: Slot): boolean => slot.name !== "" && slot.repeats === undefined && !lives.has(slot.number);

  /** Begins calls without arguments that came before another one, so that they keep their places. */
  const beginEarlier = (slot: Slot, like: Wire): void => {
    for (const earlier of oldest(pending)) {
      if (earlier.number >= slot.number || !canBegin(earlier)) continue;
      if (!writer.isOneByOne) begin(earlier, like);
      // Where one has to end before the next begins, what stood in the place of its arguments was those.
      else if (isOver(earlier) && earlier.fragments.every(isPlaceholder))
        goOn(begin(earlier, like), { text: "{}", fragments: earlier.fragments.length }, like);
    }
  };

  /** Says what can be said of a call now. */
  const writeSlot = (slot: Slot, like: Wire): void => {
    const known = lives.get(slot.number);
    if (known === undefined ? !canBegin(slot) : known.isOver || slot.repeats !== undefined) return;
    if (isBlocked(known)) return;
    const more = newText(slot, piecesOf(slot), known);
    if (more.text === "") return;
    if (known === undefined) beginEarlier(slot, like);
    goOn(known ?? begin(slot, like), more, like);
  };

  const finishCall = (number: number, { choice, call }: CallEnd, like: Wire): boolean => {
    const isCustom = call.extras?.["type"] === "custom";
    const text = isCustom ? call.raw : argumentsText(call);
    const known = lives.get(number);
    if (known === undefined) {
      const index = counts.get(choice) ?? 0;
      counts.set(choice, index + 1);
      const live = {
        id: freeId(call.id, number, choice),
        name: call.name,
        choice,
        index,
        isCustom,
        extras: call.extras,
      };
      send(writer.begin(live, like));
      if (text !== "") send(writer.more(live, text, like));
      return true;
    }
    if (call.name !== known.call.name) return false;
    if (known.text === text || isSame(known.text, text)) return true;
    if (known.isOver && known.text.trim() === "" && isPlaceholder(text)) return true; // it has ended without any
    const [all, before] = isCustom ? [text, known.text] : [text.trimStart(), known.text.trimStart()];
    if (!all.startsWith(before) || (writer.isOneByOne && known !== last)) return false;
    return sendMore(known.call, all.slice(before.length), like);
  };

  /** What has waited of a call passes. */
  const pass = (slot: Slot, { id, name, text, fragments, isOver: isAll }: Passing): void => {
    const live = lives.get(slot.number) ?? register(slot, id, name);
    live.text += text;
    live.fragments = fragments;
    live.isOver = isAll;
  };

  /** True for a call whose name may be half of it: more may come before its arguments do. */
  const isHalfNamed = (slot: Slot): boolean =>
    writer.hasSplitNames && slot.name !== "" && !slot.hasText && !lives.has(slot.number) && !isKnownName(slot.name);

  const doubtOf = (slot: Slot): Doubt | "unfit" | undefined => {
    const known = lives.get(slot.number);
    if (slot.repeats !== undefined) return "unfit";
    if (slot.isFreeText || !saysMore(slot, known?.fragments ?? 0)) return isHalfNamed(slot) ? "name" : undefined;
    if (known?.isOver === true) return "unfit";
    const read = piecesOf(slot);
    const manner = read.manner();
    if (manner === "joined") return read.first() === slot.fragments.length ? "placeholder" : undefined;
    return manner === "again" || manner === "encoded" ? "unfit" : "pieces";
  };

  const outlookOf = (slot: Slot, { doubt, passing }: Held, { slots, isSaid }: Came): Outlook => {
    if (doubt === undefined) return "none";
    if (slots.some(({ follows }) => follows === slot)) return "open"; // they may be more of this one
    if (doubt === "pieces") {
      const manner = piecesOf(slot).manner();
      return manner === "joined" ? "clear" : manner === "again" ? "unfit" : "open";
    }
    if (doubt === "name") {
      if (slot.name !== passing.name) return "unfit";
      return !slot.hasText && slots.includes(slot) ? "open" : "clear";
    }
    const { fragments } = slot;
    if (piecesOf(slot).first() < fragments.length || saysMore(slot, passing.fragments)) return "unfit";
    if (fragments.length > passing.fragments) return "open"; // with a blank
    return isSaid && doubt === "placeholder" && !isObjectText(fragments.join("")) ? "unfit" : "clear"; // who goes on to speak has called
  };

  return {
    passed(slots) {
      for (const slot of slots) {
        const live = lives.get(slot.number) ?? register(slot, slot.id ?? "", slot.name);
        const { fragments } = slot;
        for (let at = live.fragments; at < fragments.length; at++) live.text += fragments[at] ?? "";
        live.fragments = fragments.length;
        live.isOver = isOver(slot);
      }
    },
    waits(slots) {
      for (const slot of slots) {
        const doubt = doubtOf(slot);
        held.set(slot, { passing: passingOf(slot), doubt: doubt === "unfit" ? undefined : doubt });
      }
    },
    waitsAtEnd() {
      const slot = last?.slot;
      if (slot !== undefined) held.set(slot, { passing: { ...passingOf(slot), isOver: true }, doubt: "end" });
    },
    isAtEnd: () => held.size > 0 && [...held.values()].some(({ doubt }) => doubt === "end"),
    released() {
      for (const [slot, { passing }] of held) pass(slot, passing);
      held.clear();
    },
    outlook(came) {
      if (held.size === 0) return "none"; // nearly always
      const all = [...held].map(([slot, each]) => outlookOf(slot, each, came));
      return (["unfit", "open", "clear"] as const).find((each) => all.includes(each)) ?? "none";
    },
    close: (slot) => piecesOf(slot).close(),
    fitness(slots) {
      let fitness: Fitness = "fit";
      for (const slot of slots) {
        const doubt = doubtOf(slot);
        if (doubt === "unfit") return doubt;
        if (doubt !== undefined) fitness = "doubtful";
      }
      return fitness;
    },
    write(slots, like) {
      const came = new Set([...held.keys(), ...slots]);
      held.clear();
      for (const slot of came) pending.add(slot);
      for (const slot of oldest(pending)) writeSlot(slot, like);
      for (const slot of came) writeSlot(slot, like);
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
interface Passing extends Readonly<Pick<Live, "text" | "fragments" | "isOver">> {
  readonly id: string;
  readonly name: string;
}

type CallEnd = ReadEnd["calls"] extends ReadonlyMap<number, infer End> ? End : never;

/** More of a call, and how many of its fragments the client has then. */
interface More {
  readonly text: string;
  readonly fragments: number;
}

/** So many of the calls that wait are looked at with every frame; the rest can wait for the end. */
const mostLookedAt = 64;

function oldest(pending: ReadonlySet<Slot>): readonly Slot[] {
  const slots: Slot[] = [];
  for (const slot of pending) if (slots.push(slot) === mostLookedAt) break;
  return slots;
}

/** What a client lacks of the arguments of a call, as far as they can be told before they are all there. */
function newText({ fragments, isFreeText }: Slot, read: CallPieces, known: Live | undefined): More {
  const had = known?.fragments ?? 0;
  if (isFreeText) return { text: fragments.slice(had).join(""), fragments: fragments.length };
  if (read.manner() === "again") {
    const [all, before] = [read.last().trimStart(), known?.text.trimStart() ?? ""];
    return { text: all.startsWith(before) ? all.slice(before.length) : "", fragments: fragments.length };
  }
  if (read.manner() === "encoded") return { text: "", fragments: had };
  // May be long: nothing here looks at all of it for every piece that comes.
  return { text: fragments.slice(Math.max(had, read.first()), read.sure()).join(""), fragments: read.sure() };
}

/** True when two texts are the same JSON. */
function isSame(one: string, other: string): boolean {
  try {
    return JSON.stringify(JSON.parse(one)) === JSON.stringify(JSON.parse(other));
  } catch {
    return false; // one of them is none
  }
}
