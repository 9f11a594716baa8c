import { textOf } from "#core";
import type { Slot } from "#core";

type Wire = Readonly<Record<string, unknown>>;

/** An item of the answer while it is streamed. */
export interface Item {
  /** `call` for those that the client answers, else the type of the item. */
  readonly kind: string;
  /** Its output index: a label, and not the position in the answer as a whole. */
  index: number | undefined;
  slot: Slot | undefined;
  hasText: boolean;
  /** It was told apart from the calls. */
  isShown: boolean;
  /** The server has said that nothing more of it comes. */
  isDone: boolean;
}

/** The items of an answer. Servers differ in which of their keys can be trusted: output index, call id, item id. */
export interface Items {
  /** The item that an event shows, new or known. */
  shown(wire: Wire, index: unknown, when: "added" | "done"): Item;
  /** The item that the answer as a whole shows, each known one once. */
  inSnapshot(wire: Wire, position: number, isTaken: Set<Item>): Item;
  /** The item of a delta; undefined when the event has no key at all. */
  at(event: Wire, kind: string): Item | undefined;
  /** The call of a delta: by its keys, else the last one that is open. */
  callAt(event: Wire): Item;
}

export function createItems(): Items {
  const all: Item[] = [];
  const byIndex = new Map<number, Item>();
  const byId = new Map<string, Item>();

  const create = (kind: string, index: unknown, id: unknown): Item => {
    const item: Item = {
      kind,
      index: typeof index === "number" ? index : undefined,
      slot: undefined,
      hasText: false,
      isShown: false,
      isDone: false,
    };
    all.push(item);
    if (item.index !== undefined) byIndex.set(item.index, item);
    if (typeof id === "string") byId.set(id, item);
    return item;
  };

  const placedAt = (index: unknown): Item | undefined => (typeof index === "number" ? byIndex.get(index) : undefined);
  const withId = (id: unknown): Item | undefined => (typeof id === "string" ? byId.get(id) : undefined);

  /** By index; then by call id, for servers that reuse indexes or have none; then by item id. */
  const find = (wire: Wire, index: unknown, when: "added" | "done"): Item | undefined => {
    const kind = kindOf(wire);
    const callId = textOf(wire["call_id"]);
    const placed = placedAt(index);
    const fits = (item: Item): boolean => item.kind === kind && !isOther(item, callId);
    if (placed !== undefined && fits(placed)) return placed;
    const isFree = (item: Item): boolean =>
      placed !== undefined || typeof index !== "number" || item.index === undefined;
    const twin = callId === undefined ? undefined : all.find((item) => item.slot?.id === callId && isFree(item));
    if (twin !== undefined) return twin;
    if (when === "done" && placed?.kind === kind && !placed.isDone) return placed; // its id has changed
    const known = withId(wire["id"]);
    return known !== undefined && fits(known) && isFree(known) ? known : undefined;
  };

  return {
    shown(wire, index, when) {
      const item = find(wire, index, when) ?? create(kindOf(wire), index, wire["id"]);
      if (typeof wire["id"] === "string") byId.set(wire["id"], item);
      return item;
    },
    inSnapshot(wire, position, isTaken) {
      const kind = kindOf(wire);
      const callId = textOf(wire["call_id"]);
      const left = all.filter((item) => item.kind === kind && !isTaken.has(item));
      const isLeft = (item: Item | undefined): item is Item =>
        item !== undefined && left.includes(item) && !isOther(item, callId);
      const known = callId === undefined ? undefined : left.find(({ slot }) => slot?.id === callId);
      const item =
        known ?? [withId(wire["id"]), placedAt(position), ...left].find(isLeft) ?? create(kind, undefined, wire["id"]);
      isTaken.add(item);
      return item;
    },
    at(event, kind) {
      const { output_index: index, item_id: id } = event;
      const placed = placedAt(index);
      if (placed?.kind === kind) return placed;
      const known = withId(id);
      if (known?.kind === kind) return known;
      return typeof index === "number" || typeof id === "string" ? create(kind, index, id) : undefined;
    },
    callAt(event) {
      const { output_index: index, item_id: id } = event;
      const placed = placedAt(index);
      if (placed?.kind === "call") return placed;
      const known = withId(id);
      if (known?.kind === "call") return known;
      const open = typeof index === "number" ? undefined : all.findLast((item) => item.kind === "call" && !item.isDone);
      return open ?? create("call", index, id);
    },
  };
}

/** Both have a call id, and it is not the same. */
const isOther = ({ slot }: Item, callId: string | undefined): boolean =>
  callId !== undefined && slot?.id !== undefined && slot.id !== callId;

function kindOf({ type, call_id: callId, name }: Wire): string {
  if (type === "function_call" || type === "custom_tool_call") return "call";
  return textOf(type) ?? (textOf(callId) === undefined || textOf(name) === undefined ? "" : "call");
}
