import { isRecord } from "#core";
import type { AssistantEntry, Call, Source } from "#core";

import { blockKey } from "./calls.ts";
import type { Context, SeatList } from "./context.ts";
import type { Envelope, Fields } from "../envelope.ts";
import { rewrite } from "./mould.ts";
import { isStandard, listIn, renamed } from "./places.ts";

/** Writes the current calls of an AI message to `tool_calls` and to every other place that contains them. */
export function writeCalls(entry: AssistantEntry, source: Source, envelope: Envelope, context: Context): unknown {
  if (!entry.fresh) return source.wire;
  const { fields, prefix } = envelope;
  source.slots = new Map();
  const calls = entry.calls.map((call, slot) => {
    call.slot = slot;
    source.slots?.set(call.place, `messages[${entry.at}]${prefix}.tool_calls[${slot}]`);
    return context.seats.get(call)?.own.list === "tool_calls" && !call.fresh ? call.wire : writeCall(call, context);
  });
  const changes: Record<string, unknown> = { tool_calls: calls };
  if (listIn(fields, "invalid_tool_calls").length > 0) changes["invalid_tool_calls"] = [];
  const kept = new Set(entry.calls);
  const gone = (context.readCalls.get(source) ?? []).filter((call) => !kept.has(call));
  const places: Places = { fields, calls: entry.calls, gone, context };
  const content = mirror("content", places);
  noteBlocks(places, source, `messages[${entry.at}]${prefix}.content`);
  const whole = isStandard(fields) ? withBlocks(content, places) : orText(content);
  if (whole !== undefined) changes["content"] = whole;
  Object.assign(changes, kwargsOf(places), metadataOf(places));
  if (listIn(fields, "tool_call_chunks").length > 0) changes["tool_call_chunks"] = calls.map(asChunk);
  return rewrite(envelope, changes);
}

function writeCall(call: Call, { seats }: Context): unknown {
  const { id, name, arguments: args, wire } = call;
  const isListed = seats.get(call)?.own.list === "tool_calls";
  const called = isListed && isRecord(wire) ? wire["function"] : undefined;
  if (isRecord(wire) && isRecord(called)) {
    return { ...wire, id, function: { ...called, name, arguments: JSON.stringify(args) } };
  }
  const base: Fields = isListed && isRecord(wire) ? wire : { type: "tool_call" };
  return { ...base, name, args, id };
}

/** The parts from which the places of a message are rebuilt. */
interface Places {
  readonly fields: Fields;
  readonly calls: readonly Call[];
  readonly gone: readonly Call[];
  readonly context: Context;
}

/** A list of the message with renamed calls, and without removed ones. Undefined if it stays unchanged. */
function mirror(list: SeatList, { fields, calls, gone, context: { seats } }: Places): readonly unknown[] | undefined {
  const before = listIn(fields, list);
  if (before.length === 0) return undefined;
  const after: unknown[] = [...before];
  for (const call of gone) for (const index of indexesIn(list, call, seats)) after[index] = removed;
  for (const call of calls) {
    const known = seats.get(call);
    if (known === undefined) continue;
    for (const index of indexesIn(list, call, seats)) {
      const wire = before[index];
      if (list === "content" && known.leaving.includes(index)) after[index] = removed;
      else if (list === "content" && call.fresh) after[index] = writeBlock(wire, call, isStandard(fields));
      else if (call.id !== known.id || call.name !== known.name) after[index] = renamed(wire, call);
    }
  }
  return after.every((each, index) => each === before[index]) ? undefined : after.filter((each) => each !== removed);
}

const removed = Symbol("removed");

/** The block of a call with its current values. */
function writeBlock(wire: unknown, call: Call, standard: boolean): unknown {
  if (!isRecord(wire)) return wire;
  const { type, id, name, input, args } = wire;
  if (type === "invalid_tool_call" || (standard && type !== "tool_call")) return blockOf(call);
  const isNamed = id === call.id && name === call.name;
  if (type === "tool_call") return isNamed && args === call.arguments ? wire : { ...wire, ...blockOf(call) };
  if (type !== "tool_use") return renamed(wire, call);
  const isRead = isRecord(input) || typeof input === "string"; // text is the streamed form; clients use the arguments of the call
  if (isNamed && isRead) return wire;
  return { ...wire, id: call.id, name: call.name, ...(isRead ? {} : { input: call.arguments }) };
}

/** Empty content becomes text, because an empty list is refused (langchain-ai/langchainjs#11416). */
const orText = (content: readonly unknown[] | undefined): readonly unknown[] | "" | undefined =>
  content?.length === 0 ? "" : content;

/** Records the new positions of the content blocks. */
function noteBlocks({ fields, calls, gone, context: { seats } }: Places, source: Source, path: string): void {
  const missing = new Set([
    ...gone.flatMap((call) => indexesIn("content", call, seats)),
    ...calls.flatMap((call) => seats.get(call)?.leaving ?? []),
  ]);
  for (let index = 0, slot = 0; index < listIn(fields, "content").length; index++) {
    if (!missing.has(index)) source.slots?.set(blockKey(index), `${path}[${slot++}]`);
  }
}

function indexesIn(list: SeatList, call: Call, seats: Context["seats"]): number[] {
  const known = seats.get(call);
  if (known === undefined) return [];
  return [known.own, ...known.mirrors].flatMap((seat) => (seat.list === list ? [seat.index] : []));
}

const blockOf = ({ id, name, arguments: args }: Call): Fields => ({ type: "tool_call", id, name, args });

/** The content with a block for every call. */
function withBlocks(content: readonly unknown[] | undefined, { fields, calls, context }: Places): readonly unknown[] {
  const missing = calls.filter((call) => indexesIn("content", call, context.seats).length === 0);
  return [...(content ?? listIn(fields, "content")), ...missing.map(blockOf)];
}

/** The provider fields: calls, and the ids of their items. */
function kwargsOf(places: Places): Fields {
  const kwargs = places.fields["additional_kwargs"];
  if (!isRecord(kwargs)) return {};
  const calls = mirror("additional_kwargs.tool_calls", places);
  const changes: Record<string, unknown> = calls === undefined ? {} : { tool_calls: calls };
  for (const key of itemIds) {
    const items = kwargs[key];
    if (isRecord(items) && places.calls.some((call) => isRenamed(call, places.context) !== undefined)) {
      changes[key] = withNewKeys(items, places);
    }
  }
  return Object.keys(changes).length === 0 ? {} : { additional_kwargs: { ...kwargs, ...changes } };
}

const itemIds = ["__openai_function_call_ids__", "__openai_custom_tool_call_ids__"] as const;

/** The old id of a renamed call. Undefined if it was not renamed. */
function isRenamed(call: Call, { seats }: Context): string | undefined {
  const before = seats.get(call)?.id;
  return before === undefined || before === call.id ? undefined : before;
}

function withNewKeys(items: Fields, { calls, context }: Places): Fields {
  const names = new Map(calls.map((call) => [isRenamed(call, context), call.id]));
  return Object.fromEntries(Object.entries(items).map(([key, value]) => [names.get(key) ?? key, value]));
}

/** Items of the Responses API are sent instead of everything else, so they must contain every call. */
function metadataOf(places: Places): Fields {
  const metadata = places.fields["response_metadata"];
  const before = listIn(places.fields, "response_metadata.output");
  const items = mirror("response_metadata.output", places) ?? before;
  if (!isRecord(metadata) || before.length === 0) return {};
  const { seats } = places.context;
  const missing = places.calls.filter((call) => indexesIn("response_metadata.output", call, seats).length === 0);
  const output = missing.length === 0 ? items : [...items, ...missing.map(itemOf)];
  return output === metadata["output"] ? {} : { response_metadata: { ...metadata, output } };
}

const itemOf = ({ id, name, arguments: args }: Call): Fields => ({
  type: "function_call",
  call_id: id,
  name,
  arguments: JSON.stringify(args),
});

/** Chunks are merged when a message is loaded, so they must match the calls. */
function asChunk(call: unknown, index: number): Fields {
  const { name, args, id } = isRecord(call) ? call : {};
  return { name, args: JSON.stringify(args), id, index, type: "tool_call_chunk" };
}
