import { isWhole, textOf } from "#core";
import type { JsonObject, Slot, TextItem } from "#core";

/** An item of the response while it is streamed. */
export interface Item {
  /** `call` for items that require an output from the client, otherwise the item type. */
  readonly kind: string;
  /** Its output index: a label, not the position in the complete response. */
  index: number | undefined;
  /** The last item id. */
  id: string | undefined;
  slot: Slot | undefined;
  /** Its text or reasoning. */
  textItem: TextItem | undefined;
  hasText: boolean;
  /** True if it was emitted apart from the calls. */
  isNoted: boolean;
  /** True if the server has ended it. */
  isDone: boolean;
  /** True if events with its id arrived under another index. Then the id is reliable and the index is not. */
  isElsewhere: boolean;
  /** True if an event without a key contained its arguments. */
  isComplete: boolean;
  /** True if arguments may belong to it or to another call, because only their order assigns them. */
  isDoubtful: boolean;
}

/** The items of a response. Servers differ in which keys are reliable: output index, call id or item id. */
interface Items {
  /** The new or known item of an event. */
  shown(wire: JsonObject, index: unknown, when: "added" | "done"): Item;
  /** The item of the complete response. Each known item matches once. */
  inSnapshot(wire: JsonObject, position: number, known: SnapshotState): Item;
  /** The items so far, for the complete response. */
  candidates(): Candidates;
  /** The item of a delta. Undefined if the event has no key. */
  at(event: JsonObject, kind: string): Item | undefined;
  /** The call of a delta: by its keys, otherwise the last open call. */
  callAt(event: JsonObject): Item;
  /**
   * The call of an event with complete arguments: by its keys, otherwise by the arguments, the name or the position.
   */
  completedAt(event: JsonObject): Item;
  /** Calls with doubtful arguments, unless events have confirmed all of them. */
  unplaced(): readonly Item[];
}

interface SnapshotState {
  /** The items that are already matched. */
  readonly isTaken: Set<Item>;
  /** Every call id in it. */
  readonly claimed: ReadonlySet<string | undefined>;
  /** The items that it may contain. */
  readonly candidates: Candidates;
}

/** Creates the items of a response. `isOtherCall` identifies calls besides function calls. */
export function createItems(isOtherCall: (wire: JsonObject) => boolean): Items {
  const kindOf = (wire: JsonObject): string => (isOtherCall(wire) ? "call" : typeIn(wire));
  const all: Item[] = [];
  const calls: Item[] = [];
  let firstOpen = 0; // the index of the first call that may not be done
  const byIndex = new Map<number, Item>();
  const byId = new Map<string, Item>();
  const byCallId = new Map<string, Item>(); // the first item with each call id
  const unplacedByCallId = new Map<string, Item>(); // the first of them without an index
  const shared = new Set<string>(); // ids that several items share
  let isShared = false; // an index that several items share

  const create = (kind: string, index: unknown, id: unknown): Item => {
    const item: Item = {
      kind,
      index: typeof index === "number" ? index : undefined,
      id: undefined,
      slot: undefined,
      textItem: undefined,
      hasText: false,
      isNoted: false,
      isDone: false,
      isElsewhere: false,
      isComplete: false,
      isDoubtful: false,
    };
    all.push(item);
    if (kind === "call") calls.push(item);
    if (item.index !== undefined) {
      isShared ||= byIndex.has(item.index);
      byIndex.set(item.index, item);
    }
    remember(id, item);
    return item;
  };

  const placedAt = (index: unknown): Item | undefined => (typeof index === "number" ? byIndex.get(index) : undefined);
  const withId = (id: unknown): Item | undefined => (typeof id === "string" ? byId.get(id) : undefined);
  const remember = (id: unknown, item: Item): void => {
    if (typeof id !== "string" || id === "" || item.id === id) return;
    if (byId.has(id)) shared.add(id);
    byId.set(id, item);
    item.id = id;
  };

  const rememberCall = (callId: unknown, item: Item): Item => {
    const text = textOf(callId);
    if (text === undefined) return item;
    if (!byCallId.has(text)) byCallId.set(text, item);
    if (item.index === undefined && !unplacedByCallId.has(text)) unplacedByCallId.set(text, item);
    return item;
  };

  /** Finds an item by index, or by item id if several items share the index or the id belongs to another item. */
  const keyed = ({ output_index: index, item_id: id }: JsonObject, kind: string): Item | undefined => {
    const placed = placedAt(index);
    const isPlaced = placed?.kind === kind;
    if (isPlaced && !isShared && placed.id === id) return placed; // the common case
    const known = withId(id);
    if (known?.kind !== kind) return isPlaced && !(placed.isElsewhere && typeof id === "string") ? placed : undefined;
    const isSure = known.index === placed?.index || (typeof id === "string" && !shared.has(id));
    if (isPlaced && !isSure) return placed;
    known.isElsewhere ||= typeof index === "number" && known.index !== index;
    return known;
  };

  /** The call that the keys of an event identify. */
  const named = (event: JsonObject): Item | undefined => {
    const known = keyed(event, "call");
    return known !== undefined && isUnknown(event) && isOfNext(known, event) ? undefined : known;
  };

  /**
   * The calls that an event without a key may belong to: all open calls. If there are too many, all of them are
   * doubtful.
   */
  const openCalls = ({ output_index: index }: JsonObject): readonly Item[] => {
    if (typeof index === "number") return [];
    while (calls[firstOpen]?.isDone === true) firstOpen++;
    if (calls.length - firstOpen > mostOpen) {
      for (const item of calls.slice(firstOpen, -mostOpen)) item.isDoubtful = true;
      firstOpen = calls.length - mostOpen;
    }
    return calls.slice(firstOpen).filter(({ isDone }) => !isDone);
  };

  /** The call of an event with complete arguments and no key. If several match, the first, and all are doubtful. */
  const waitingFor = (event: JsonObject): Item | undefined => {
    const open = openCalls(event);
    const fitting = matching(
      open.filter(({ isComplete }) => !isComplete),
      event,
    );
    if (fitting.length > 1) for (const item of fitting) item.isDoubtful = true;
    return fitting[0] ?? open.at(-1);
  };

  const isUnknown = ({ item_id: id }: JsonObject): boolean => typeof id === "string" && id !== "" && !byId.has(id);

  /** By index, then by call id for servers with unreliable indexes, then by item id. */
  const find = (wire: JsonObject, index: unknown, when: "added" | "done"): Item | undefined => {
    const kind = kindOf(wire);
    const callId = textOf(wire["call_id"]);
    const placed = placedAt(index);
    const fits = (item: Item): boolean => item.kind === kind && !isOther(item, callId);
    const known = withId(wire["id"]);
    if (placed !== undefined && known !== undefined && known.index === placed.index && fits(known)) return known;
    const isBegun = when === "added" && placed?.slot?.hasText === true && placed.id !== undefined;
    const isOfAnother = isBegun && typeof wire["id"] === "string" && placed.id !== wire["id"]; // deltas arrived under that id
    if (placed !== undefined && fits(placed) && !isOfAnother) return placed;
    const isSame = callId !== undefined && known?.kind === kind && known.slot?.id === callId && !known.isDone;
    if (isSame) return known; // both ids belong to an open item, so the index is wrong
    const isAnyFree = placed !== undefined || typeof index !== "number";
    const isFree = (item: Item): boolean => isAnyFree || item.index === undefined;
    const twin = (isAnyFree ? byCallId : unplacedByCallId).get(callId ?? "");
    if (callId !== undefined && twin?.slot?.id === callId) return twin;
    const isAlike = placed?.kind === kind && ["", undefined, wire["name"]].includes(placed.slot?.name);
    if (when === "done" && isAlike && !placed.isDone) return placed; // its id has changed
    return known !== undefined && fits(known) && isFree(known) ? known : undefined;
  };

  return {
    shown(wire, index, when) {
      const item = find(wire, index, when) ?? create(kindOf(wire), index, wire["id"]);
      remember(wire["id"], item);
      return rememberCall(wire["call_id"], item);
    },
    candidates: () => createCandidates(all),
    inSnapshot(wire, position, { isTaken, claimed, candidates }) {
      const kind = kindOf(wire);
      const callId = textOf(wire["call_id"]);
      const isLeft = (item: Item | undefined): item is Item => item?.kind === kind && !isTaken.has(item);
      const isFree = (item: Item | undefined): item is Item => isLeft(item) && !isOther(item, callId);
      /** True if the item has another call id now, and no other item has the old one. */
      const isRenamed = (item: Item | undefined): boolean =>
        item?.slot?.id !== undefined && isLeft(item) && !claimed.has(item.slot.id);
      const [same, placed] = [withId(wire["id"]), placedAt(position)];
      const item =
        candidates.called(kind, callId, isTaken) ??
        (isRenamed(same) ? same : undefined) ??
        (isFree(same) ? same : undefined) ??
        (isFree(placed) ? placed : undefined) ??
        candidates.first(kind, callId, isTaken) ??
        (isRenamed(placed) && placed?.slot?.name === wire["name"] ? placed : undefined) ??
        create(kind, undefined, wire["id"]);
      isTaken.add(item);
      return rememberCall(callId, item);
    },
    at(event, kind) {
      const { output_index: index, item_id: id } = event;
      const known = keyed(event, kind);
      if (known !== undefined) return known;
      return typeof index === "number" || typeof id === "string" ? create(kind, index, id) : undefined;
    },
    callAt(event) {
      const known = named(event);
      if (known !== undefined) return rememberCall(event["call_id"], known);
      const open = openCalls(event);
      const begun = open.filter(({ slot }) => slot === undefined || areEmpty(slot) || !isWhole(slot));
      if (begun.length > 1) for (const item of begun) item.isDoubtful = true;
      const item = begun.at(-1) ?? open.at(-1) ?? create("call", event["output_index"], event["item_id"]);
      return rememberCall(event["call_id"], item);
    },
    completedAt(event) {
      const item = named(event) ?? waitingFor(event) ?? create("call", event["output_index"], event["item_id"]);
      item.isComplete = true;
      return rememberCall(event["call_id"], item);
    },
    unplaced() {
      const doubtful = calls.filter(({ isDoubtful }) => isDoubtful);
      return doubtful.every(({ isComplete }) => isComplete) ? [] : doubtful;
    },
  };
}

/**
 * The calls that an event without a key may belong to: those with the same arguments so far, or with its name,
 * otherwise all.
 */
function matching(held: readonly Item[], { arguments: args, input = args, name }: JsonObject): readonly Item[] {
  const [text, tool] = [textOf(input)?.trim(), textOf(name)];
  const same = held.filter(({ slot }) => text !== undefined && slot?.fragments.join("").trim() === text);
  if (same.length > 0) return same;
  const called = held.filter(({ slot }) => tool !== undefined && slot?.name === tool);
  return called.length > 0 ? called : held;
}

/** The number of open calls to compare with an event without a key. */
const mostOpen = 64;

/**
 * True for arguments beyond the end of a call's arguments, under a different id. Servers that change ids do not send
 * those.
 */
function isOfNext({ id, slot }: Item, { delta, arguments: text = delta }: JsonObject): boolean {
  if (id === undefined || slot === undefined || typeof text !== "string" || text.trim() === "") return false;
  return isWhole(slot) && !areEmpty(slot) && text !== slot.fragments.join("");
}

const areEmpty = ({ fragments }: Slot): boolean => /^[\s{}]*$/u.test(fragments.join(""));

/** True if both have a call id, and the ids differ. */
const isOther = ({ slot }: Item, callId: string | undefined): boolean =>
  callId !== undefined && slot?.id !== undefined && slot.id !== callId;

function typeIn({ type, call_id: callId, name }: JsonObject): string {
  if (type === "function_call" || type === "custom_tool_call") return "call";
  return textOf(type) ?? (textOf(callId) === undefined || textOf(name) === undefined ? "" : "call");
}

/**
 * The items that the complete response may contain, each once. They are sorted once, because a response may have
 * thousands.
 */
interface Candidates {
  /** The first unmatched item with this call id. Completed items come first. */
  called(kind: string, callId: string | undefined, isTaken: ReadonlySet<Item>): Item | undefined;
  /** The first unmatched item without another call id. */
  first(kind: string, callId: string | undefined, isTaken: ReadonlySet<Item>): Item | undefined;
}

function createCandidates(all: readonly Item[]): Candidates {
  const queues = new Map<string, Queue>();
  const add = (name: readonly unknown[], item: Item): void => {
    const key = JSON.stringify(name);
    const queue = queues.get(key);
    if (queue === undefined) queues.set(key, { items: [item], next: 0 });
    else queue.items.push(item);
  };
  for (const item of all) {
    const { kind, slot, isDone } = item;
    add(["any", kind], item);
    add(slot?.id === undefined ? ["unnamed", kind] : ["called", kind, slot.id], item);
    if (slot?.id !== undefined && isDone) add(["done", kind, slot.id], item);
  }
  const left = (name: readonly unknown[], isTaken: ReadonlySet<Item>): Item | undefined => {
    const queue = queues.get(JSON.stringify(name));
    if (queue === undefined) return undefined;
    for (let item = queue.items[queue.next]; item !== undefined; item = queue.items[++queue.next])
      if (!isTaken.has(item)) return item;
    return undefined;
  };
  return {
    called: (kind, callId, isTaken) =>
      callId === undefined
        ? undefined
        : (left(["done", kind, callId], isTaken) ?? left(["called", kind, callId], isTaken)),
    first: (kind, callId, isTaken) => left([callId === undefined ? "any" : "unnamed", kind], isTaken),
  };
}

interface Queue {
  readonly items: Item[];
  /** The index of the first item that may be unmatched. */
  next: number;
}
