import { acceptsId, hashHex, isRecord } from "#core";
import type { AssistantEntry, Call, Entry, ResultEntry, Source } from "#core";

import type { Context } from "./context.ts";
import { idOf, isCall, isMessage, mayOmitId, withoutKeys } from "./item.ts";
import type { Item } from "./item.ts";
import { resultIdPath } from "./context.ts";
import type { ResponsesProfile } from "../profile.ts";

/**
 * Some clients confuse the item id with the call id. A call without a call_id gets its item id, unless unmatched
 * outputs wait to be paired by order. An output with the item id of a call gets its call_id.
 */
export function settleItemIds(entries: readonly Entry[], context: Context): void {
  const called = new Set<string>();
  for (const entry of entries) if (entry.role === "assistant") for (const { id } of entry.calls) called.add(id);
  const strays = new Set<string>(); // output ids that are not a call_id; "" for outputs without an id
  for (const entry of entries) {
    if (entry.role === "result" && (entry.id === "" || !called.has(entry.id))) strays.add(entry.id);
  }
  if (strays.size === 0 && !called.has("")) return;
  const known = knownByItem(entries);
  const itemIds = new Set(known.values());
  const isOrderNeeded = [...strays].some((id) => !itemIds.has(id));
  for (const [{ calls, source }, itemId] of known) {
    const [call] = calls;
    if (call?.id !== "" || called.has(itemId) || (isOrderNeeded && !strays.has(itemId))) continue;
    call.id = itemId;
    call.fresh = true;
    if (source === undefined || !acceptsId(itemId, context.profile.ids)) continue; // the pairing repairs and reports it
    const message = `The call of ${call.name || "a tool"} has no call_id, only the id of its item.`;
    const finding = { rule: "missing-call-id" as const, message, callId: itemId };
    context.journal.note({ source, suffix: ".call_id" }, finding, { type: "rename" });
  }
  if (strays.size > 0) renameOutputs(entries, known, strays, context);
}

/** The calls with an item id, and that id. */
function knownByItem(entries: readonly Entry[]): ReadonlyMap<AssistantEntry, string> {
  const known = new Map<AssistantEntry, string>();
  for (const entry of entries) {
    const wire = entry.source?.wire;
    const id = isRecord(wire) && isCall(wire) ? idOf(wire) : undefined;
    if (entry.role === "assistant" && id !== undefined) known.set(entry, id);
  }
  return known;
}

/** Each output belongs to the nearest earlier call with the item id, or to the first if it precedes them all. */
function renameOutputs(
  entries: readonly Entry[],
  known: ReadonlyMap<AssistantEntry, string>,
  strays: ReadonlySet<string>,
  context: Context,
): void {
  const nearest = new Map<string, Call>();
  for (const [{ calls }, id] of [...known].toReversed()) if (calls[0] !== undefined) nearest.set(id, calls[0]);
  for (const entry of entries) {
    const itemId = entry.role === "assistant" ? known.get(entry) : undefined;
    if (entry.role === "assistant" && itemId !== undefined && entry.calls[0] !== undefined)
      nearest.set(itemId, entry.calls[0]);
    if (entry.role !== "result" || !strays.has(entry.id)) continue;
    const call = nearest.get(entry.id);
    if (call !== undefined && call.id !== entry.id) renameOutput(entry, call.id, context);
  }
}

function renameOutput(result: ResultEntry, callId: string, { journal }: Context): void {
  const { source, id } = result;
  if (source === undefined) return;
  const message = `The output names the item ${id}, not the call_id of its call.`;
  const from = `input[${source.index}]${resultIdPath(source)}`;
  const change = { type: "rename" as const, entry: result, suffix: ".call_id" };
  journal.report({ rule: "orphan-result", from, message, callId }, change);
  result.id = callId;
  result.fresh = true;
}

/** The key with which an approval response and an approved call reference the approval request. */
const approvalKey = "approval_request_id";

/** True if the API accepts the id of the item, and the id of the approval request that it references. */
export function hasFittingId(item: Item, profile: ResponsesProfile): boolean {
  return !isTooLong(item["id"], profile) && !isTooLong(item[approvalKey], profile) && hasPrefix(item, profile);
}

const isTooLong = (id: unknown, { longestItemId }: ResponsesProfile): boolean =>
  typeof id === "string" && id.length > longestItemId;

/** Message ids must start with `msg`. The ids of calls are checked with the calls. */
function hasPrefix(item: Item, { refusesChatKeys }: ResponsesProfile): boolean {
  const id = isMessage(item) && refusesChatKeys ? idOf(item) : undefined;
  return id === undefined || id.startsWith("msg");
}

/**
 * Makes the ids of an item valid. An optional id is removed. Any other id is replaced by a hash, which is the same
 * everywhere, so that an approval still references its request.
 */
export function fitItemId(given: Item, source: Source, { journal, profile, doomed }: Context): Item {
  if (hasFittingId(given, profile)) return given;
  let item = given;
  if (!hasPrefix(item, profile)) {
    const finding = { rule: "item-id-prefix" as const, message: "The id of a message must begin with msg." };
    journal.note({ source, suffix: ".id" }, finding, { type: "remove" });
    item = withoutKeys(item, ["id"]);
  }
  for (const key of ["id", approvalKey]) {
    const id = item[key];
    if (typeof id !== "string" || !isTooLong(id, profile)) continue;
    const message = `The ${key} has ${id.length} characters, more than ${profile.longestItemId}.`;
    const finding = { rule: "item-id-length" as const, message };
    if (item["type"] === "item_reference") journal.note({ source, suffix: `.${key}` }, finding);
    else if (item["type"] === "reasoning" && !item["encrypted_content"]) {
      doomed.set(source, { finding, lossless: false }); // stored reasoning, with an id that the server cannot have issued
    } else if (key === "id" && mayOmitId(item)) {
      journal.note({ source, suffix: ".id" }, finding, { type: "remove" });
      item = withoutKeys(item, ["id"]);
    } else {
      journal.note({ source, suffix: `.${key}` }, finding, { type: "rename" });
      item = { ...item, [key]: shortened(id) };
    }
  }
  return item;
}

/** A hash of the id with its original prefix. */
const shortened = (id: string): string => `${/^[a-z]{1,16}_/u.exec(id)?.[0] ?? "item_"}${hashHex(id)}`;
