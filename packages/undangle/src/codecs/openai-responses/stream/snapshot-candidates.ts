import type { Item } from "./items.ts";

/**
 * The items that the complete response may contain, each once. They are sorted once, because a response may have
 * thousands.
 */
export interface Candidates {
  /** The first unmatched item with this call id. Completed items come first. */
  called(kind: string, callId: string | undefined, isTaken: ReadonlySet<Item>): Item | undefined;
  /** The first unmatched item without another call id. */
  first(kind: string, callId: string | undefined, isTaken: ReadonlySet<Item>): Item | undefined;
}

export function createCandidates(all: readonly Item[]): Candidates {
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
