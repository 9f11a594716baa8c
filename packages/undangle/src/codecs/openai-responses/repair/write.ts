import { isRecord } from "#core";
import type { AssistantEntry, Call, Content, Entry, ResultEntry } from "#core";

import { argumentsKey } from "./calls.ts";
import { isCall } from "./item.ts";
import type { Item } from "./item.ts";

/** Appends the items of the entries to a list. An entry without edits keeps its original object. */
export function writeResponses(
  entries: readonly Entry[],
  list: unknown[],
  callOf: ReadonlyMap<ResultEntry, Call>,
): void {
  for (const entry of entries) {
    if (entry.role === "span") continue;
    entry.at = list.length;
    if (entry.source !== undefined) entry.source.at = entry.at;
    if (entry.role === "result") list.push(writeOutput(entry, callOf.get(entry)));
    else if (entry.role === "assistant" && entry.calls.length > 0) writeCalls(entry, list);
    else if (entry.source !== undefined) list.push(entry.source.mended);
    else list.push(writeMessage(entry.role, entry.content ?? [], entry.at));
  }
}

/** The call of each output, which may be far from it. */
export function callsOfOutputs(entries: readonly Entry[]): ReadonlyMap<ResultEntry, Call> {
  const callOf = new Map<ResultEntry, Call>();
  for (const entry of entries) {
    if (entry.role !== "assistant") continue;
    for (const call of entry.calls) if (call.result !== undefined) callOf.set(call.result, call);
  }
  return callOf;
}

function writeCalls({ calls, source }: AssistantEntry, list: unknown[]): void {
  for (const call of calls) {
    call.slot = list.length;
    if (source === undefined) list.push(restoredCall(call));
    else list.push(call.fresh ? writeCall(call, source.mended) : source.mended);
  }
}

function writeCall({ id, name, arguments: args }: Call, mended: unknown): Item {
  const item: Item = isRecord(mended) ? mended : { type: "function_call" };
  return { ...item, call_id: id, name, [argumentsKey(item)]: args };
}

/** A call of the type that matches its output. */
function restoredCall({ id, name, arguments: args, result }: Call): Item {
  const { type } = isRecord(result?.wire) ? result.wire : noItem;
  return type === "custom_tool_call_output"
    ? { type: "custom_tool_call", call_id: id, name, input: "" }
    : { type: "function_call", call_id: id, name, arguments: args };
}

const noItem: Item = {};

/** The output item of a result. If it must be rewritten, it gets the type that matches its call. */
export function writeOutput({ wire, id, content, fresh }: ResultEntry, call: Call | undefined): unknown {
  if (isRecord(wire) && !fresh && content === undefined) return wire;
  const called = isRecord(call?.wire) && isCall(call.wire) ? call.wire["type"] : undefined;
  const type = called === undefined ? undefined : called === "custom_tool_call" ? customOutput : functionOutput;
  const item: Item = isRecord(wire) ? wire : { type: functionOutput };
  const said = content === undefined ? {} : { output: writeContent(content) };
  return { ...item, ...(type === undefined ? {} : { type }), call_id: id, ...said };
}

const functionOutput = "function_call_output";
const customOutput = "custom_tool_call_output";

function writeMessage(role: string, content: readonly Content[], at: number): Item {
  noteOrigins(content, at);
  return { type: "message", role, content: content.map(writePart) };
}

/** Records the new position of moved content. */
function noteOrigins(content: readonly Content[], at: number): void {
  content.forEach((part, slot) => {
    if (part.type !== "media" || part.origin === undefined) return;
    const { source, place } = part.origin;
    source.slots ??= new Map();
    source.slots.set(place, `input[${at}].content[${slot}]`);
  });
}

/** A string if there is only generated text, otherwise a list of parts. */
function writeContent(content: readonly Content[]): unknown {
  if (content.every((part) => part.type === "text" && part.wire === undefined)) {
    return content.map((part) => (part.type === "text" ? part.text : "")).join("\n\n");
  }
  return content.map(writePart);
}

const writePart = (part: Content): unknown =>
  part.type === "text" ? (part.wire ?? { type: "input_text", text: part.text }) : part.wire;
