import { addId, damageOf, everyEntry, hasId, isRecord } from "#core";
import type { IdTable } from "#core";

import { hasKeysOfOthers, itemKeys } from "../../keys-of-others.ts";
import { answeredByClient, answeredIds, clientCallId, isClientOutput } from "../client-tools.ts";
import { mayHaveCallId, mayHaveRole, sideOf } from "./item.ts";
import type { Item } from "./item.ts";
import { hasFittingId } from "./item-ids.ts";
import { refusedImage } from "./media.ts";
import type { ResponsesProfile } from "../profile.ts";

/** The items of an assistant turn with the outputs directly after it, or one other item, with the findings. */
export interface Unit {
  readonly list: readonly unknown[];
  readonly profile: ResponsesProfile;
  /** The item ids and call ids so far. Both are unique in the list. */
  readonly ids: IdTable;
  /** Ids of items that may be invalid, which no valid item may have. */
  readonly taken: ReadonlySet<unknown>;
  /** The call_ids of the unit: the first `count` entries. The array is reused, which is faster than a new one. */
  readonly calls: string[];
  count: number;
  /** Names that were found valid. */
  readonly names: Set<string>;
  /** True if there was reasoning since the last user message. */
  hasReasoned: boolean;
  /** The calls of client tools with an output; undefined until needed. */
  answered: ReadonlySet<string> | undefined;
  start: number;
  end: number;
  /** `open`: the unit is valid, except that some of its calls have no output. */
  state: "healthy" | "open" | "suspect";
}

/**
 * Finds the end of a unit, and whether it may be invalid. It knows only the common shapes, so a wrong "healthy" is
 * impossible, and a wrong "suspect" costs only time.
 */
export function lookAtUnit(unit: Unit): void {
  const { list } = unit;
  unit.count = 0;
  unit.state = "suspect";
  unit.end = unit.start + 1; // if something is wrong
  const turn: Turn = { pending: "none", isCovered: false };
  let at = unit.start;
  for (; at < list.length; at++) {
    const item = list[at];
    if (!isRecord(item)) return;
    if (!isAssistants(item)) break;
    if (!isGoodItem(item, turn, unit) || !isAnswered(item, unit)) return;
  }
  if (turn.pending !== "none") return;
  if (at === unit.start) {
    if (isGoodOther(list[at] as Item, unit)) unit.state = "healthy"; // known to be an object
    return;
  }
  const answered = answers(unit, at);
  if (answered < 0) return;
  if (answered === unit.count) unit.state = "healthy";
  else if (arePlain(unit, at)) unit.state = "open";
}

/** The state of an assistant turn after the items so far. */
interface Turn {
  /** Reasoning that still requires the item that it produced, or the id of that item if it is stored. */
  pending: "none" | "item" | "id";
  /** True if there was reasoning. */
  isCovered: boolean;
}

/** True if the arguments of all calls up to an index are JSON objects. Others are repaired in an edited turn. */
function arePlain({ list, start }: Unit, end: number): boolean {
  for (let i = start; i < end; i++) {
    const { type, arguments: args } = list[i] as Item; // all are known to be objects
    if (type !== "function_call" || typeof args !== "string") continue;
    if (args.trim() === "" || damageOf(args) !== undefined) return false;
  }
  return true;
}

/** Records an id; false if it exists. */
const claimId = ({ ids, taken }: Unit, id: string): boolean => !(taken.size > 0 && taken.has(id)) && addId(ids, id);

function isAssistants({ type, role }: Item): boolean {
  if (type === undefined || type === "message") return role === "assistant";
  return type === "function_call" || (typeof type === "string" && sideOf(type) === "assistant");
}

function isGoodItem(item: Item, turn: Turn, unit: Unit): boolean {
  const { type, id } = item;
  const { profile } = unit;
  if (turn.pending === "id" && typeof id !== "string") return false;
  if (id !== undefined && (typeof id !== "string" || id === "" || !claimId(unit, id))) return false;
  if (!hasFittingId(item, profile)) return false;
  turn.pending = "none";
  if (type === "function_call" || type === "custom_tool_call") return isGoodCall(item, turn, unit);
  if (item["call_id"] !== undefined && (typeof type !== "string" || !mayHaveCallId(type))) return false;
  if (profile.outputsAdjacent && unit.count > 0) return false;
  if (type === undefined || type === "message") {
    return (id === undefined || !profile.reasons || unit.hasReasoned) && isGoodMessage(item, profile);
  }
  if (item["role"] !== undefined || item["phase"] !== undefined) return false;
  if (type === "tool_search_call") return isRecord(item["arguments"]);
  if (type !== "reasoning") return type !== "item_reference";
  const token = item["encrypted_content"];
  if (typeof token === "string" ? !profile.token.test(token) : token !== undefined && token !== null) return false;
  turn.pending = id !== undefined && typeof token !== "string" ? "id" : "item";
  turn.isCovered = true;
  unit.hasReasoned = true;
  return true;
}

/** True for all items except calls of client tools without an output. */
function isAnswered(call: Item, unit: Unit): boolean {
  const callId = call["call_id"] === undefined ? undefined : clientCallId(call);
  if (callId === undefined) return true;
  unit.answered ??= answeredByClient(unit.list);
  return unit.answered.has(callId) && claimId(unit, callId);
}

function isGoodCall(item: Item, turn: Turn, unit: Unit): boolean {
  const { calls, names, profile } = unit;
  const { type, id, call_id: callId, name } = item;
  if (item["role"] !== undefined || item["phase"] !== undefined) return false;
  if (typeof callId !== "string" || callId === "" || callId.length > profile.ids.longest) return false;
  if (unit.count === 64 || !claimId(unit, callId)) return false;
  calls[unit.count++] = callId;
  if (typeof name !== "string" || item["async"] === true) return false;
  if (!names.has(name)) {
    if (!profile.names.pattern.test(name)) return false;
    names.add(name);
  }
  if (type === "custom_tool_call") {
    return typeof item["input"] === "string" && (typeof id !== "string" || id.startsWith("ctc"));
  }
  const args = item["arguments"];
  if (typeof args !== "string") return false;
  if (typeof id === "string" && (!id.startsWith("fc") || (profile.reasons && !turn.isCovered))) return false;
  return true;
}

/** True for a valid assistant message. */
function isGoodMessage(item: Item, profile: ResponsesProfile): boolean {
  const { type, content } = item;
  if ((type === undefined && profile.typeRequired) || !isOwnShape(item, profile)) return false;
  if (typeof content === "string") return content !== "" || !item["refusal"];
  return Array.isArray(content) && everyEntry(content, isSaid);
}

/** True if a message has no keys of the chat format. */
function isOwnShape(item: Item, { refusesChatKeys }: ResponsesProfile): boolean {
  if (item["tool_calls"] !== undefined || item["function_call"] !== undefined) return false;
  return !refusesChatKeys || !hasKeysOfOthers(item, itemKeys);
}

function isSaid(part: unknown): boolean {
  if (!isRecord(part)) return false;
  return part["type"] === "output_text" ? typeof part["text"] === "string" : isRefusal(part);
}

const isRefusal = (part: Item): boolean => part["type"] === "refusal" && typeof part["refusal"] === "string";

/** The number of calls that the outputs from an index on belong to; -1 if something may be wrong. */
function answers(unit: Unit, start: number): number {
  const { list, calls, count } = unit;
  let next = 0; // the first call after the outputs so far
  let at = start;
  for (; at < list.length; at++) {
    const item = list[at];
    if (!isRecord(item)) return -1;
    const { type, call_id: callId } = item;
    if (type !== "function_call_output" && type !== "custom_tool_call_output") break;
    if (typeof callId !== "string") return -1;
    const call = calls[next] === callId ? next : calls.indexOf(callId);
    if (call < 0 || call >= count || (call < next && isBefore(list, start, at, callId)) || !isGoodOutput(item, unit))
      return -1;
    next = Math.max(next, call + 1);
  }
  unit.end = at;
  return at - start;
}

/** True if one of the outputs from `start` to `end` has this call_id. */
function isBefore(list: readonly unknown[], start: number, end: number, callId: unknown): boolean {
  for (let i = start; i < end; i++) if ((list[i] as Item)["call_id"] === callId) return true; // all were checked
  return false;
}

function isGoodOutput(item: Item, unit: Unit): boolean {
  const { profile } = unit;
  const { id, output } = item;
  if (item["role"] !== undefined || item["phase"] !== undefined) return false;
  if (id !== undefined && (typeof id !== "string" || id === "" || !claimId(unit, id))) return false;
  if (!hasFittingId(item, profile)) return false;
  return typeof output === "string" || (Array.isArray(output) && everyEntry(output, (part) => isGiven(part, profile)));
}

/** A user or system message, or an item outside turns. */
function isGoodOther(item: Item, unit: Unit): boolean {
  const { ids, profile } = unit;
  const { type, role, id, content } = item;
  if (role === "user") unit.hasReasoned = false;
  if (item["phase"] !== undefined) return false;
  if (isClientOutput(item) && !profile.continues && !answeredIds(item).some((of) => hasId(ids, of))) return false;
  const isOwnId = type !== "local_shell_call_output"; // otherwise it may be the id of the call
  if (id !== undefined && (typeof id !== "string" || id === "" || (isOwnId && !claimId(unit, id)))) return false;
  if (!hasFittingId(item, profile)) return false;
  if (type !== undefined && type !== "message") {
    if (typeof type !== "string" || sideOf(type) === undefined) return false;
    if (role !== undefined && !mayHaveRole(type)) return false;
    return type !== "function_call_output" && type !== "custom_tool_call_output" && isBound(item, type);
  }
  if (role !== "user" && role !== "system" && role !== "developer") return false;
  if (!isOwnShape(item, profile) || item["call_id"] !== undefined) return false;
  if (type === undefined && profile.typeRequired) return false;
  return (
    typeof content === "string" || (Array.isArray(content) && everyEntry(content, (part) => isGiven(part, profile)))
  );
}

const isBound = ({ call_id: callId }: Item, type: string): boolean => callId === undefined || mayHaveCallId(type);

/** True for a valid content part of a user message or an output. */
function isGiven(part: unknown, profile: ResponsesProfile): boolean {
  if (!isRecord(part)) return false;
  const { type } = part;
  if (type === "input_text") return typeof part["text"] === "string";
  return type === "input_file" || (type === "input_image" && refusedImage(part, profile) === undefined);
}
