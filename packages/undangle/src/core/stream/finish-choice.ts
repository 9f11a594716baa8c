import { mintCallId } from "../hash.ts";
import type { AnomalyKind } from "./anomalies.ts";
import type { Assembly, Choice, TextItem } from "./assembly.ts";
import { cleanName, joinRepeats } from "./call-slot.ts";
import type { Slot } from "./call-slot.ts";
import { isBlank, lacksAll, lacksPart, mayLackCall } from "./losses.ts";
import { holdsSeveral, resolveArguments } from "./resolve-arguments.ts";
import type { Reading, ResolvedArguments } from "./resolve-arguments.ts";
import type { AssembledCall, AssembledTurn, Finish, StreamFault, TurnPart } from "./turn.ts";

/** The state at the end of a stream. */
interface Ending {
  readonly assembly: Assembly;
  /** Set if an end was reported. */
  readonly closed: Closed | undefined;
  readonly fault: StreamFault | undefined;
  /** Ids of earlier turns, which generated ids must avoid. */
  readonly known: ReadonlySet<string>;
  /** The ids of this choice, including generated ones. */
  readonly taken: Set<string>;
  readonly emitStart: (slot: Slot) => void;
}

/** What ended: the turn, or only the stream. Proxies also end truncated streams. */
export type Closed = "turn" | "stream";

/** Builds the turn of a choice. */
export function finishChoice(choice: Choice, ending: Ending): AssembledTurn {
  const { assembly, closed, fault } = ending;
  const isUnplaced = hasUnplaced(choice.slots);
  const note: Note = (kind, at) => assembly.note(kind, at);
  const isOver = closed !== undefined || choice.finishes.length > 0;
  const hasEnded = isOver && fault?.from !== "provider"; // a connection that breaks after the end does no harm
  const bad = choice.finishes.find((finish) => finish !== "stop" && finish !== "tool_calls");
  const begun = choice.slots.filter((slot) => !isPhantom(slot, note));
  const slots = inOrder(joinRepeats(begun, note));
  const { lenient } = assembly.options;
  const isEmitted = closed === "turn" || choice.finishes.length > 0;
  const ended = hasEnded && bad === undefined;
  const known: Reading = { ended, lenient, isBlankNone: ended && isEmitted && !hasStray(slots) };
  for (const slot of slots) {
    if (lacksAll(slot)) note("call-unreadable", slot);
    slot.isOpen ||= lacksPart(slot, choice) || (isUnplaced && isBlank(slot)) || lacksAll(slot);
  }
  const resolved = new Map(slots.map((slot) => [slot, resolveSlot(slot, known)]));
  const ids = idsFor(slots, resolved, ending);
  const calls = new Map(slots.map((slot) => [slot, callOf(slot, resolved.get(slot), ids.get(slot), ending)]));
  const isCut = [...calls.values()].some(({ state }) => state === "truncated");
  const finish = finishOf(choice, { hasEnded, bad, hasCalls: calls.size > 0, fault });
  if (!hasEnded && fault?.from !== "provider") note("stream-cut", choice);
  if (hasEnded && choice.finishes.length === 0) note("finish-missing", choice);
  if (hasEnded && finish !== choice.finishes.at(-1) && choice.finishes.length > 0) note("finish-contradicts", choice);
  const ordered = [...calls.values()];
  const turn: AssembledTurn = {
    text: joined(choice, "text"),
    reasoning: joined(choice, "reasoning"),
    calls: ordered,
    parts: partsOf(choice, ordered, new Set(slots)),
    finish,
    complete: hasEnded && bad === undefined && !isCut && !mayLackCall(choice),
    anomalies: choice.anomalies,
    usage: assembly.usage,
    ...(fault && (!hasEnded || finish === null) && { error: fault }),
  };
  for (const [slot, result] of calls) {
    assembly.emit?.({ type: "call-end", choice: choice.number, call: slot.number, result });
  }
  assembly.emit?.({ type: "finish", choice: choice.number, turn });
  return turn;
}

type Note = (kind: AnomalyKind, at: Choice | Slot) => void;

/** An entry that never became a call. */
function isPhantom(slot: Slot, note: Note): boolean {
  const isEmpty = slot.name === "" && isBlank(slot);
  if (isEmpty) note("phantom-call", slot);
  return isEmpty;
}

/** By labels if all are numbers, otherwise in order of arrival. */
function inOrder(slots: readonly Slot[]): readonly Slot[] {
  if (!slots.every(({ label }) => typeof label === "number")) return slots;
  return slots.toSorted((a, b) => Number(a.label) - Number(b.label));
}

/**
 * True if arguments arrived for a call without a name, before the name of one, or under the index or id of another.
 * They may belong to a call without arguments.
 */
function hasStray(slots: readonly Slot[]): boolean {
  if (slots.some(({ name }) => name === "")) return true;
  const isSure = ({ aliases, seen }: Slot): boolean => aliases === undefined && !seen.has("name-late");
  if (slots.every(isSure) || areDistinct(slots.map(({ label }) => label))) return false;
  const haveIds = slots.every(({ aliases, seen }) => aliases === undefined && !seen.has("id-late"));
  return !haveIds || !areDistinct(slots.map(({ id }) => id));
}

/** True if all keys exist and are distinct. */
const areDistinct = (keys: readonly Slot["label"][]): boolean =>
  !keys.includes(undefined) && new Set(keys).size === keys.length;

/**
 * True if a call has the arguments of several, because nothing assigns them. They may belong to a call without
 * arguments.
 */
function hasUnplaced(slots: readonly Slot[]): boolean {
  const labels = new Set(slots.map(({ label }) => label));
  if (labels.size === slots.length && !labels.has(undefined)) return false; // each has its own: the common case
  return slots.some(isBlank) && slots.some((slot) => !slot.isFreeText && holdsSeveral(slot.fragments.join("")));
}

function resolveSlot(slot: Slot, known: Reading): ResolvedArguments {
  const { fragments, value } = slot;
  if (value !== undefined && !slot.hasText) {
    const raw = jsonText(value);
    if (raw === unwritable) return { arguments: null, raw, state: "malformed", anomalies: ["arguments-malformed"] };
    return slot.isOpen ? cutOff(raw) : { arguments: value, raw, state: "ready", anomalies: [] };
  }
  if (slot.isOpen || (slot.isFreeText && !known.ended)) return cutOff(fragments.join(""));
  if (slot.isFreeText) {
    const raw = fragments.join("");
    return { arguments: { input: raw }, raw, state: "ready", anomalies: [] };
  }
  return resolveArguments(fragments, known);
}

const cutOff = (raw: string): ResolvedArguments => ({
  arguments: null,
  raw,
  state: "truncated",
  anomalies: ["arguments-truncated"],
});

interface Identity {
  readonly id: string;
  readonly isGenerated: boolean;
}

/** Ids are generated at the end, when every id of the provider is known. */
function idsFor(
  slots: readonly Slot[],
  resolved: ReadonlyMap<Slot, ResolvedArguments>,
  { assembly, known, taken }: Ending,
): ReadonlyMap<Slot, Identity> {
  const isTaken = (id: string): boolean => taken.has(id) || known.has(id);
  const ids = new Map<Slot, Identity>();
  for (const slot of slots) {
    if (slot.id === undefined) continue;
    if (isTaken(slot.id)) assembly.note("id-repeated", slot);
    else ids.set(slot, { id: slot.id, isGenerated: false });
    taken.add(slot.id);
  }
  slots.forEach((slot, position) => {
    if (ids.has(slot)) return;
    if (slot.id === undefined) assembly.note("id-missing", slot);
    const seed = [assembly.salt, slot.choice, position, slot.name, resolved.get(slot)?.raw].join("\n");
    let id = mintCallId(seed);
    const first = known.size + taken.size; // every known id adds one, so the next number is nearly always free
    for (let again = first; isTaken(id); again++) id = mintCallId(`${seed}\n${again}`);
    taken.add(id);
    ids.set(slot, { id, isGenerated: true });
  });
  return ids;
}

function callOf(
  slot: Slot,
  resolved: ResolvedArguments | undefined,
  identity: Identity | undefined,
  { assembly, emitStart }: Ending,
): AssembledCall {
  const name = cleanName(slot.name, assembly.options.tools);
  if (name === "") assembly.note("name-missing", slot);
  else if (name !== slot.name) assembly.note("name-decorated", slot);
  for (const kind of resolved?.anomalies ?? []) assembly.note(kind, slot);
  if (!slot.isEmitted) emitStart(slot);
  const isNameless = name === "" && resolved?.state !== "truncated"; // it cannot be run
  return {
    id: identity?.id ?? "",
    name,
    arguments: isNameless ? null : (resolved?.arguments ?? null),
    raw: resolved?.raw ?? "",
    state: isNameless ? "malformed" : (resolved?.state ?? "malformed"),
    idGenerated: identity?.isGenerated ?? true,
    ...(slot.seal && { seal: slot.seal }),
    ...(slot.extras && { extras: slot.extras }),
  };
}

function finishOf(
  choice: Choice,
  {
    hasEnded,
    bad,
    hasCalls,
    fault,
  }: {
    readonly hasEnded: boolean;
    readonly bad: Exclude<Finish, null> | undefined;
    readonly hasCalls: boolean;
    readonly fault: StreamFault | undefined;
  },
): Finish {
  if (fault?.from === "provider") return "error";
  const { finishes } = choice;
  if (!hasEnded || (!hasCalls && mayLackCall(choice))) return finishes.length > 0 ? (bad ?? null) : null;
  return bad ?? (hasCalls ? "tool_calls" : "stop");
}

const joined = ({ order }: Choice, type: "text" | "reasoning"): string =>
  order.reduce((sum, item) => (item.type === type ? sum + item.text : sum), "");

/** Text in its order, and the calls, possibly reordered, at the positions of calls. */
function partsOf({ order }: Choice, calls: readonly AssembledCall[], kept: ReadonlySet<Slot>): readonly TurnPart[] {
  let next = 0;
  return order.flatMap((item): readonly TurnPart[] => {
    if (item.type === "media") return [item];
    if (item.type !== "call") return textPart(item);
    const call = kept.has(item.slot) ? calls[next++] : undefined;
    return call === undefined ? [] : [{ type: "call", call }];
  });
}

/** A text or reasoning part. An id alone is kept only for reasoning, which may have no text. */
function textPart({ type, text, seal, isRedacted }: TextItem): readonly TurnPart[] {
  if (text === "" && (seal === undefined || (seal.value === "" && type === "text"))) return [];
  if (seal === undefined) return [{ type, text }];
  return [isRedacted ? { type: "reasoning", text, seal, isRedacted } : { type, text, seal }];
}

/**
 * The JSON text of a parsed value; an invalid placeholder for a value without one, so that it never counts as
 * arguments.
 */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? unwritable;
  } catch {
    return unwritable; // nested too deeply, or not from JSON
  }
}

/** The placeholder of such a value. */
const unwritable = "{…}";
