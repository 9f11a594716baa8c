import { isRecord } from "#core";

import { idOf, isCall, isOutput } from "./item.ts";
import type { Item } from "./item.ts";

/** The handling of an item with a duplicate id: it is removed, or loses the id. */
export type Fate = "copy" | "namesake";

/** Finds the items with a duplicate id, by index. */
export function findCopies(list: readonly unknown[]): ReadonlyMap<number, Fate> {
  const first = new Map<string, number>();
  const fates = new Map<number, Fate>();
  let spare: ((call: Item) => boolean) | undefined;
  list.forEach((item, index) => {
    const id = isRecord(item) ? item["id"] : undefined; // an empty id must not repeat either
    if (!isRecord(item) || typeof id !== "string" || (isCall(item) && !hasOwnPrefix(item))) return;
    if (item["type"] === "local_shell_call_output") return; // it may be the id of the call
    const earlier = first.get(id);
    if (earlier === undefined) {
      first.set(id, index);
      return;
    }
    const other = list[earlier] as Item; // known to be an item
    if (other["type"] === "item_reference" && item["type"] !== "item_reference") {
      fates.set(earlier, "copy"); // the item itself is in the input
      first.set(id, index);
      return;
    }
    spare ??= createSpare(list);
    fates.set(index, fateOf(item, other, spare));
  });
  return fates;
}

/** True if the id of a call has the prefix of its type. */
export function hasOwnPrefix({ type, id }: Item): boolean {
  return typeof id === "string" && id.startsWith(type === "function_call" ? "fc" : "ctc");
}

function fateOf(item: Item, other: Item, spare: (call: Item) => boolean): Fate {
  const { type } = item;
  if (type === "item_reference") return "copy";
  if (idOf(item) === undefined) return "namesake"; // an item without an id has no copies
  if (type === "reasoning") return item["encrypted_content"] && !isSame(item, other) ? "namesake" : "copy";
  return isSame(item, other) && (!isCall(item) || spare(item)) ? "copy" : "namesake";
}

const isSame = (a: Item, b: Item): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Decides whether a second call is a copy: a repeated call has two different outputs. */
function createSpare(list: readonly unknown[]): (call: Item) => boolean {
  const outputs = new Map<unknown, Set<string>>();
  const calls = new Map<unknown, number>();
  for (const item of list) {
    if (!isRecord(item)) continue;
    const id = callIdOf(item);
    if (isCall(item)) calls.set(id, (calls.get(id) ?? 0) + 1);
    if (!isOutput(item)) continue;
    const said = outputs.get(id) ?? new Set();
    outputs.set(id, said.add(JSON.stringify(item["output"]) ?? ""));
  }
  return (call) => {
    const id = callIdOf(call);
    const made = calls.get(id) ?? 0;
    if (made <= Math.max(1, outputs.get(id)?.size ?? 0)) return false;
    calls.set(id, made - 1);
    return true;
  };
}

/** The id with which outputs identify a call: its call_id, or its item id if there is none. */
const callIdOf = (item: Item): unknown => item["call_id"] || (isCall(item) ? item["id"] : undefined);
