import type { JsonObject } from "#core";

import { isCallType } from "../stream/frames.ts";

export interface ClientItem {
  readonly type: string;
  readonly id: string;
  /** Its output index. */
  readonly index: number;
  /** The last version of the item. */
  wire: JsonObject;
  /** The arguments of a call, or the input of a custom tool. */
  text: string;
  /** The parts of a message or of reasoning. */
  readonly parts: ClientParts;
  isDone: boolean;
}

/** The items that a client has received. Lookups use indexes, because a response may have thousands of items. */
export interface ClientItems extends Iterable<ClientItem> {
  readonly size: () => number;
  readonly at: (index: number) => ClientItem | undefined;
  readonly withId: (id: unknown) => ClientItem | undefined;
  /** The last call with this call id. */
  readonly callOf: (callId: unknown) => ClientItem | undefined;
  /** The last item of a type that is not done. */
  readonly openOf: (type: string) => ClientItem | undefined;
  /** The item for modification, without a change to the original. */
  readonly changed: (index: number) => ClientItem | undefined;
  readonly put: (item: ClientItem) => void;
  /** The original with the changes of this copy. */
  readonly commit: () => ClientItems;
}

/**
 * Creates a list of items. A copy stores only its changes, and the original must not change while the copy is in use.
 */
export function createClientItems(original?: ClientItems): ClientItems {
  const own = new Map<number, ClientItem>();
  const byId = new Map<unknown, number>();
  const byCallId = new Map<unknown, number>();
  let size = original?.size() ?? 0;

  const at = (index: number): ClientItem | undefined => own.get(index) ?? original?.at(index);
  const found = (index: number | undefined): ClientItem | undefined => (index === undefined ? undefined : at(index));

  /** The current state of an item of the original. */
  const current = (item: ClientItem | undefined): ClientItem | undefined => found(item?.index);

  const put = (item: ClientItem): void => {
    own.set(item.index, item);
    if (!byId.has(item.id)) byId.set(item.id, item.index);
    if (isCallType(item.type)) byCallId.set(item.wire["call_id"], item.index);
    size = Math.max(size, item.index + 1);
  };

  const items: ClientItems = {
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
      put({ ...item, parts: createClientParts(item.parts) });
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

/** A part of a message or of reasoning, as the client received it. */
interface ClientPart {
  readonly type: string;
  text: string;
  isDone: boolean;
}

/** The parts of an item by key, such as `content:0`: a list and an index. */
interface ClientParts extends Iterable<readonly [key: string, part: ClientPart]> {
  readonly get: (key: string) => ClientPart | undefined;
  /** The number of parts in a list. */
  readonly count: (list: string) => number;
  /** The part for modification, without a change to the original. */
  readonly changed: (key: string) => ClientPart | undefined;
  readonly set: (key: string, part: ClientPart) => void;
  /** The original with the changes of this copy. */
  readonly commit: () => ClientParts;
}

/**
 * Creates the parts of an item. A copy stores only its changes, and the original must not change while the copy is in
 * use.
 */
export function createClientParts(original?: ClientParts): ClientParts {
  const own = new Map<string, ClientPart>();
  const added = new Map<string, number>(); // the number of parts that the original does not have, by list

  const get = (key: string): ClientPart | undefined => own.get(key) ?? original?.get(key);
  const set = (key: string, part: ClientPart): void => {
    const list = listOf(key);
    if (get(key) === undefined) added.set(list, (added.get(list) ?? 0) + 1);
    own.set(key, part);
  };
  const parts: ClientParts = {
    get,
    set,
    count: (list) => (original?.count(list) ?? 0) + (added.get(list) ?? 0),
    changed(key) {
      const part = get(key);
      if (part !== undefined && !own.has(key)) own.set(key, { ...part });
      return own.get(key);
    },
    commit() {
      if (original === undefined) return parts;
      for (const [key, part] of own) original.set(key, part);
      return original;
    },
    *[Symbol.iterator]() {
      for (const [key, part] of original ?? []) yield [key, own.get(key) ?? part];
      for (const entry of own) if (original?.get(entry[0]) === undefined) yield entry;
    },
  };
  return parts;
}

const listOf = (key: string): string => key.split(":")[0] ?? "";
