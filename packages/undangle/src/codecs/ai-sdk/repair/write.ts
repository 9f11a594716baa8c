import { isRecord } from "#core";
import type { AssistantEntry, Call, Entry, JsonObject, Part, ResultEntry, Source } from "#core";

import { isResponse } from "./approvals.ts";
import { isType, textOf } from "./message.ts";
import type { Context } from "./message.ts";
import { writeOutput, writeUserContent } from "./output.ts";
import { blockItems, inReadOrder } from "./block.ts";
import type { Item } from "./block.ts";

/** Appends the messages of the entries to a list. A message without edits keeps its original object. */
export function writeModelMessages(entries: readonly Entry[], list: unknown[], { extras }: Context): void {
  for (let i = 0; i < entries.length;) {
    const entry = entries[i++];
    if (entry === undefined || entry.role === "span") continue;
    if (entry.role !== "result") writeMessage(entry, list);
    const results: ResultEntry[] = entry.role === "result" ? [entry] : [];
    for (let next = entries[i]; next?.role === "result"; next = entries[++i]) results.push(next);
    const owner = entry.role === "assistant" ? entry : undefined;
    const items = blockItems(results, owner === undefined ? [] : (extras.get(owner) ?? []));
    if (items.length > 0) writeBlock(items, owner, list);
  }
}

function writeMessage(entry: Exclude<Entry, ResultEntry | { role: "span" }>, list: unknown[]): void {
  const { source, content, parts } = entry;
  entry.at = list.length;
  if (source !== undefined) source.at = entry.at;
  if (source !== undefined && !entry.fresh) {
    list.push(source.wire);
    return;
  }
  const base: JsonObject = isRecord(source?.wire) ? source.wire : { role: entry.role };
  if (content !== undefined && entry.role === "user") {
    list.push({ ...base, content: writeUserContent(content) });
    return;
  }
  const slots = slotsOf(source, entry.at);
  const written: unknown[] = [];
  const live = entry.role === "assistant" ? new Set(entry.calls) : undefined;
  const renamed = entry.role === "assistant" ? renamedCalls(entry) : undefined;
  for (const part of parts ?? []) {
    if (part.call !== undefined && live?.has(part.call) !== true) continue;
    slots(part.place, written.length);
    written.push(writePart(part, written.length, renamed));
  }
  if (entry.role === "assistant" && parts === undefined) {
    for (const call of entry.calls) written.push(writeCall(call, written.length));
  }
  list.push({ ...base, content: written });
}

/** Records the new positions of parts in a rebuilt message. */
function slotsOf(source: Source | undefined, at: number): (place: number, slot: number) => void {
  return (place, slot) => {
    if (source === undefined) return;
    source.slots ??= new Map();
    source.slots.set(place, `messages[${at}].content[${slot}]`);
  };
}

/** The new call ids by old ids, for approval requests that refer to them. */
function renamedCalls({ calls }: AssistantEntry): ReadonlyMap<string, string> {
  const renamed = new Map<string, string>();
  for (const { id, wire } of calls) {
    const old = isRecord(wire) ? textOf(wire["toolCallId"]) : id;
    if (old !== "" && !renamed.has(old)) renamed.set(old, id);
  }
  return renamed;
}

function writePart({ wire, call }: Part, slot: number, renamed: ReadonlyMap<string, string> | undefined): unknown {
  if (call !== undefined) return writeCall(call, slot);
  if (!isType(wire, "tool-approval-request")) return wire;
  const id = renamed?.get(textOf(wire["toolCallId"]));
  return id === undefined || id === wire["toolCallId"] ? wire : { ...wire, toolCallId: id };
}

function writeCall(call: Call, slot: number): unknown {
  call.slot = slot;
  if (!call.fresh) return call.wire;
  const wire: JsonObject = isRecord(call.wire) ? call.wire : { type: "tool-call" };
  return { ...wire, toolCallId: call.id, toolName: call.name, input: call.arguments };
}

/**
 * Writes the results after a turn: unchanged if nothing was edited, otherwise as one message. Messages with more than
 * content stay whole, and additions follow them.
 */
function writeBlock(items: readonly Item[], owner: AssistantEntry | undefined, list: unknown[]): void {
  const refused = new Set<ResultEntry>();
  for (const { rejection, result } of owner?.calls ?? []) if (rejection && result !== undefined) refused.add(result);
  const isEdited = items.some(({ result }) => result?.regrouped === true);
  // The SDK reads only one message for approval responses and the results that settle them.
  const isOne = isEdited && (items.some(({ wire }) => isResponse(wire)) || !items.some(saysMore));
  if (isOne) {
    writeChunk(items, refused, list);
    return;
  }
  const inOrder = isEdited ? inReadOrder(items) : items;
  for (let i = 0; i < inOrder.length;) {
    let end = i + 1;
    while (end < inOrder.length && inOrder[end]?.source === inOrder[i]?.source) end++;
    writeChunk(inOrder.slice(i, end), refused, list);
    i = end;
  }
}

const saysMore = ({ source }: Item): boolean =>
  source !== undefined && isTool(source) && isRecord(source.wire) && Object.keys(source.wire).length > 2;

function writeChunk(items: readonly Item[], refused: ReadonlySet<ResultEntry>, list: unknown[]): void {
  const at = list.length;
  const sources = new Set<Source>();
  for (const { source } of items) if (source !== undefined && isTool(source)) sources.add(source);
  const isWhole = isUntouched(items);
  const content: unknown[] = [];
  for (const { result, wire, source: home, place } of items) {
    if (home !== undefined && isTool(home)) home.at = at;
    if (result !== undefined) {
      result.at = at;
      result.slot = isWhole ? result.place : content.length;
    }
    if (place < 0 && result === undefined) continue; // the placeholder of an empty message
    if (!isWhole) slotsOf(home, at)(place, content.length);
    content.push(result === undefined ? wire : writeResult(result, refused.has(result)));
  }
  const wires = [...sources].map(({ wire }) => wire).filter(isRecord);
  if (isWhole) list.push(wires[0]);
  else if (content.length > 0) list.push({ ...Object.assign({}, ...wires), role: "tool", content });
}

const isTool = ({ wire }: Source): boolean => isRecord(wire) && wire["role"] === "tool";

/** True if the items are exactly their original message. */
function isUntouched(items: readonly Item[]): boolean {
  const source = items[0]?.source;
  if (source === undefined || !isTool(source) || items.length !== source.entries) return false;
  return items.every(
    ({ result, source: home, place }, i) =>
      home === source &&
      (place < 0 || place === i) &&
      (result === undefined || (!result.fresh && result.content === undefined)),
  );
}

function writeResult(result: ResultEntry, isRefused: boolean): unknown {
  const { wire, id, name, fresh, content } = result;
  if (!isRecord(wire)) {
    return { type: "tool-result", toolCallId: id, toolName: name, output: writeOutput(result, isRefused) };
  }
  if (result.pending === true || (!fresh && content === undefined)) return wire;
  const output = content === undefined ? {} : { output: writeOutput(result, false) };
  return { ...wire, toolCallId: id, toolName: name || wire["toolName"], ...output };
}
