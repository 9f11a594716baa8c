import type { JsonObject } from "#core";

import { createShownParts } from "./client-parts.ts";
import type { ShownParts } from "./client-parts.ts";
import { isCallType } from "../stream/frames.ts";

export interface ShownItem {
  readonly type: string;
  readonly id: string;
  /** Its output index. */
  readonly index: number;
  /** The last version of the item. */
  wire: JsonObject;
  /** The arguments of a call, or the input of a custom tool. */
  text: string;
  /** The parts of a message or of reasoning. */
  readonly parts: ShownParts;
  isDone: boolean;
}

/** The items that a client has received. Lookups use indexes, because a response may have thousands of items. */
export interface ShownItems extends Iterable<ShownItem> {
  readonly size: () => number;
  readonly at: (index: number) => ShownItem | undefined;
  readonly withId: (id: unknown) => ShownItem | undefined;
  /** The last call with this call id. */
  readonly callOf: (callId: unknown) => ShownItem | undefined;
  /** The last item of a type that is not done. */
  readonly openOf: (type: string) => ShownItem | undefined;
  /** The item for modification, without a change to the original. */
  readonly changed: (index: number) => ShownItem | undefined;
  readonly put: (item: ShownItem) => void;
  /** The original with the changes of this copy. */
  readonly commit: () => ShownItems;
}

/**
 * Creates a list of items. A copy stores only its changes, and the original must not change while the copy is in use.
 */
export function createShownItems(original?: ShownItems): ShownItems {
  const own = new Map<number, ShownItem>();
  const byId = new Map<unknown, number>();
  const byCallId = new Map<unknown, number>();
  let size = original?.size() ?? 0;

  const at = (index: number): ShownItem | undefined => own.get(index) ?? original?.at(index);
  const found = (index: number | undefined): ShownItem | undefined => (index === undefined ? undefined : at(index));

  /** The current state of an item of the original. */
  const current = (item: ShownItem | undefined): ShownItem | undefined => found(item?.index);

  const put = (item: ShownItem): void => {
    own.set(item.index, item);
    if (!byId.has(item.id)) byId.set(item.id, item.index);
    if (isCallType(item.type)) byCallId.set(item.wire["call_id"], item.index);
    size = Math.max(size, item.index + 1);
  };

  const items: ShownItems = {
    size: () => size,
    at,
    withId: (id) => current(original?.withId(id)) ?? found(byId.get(id)),
    callOf: (callId) => found(byCallId.get(callId)) ?? current(original?.callOf(callId)),
    openOf(type) {
      for (let index = size - 1; index >= 0; index--) {
        const item = at(index);
        if (item?.type === type && !item.isDone) return item;
      }
      return undefined;
    },
    changed(index) {
      const known = own.get(index);
      const item = known ?? original?.at(index);
      if (item === undefined || item === known) return known;
      put({ ...item, parts: createShownParts(item.parts) });
      return own.get(index);
    },
    put,
    commit() {
      if (original === undefined) return items;
      for (const item of own.values()) original.put({ ...item, parts: item.parts.commit() });
      return original;
    },
    *[Symbol.iterator]() {
      for (let index = 0; index < size; index++) {
        const item = at(index);
        if (item !== undefined) yield item;
      }
    },
  };
  return items;
}
