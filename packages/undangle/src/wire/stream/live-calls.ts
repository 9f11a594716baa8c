import { argumentsText, isJsonOf } from "#codecs";
import type { LiveCall, LiveWriter, ReadEnd, Frame } from "#codecs";
import { isObjectText, isPlaceholder, isWhole, parseJson } from "#core";
import type { JsonObject, Slot } from "#core";

import { createArgumentFragments } from "./argument-fragments.ts";
import type { ArgumentFragments } from "./argument-fragments.ts";

/** The calls that a client sees while they arrive (`toolCalls: "stream"`), each under one name and one id. */
export interface LiveCalls {
  /** A frame with calls passed as it arrived. */
  readonly emitted: (slots: readonly Slot[]) => void;
  /** A frame with calls is held. */
  readonly held: (slots: readonly Slot[]) => void;
  /** The end of a call without arguments is held, because they may follow. */
  readonly heldAtEnd: () => void;
  readonly isHeldAtEnd: () => boolean;
  /** The held frames passed as they arrived. */
  readonly released: () => void;
  /** What a new frame shows about the held ones. */
  readonly outlook: (next: NextFrame) => Outlook;
  /** No more arguments of a held call follow. */
  readonly close: (slot: Slot) => void;
  /** Writes what the client lacks of these calls and of the held ones. */
  readonly write: (slots: readonly Slot[], template: JsonObject) => void;
  /** Whether what is new of calls may pass as it arrived. */
  readonly fitness: (slots: readonly Slot[]) => Fitness;
  /** The client has seen the start of a call. */
  readonly hasBegun: () => boolean;
  /** The last call, if it is incomplete and calls must not overlap. */
  readonly openSlot: () => Slot | undefined;
  /** The client has seen the end of the last call. */
  readonly ended: () => void;
  /** Writes the rest of all calls. False if the client has a part that is wrong. */
  readonly finish: (calls: ReadEnd["calls"], template: JsonObject) => boolean;
}

/** `doubtful`: it depends on the next frames. */
type Fitness = "fit" | "doubtful" | "unfit";

/** `none`: no held frame is doubtful. `clear`: the held frames may pass. `open`: they are still doubtful. `unfit`: they cannot pass. */
export type Outlook = "none" | "clear" | "open" | "unfit";

/** The content of a frame. */
interface NextFrame {
  readonly slots: readonly Slot[];
  readonly hasText: boolean;
}

/** A call as the client has it. */
interface SeenCall {
  readonly call: LiveCall;
  readonly slot: Slot;
  text: string;
  /** The number of the slot's fragments in that text. */
  fragments: number;
  /** It is complete. Further fragments may repeat it. */
  isComplete: boolean;
}

/** A call of a held frame. */
interface HeldCall {
  /** What the client has of it after the frame passes. */
  readonly after: AfterRelease;
  readonly doubt: Doubt | undefined;
}

/**
 * Why a call is doubtful:
 * - `placeholder`: its arguments may be a placeholder for others.
 * - `fragments`: its fragments have two readings.
 * - `name`: its name may be incomplete.
 * - `end`: it ended without arguments.
 */
type Doubt = "placeholder" | "fragments" | "name" | "end";

interface LiveCallOptions {
  readonly writer: LiveWriter;
  readonly send: (frames: readonly Frame[]) => void;
  /** Generates an id for a call without one. */
  readonly mint: (number: number) => string;
  readonly nameOf: (name: string) => string;
  /** True for the name of a tool of the request. */
  readonly isKnownName: (name: string) => boolean;
}

export function createLiveCalls({ writer, send, mint, nameOf, isKnownName }: LiveCallOptions): LiveCalls {
  const seen = new Map<number, SeenCall>(); // by slot number
  const counts = new Map<number, number>(); // by choice
  const pending = new Set<Slot>(); // calls of which the client lacks something
  const held = new Map<Slot, HeldCall>();
  const fragments = new Map<Slot, ArgumentFragments>();
  const blanks = new WeakMap<readonly string[], { readonly start: number; readonly end: number }>(); // runs of blank fragments
  const taken = new Set<string>(); // ids that the client has, by choice
  let last: SeenCall | undefined; // the call that began last
  let isStuck = false; // the client accepts no more of a call

  const fragmentsOf = (slot: Slot): ArgumentFragments => {
    let known = fragments.get(slot);
    if (known === undefined) {
      known = createArgumentFragments();
      fragments.set(slot, known);
    }
    known.update(slot);
    return known;
  };

  /** True if one of the fragments of a call from an index on is not blank. Each fragment is examined once. */
  const hasMore = ({ fragments: list }: Slot, from: number): boolean => {
    const run = blanks.get(list);
    const known = run !== undefined && run.start <= from && from <= run.end ? run : { start: from, end: from };
    let { end } = known;
    while (end < list.length && list[end]?.trim() === "") end++;
    blanks.set(list, { start: known.start, end });
    return end < list.length;
  };

  const register = (slot: Slot, id: string, name: string): SeenCall => {
    const index = counts.get(slot.choice) ?? 0;
    counts.set(slot.choice, index + 1);
    taken.add(`${slot.choice} ${id}`);
    const call = { id, name, choice: slot.choice, index, isCustom: slot.isFreeText, extras: slot.extras };
    const begun: SeenCall = { call, slot, text: "", fragments: 0, isComplete: false };
    seen.set(slot.number, begun);
    last = begun;
    return begun;
  };

  const freeId = (id: string | undefined, number: number, choice: number): string =>
    id === undefined || taken.has(`${choice} ${id}`) ? mint(number) : id;

  /** True if another call has to end first. */
  const isBlocked = (known: SeenCall | undefined): boolean => {
    if (!writer.isSequential || last === undefined) return false;
    return known === undefined ? !last.isComplete : known !== last;
  };

  /** False if the client accepts no more of a call. */
  const sendMore = (call: LiveCall, text: string, template: JsonObject): boolean => {
    const frames = writer.more(call, text, template);
    send(frames);
    isStuck ||= frames.length === 0;
    return frames.length > 0;
  };

  const begin = (slot: Slot, template: JsonObject): SeenCall => {
    const begun = register(slot, freeId(slot.id, slot.number, slot.choice), nameOf(slot.name));
    send(writer.begin(begun.call, template));
    return begun;
  };

  /** Sends more of a call, after which the client has this number of fragments. */
  const extend = (known: SeenCall, { text, count }: More, template: JsonObject): void => {
    const { call, slot } = known;
    if (!sendMore(call, text, template)) return;
    known.text += text;
    known.fragments = count;
    known.isComplete = isComplete(slot);
    if (known.isComplete) pending.delete(slot);
  };

  /** False for free text, which has no end of its own, and for fragments with two readings. */
  const isComplete = (slot: Slot): boolean => {
    if (slot.isFreeText) return false;
    const known = fragments.get(slot);
    const kind = known?.kind() ?? "consecutive";
    return kind === "consecutive" ? isWhole(slot) : kind === "cumulative" && known?.isComplete() === true;
  };

  /** What the client has of a call after everything held passes. */
  const afterRelease = (slot: Slot): AfterRelease => {
    const before = held.get(slot)?.after;
    const had = before?.fragments ?? seen.get(slot.number)?.fragments ?? 0;
    const more = slot.fragments.slice(had).join("");
    const text = before === undefined ? more : before.text + more;
    return {
      id: slot.id ?? "",
      name: slot.name,
      text,
      fragments: slot.fragments.length,
      isComplete: isComplete(slot),
    };
  };

  const canBegin = (slot: Slot): boolean => slot.name !== "" && slot.repeats === undefined && !seen.has(slot.number);

  /** Begins earlier calls without arguments, so that they keep their places. */
  const beginEarlier = (slot: Slot, template: JsonObject): void => {
    for (const earlier of oldest(pending)) {
      if (earlier.number >= slot.number || !canBegin(earlier)) continue;
      if (!writer.isSequential) begin(earlier, template);
      // Calls do not overlap, so the placeholder was the arguments.
      else if (isComplete(earlier) && earlier.fragments.every(isPlaceholder))
        extend(begin(earlier, template), { text: "{}", count: earlier.fragments.length }, template);
    }
  };

  /** Writes what is certain of a call now. */
  const writeSlot = (slot: Slot, template: JsonObject): void => {
    const known = seen.get(slot.number);
    if (known === undefined ? !canBegin(slot) : known.isComplete || slot.repeats !== undefined) return;
    if (isBlocked(known)) return;
    const more = newText(slot, fragmentsOf(slot), known);
    if (more.text === "") return;
    if (known === undefined) beginEarlier(slot, template);
    extend(known ?? begin(slot, template), more, template);
  };

  const finishCall = (number: number, { choice, call }: CallEnd, template: JsonObject): boolean => {
    const isCustom = call.extras?.["type"] === "custom";
    const text = isCustom ? call.raw : argumentsText(call);
    const known = seen.get(number);
    if (known === undefined) {
      const index = counts.get(choice) ?? 0;
      counts.set(choice, index + 1);
      const begun = {
        id: freeId(call.id, number, choice),
        name: call.name,
        choice,
        index,
        isCustom,
        extras: call.extras,
      };
      send(writer.begin(begun, template));
      if (text !== "") send(writer.more(begun, text, template));
      return true;
    }
    if (call.name !== known.call.name) return false;
    if (known.text === text || isJsonOf(known.text, parseJson(text))) return true;
    if (known.isComplete && known.text.trim() === "" && isPlaceholder(text)) return true; // it ended without arguments
    const [all, before] = isCustom ? [text, known.text] : [text.trimStart(), known.text.trimStart()];
    if (!all.startsWith(before) || (writer.isSequential && known !== last)) return false;
    return sendMore(known.call, all.slice(before.length), template);
  };

  const release = (slot: Slot, { id, name, ...after }: AfterRelease): void => {
    const known = seen.get(slot.number) ?? register(slot, id, name);
    known.text += after.text;
    known.fragments = after.fragments;
    known.isComplete = after.isComplete;
  };

  /** True for a call whose name may continue before its arguments start. */
  const mayLackName = (slot: Slot): boolean =>
    writer.hasSplitNames && slot.name !== "" && !slot.hasText && !seen.has(slot.number) && !isKnownName(slot.name);

  const doubtOf = (slot: Slot): Doubt | "unfit" | undefined => {
    const known = seen.get(slot.number);
    if (slot.repeats !== undefined) return "unfit";
    if (slot.isFreeText || !hasMore(slot, known?.fragments ?? 0)) return mayLackName(slot) ? "name" : undefined;
    if (known?.isComplete === true) return "unfit";
    const read = fragmentsOf(slot);
    const kind = read.kind();
    if (kind === "consecutive") return read.placeholders() === slot.fragments.length ? "placeholder" : undefined;
    return kind === "cumulative" || kind === "encoded" ? "unfit" : "fragments";
  };

  const outlookOf = (slot: Slot, { doubt, after }: HeldCall, { slots, hasText }: NextFrame): Outlook => {
    if (doubt === undefined) return "none";
    if (slots.some(({ follows }) => follows === slot)) return "open"; // it may be more of this call
    if (doubt === "fragments") {
      const kind = fragmentsOf(slot).kind();
      return kind === "consecutive" ? "clear" : kind === "cumulative" ? "unfit" : "open";
    }
    if (doubt === "name") {
      if (slot.name !== after.name) return "unfit";
      return !slot.hasText && slots.includes(slot) ? "open" : "clear";
    }
    const count = slot.fragments.length;
    if (fragmentsOf(slot).placeholders() < count || hasMore(slot, after.fragments)) return "unfit";
    if (count > after.fragments) return "open"; // a blank fragment followed
    return hasText && doubt === "placeholder" && !isObjectText(slot.fragments.join("")) ? "unfit" : "clear"; // text follows a finished call
  };

  return {
    emitted(slots) {
      for (const slot of slots) {
        const known = seen.get(slot.number) ?? register(slot, slot.id ?? "", slot.name);
        const list = slot.fragments;
        for (let at = known.fragments; at < list.length; at++) known.text += list[at] ?? "";
        known.fragments = list.length;
        known.isComplete = isComplete(slot);
      }
    },
    held(slots) {
      for (const slot of slots) {
        const doubt = doubtOf(slot);
        held.set(slot, { after: afterRelease(slot), doubt: doubt === "unfit" ? undefined : doubt });
      }
    },
    heldAtEnd() {
      const slot = last?.slot;
      if (slot !== undefined) held.set(slot, { after: { ...afterRelease(slot), isComplete: true }, doubt: "end" });
    },
    isHeldAtEnd: () => held.size > 0 && [...held.values()].some(({ doubt }) => doubt === "end"),
    released() {
      for (const [slot, { after }] of held) release(slot, after);
      held.clear();
    },
    outlook(next) {
      if (held.size === 0) return "none"; // nearly always
      const all = [...held].map(([slot, call]) => outlookOf(slot, call, next));
      return (["unfit", "open", "clear"] as const).find((each) => all.includes(each)) ?? "none";
    },
    close: (slot) => fragmentsOf(slot).close(),
    fitness(slots) {
      let fitness: Fitness = "fit";
      for (const slot of slots) {
        const doubt = doubtOf(slot);
        if (doubt === "unfit") return doubt;
        if (doubt !== undefined) fitness = "doubtful";
      }
      return fitness;
    },
    write(slots, template) {
      const changed = new Set([...held.keys(), ...slots]);
      held.clear();
      for (const slot of changed) pending.add(slot);
      for (const slot of oldest(pending)) writeSlot(slot, template);
      for (const slot of changed) writeSlot(slot, template);
    },
    hasBegun: () => seen.size > 0,
    openSlot: () => (writer.isSequential && last?.isComplete === false ? last.slot : undefined),
    ended() {
      if (writer.isSequential && last !== undefined) last.isComplete = true;
    },
    finish(calls, template) {
      if (isStuck || [...seen.keys()].some((number) => !calls.has(number))) return false;
      const inOrder = [...calls].sort(([one], [other]) => one - other);
      // First the calls that have begun: a client may accept only one open call.
      const [begun, others] = [true, false].map((is) => inOrder.filter(([number]) => seen.has(number) === is));
      return [...(begun ?? []), ...(others ?? [])].every(([number, end]) => finishCall(number, end, template));
    },
  };
}

interface AfterRelease extends Readonly<Pick<SeenCall, "text" | "fragments" | "isComplete">> {
  readonly id: string;
  readonly name: string;
}

type CallEnd = ReadEnd["calls"] extends ReadonlyMap<number, infer End> ? End : never;

/** More of a call, and the number of fragments that the client has then. */
interface More {
  readonly text: string;
  readonly count: number;
}

/** The number of pending calls that are examined with every frame. The rest waits for the end. */
const mostExamined = 64;

function oldest(pending: ReadonlySet<Slot>): readonly Slot[] {
  const slots: Slot[] = [];
  for (const slot of pending) if (slots.push(slot) === mostExamined) break;
  return slots;
}

/** What a client lacks of the arguments of a call, as far as it is certain. */
function newText({ fragments, isFreeText }: Slot, read: ArgumentFragments, known: SeenCall | undefined): More {
  const had = known?.fragments ?? 0;
  if (isFreeText) return { text: fragments.slice(had).join(""), count: fragments.length };
  if (read.kind() === "cumulative") {
    const [all, before] = [read.last().trimStart(), known?.text.trimStart() ?? ""];
    return { text: all.startsWith(before) ? all.slice(before.length) : "", count: fragments.length };
  }
  if (read.kind() === "encoded") return { text: "", count: had };
  // Arguments may be long, so only the new fragments are joined.
  return { text: fragments.slice(Math.max(had, read.placeholders()), read.certain()).join(""), count: read.certain() };
}
