import { isRecord, textContent } from "#core";
import type { Call, Content, Entry, JsonObject, ResultEntry, Source } from "#core";

import { writePart } from "../../new-entries.ts";
import { keepEntry, wholeMessage } from "../../whole-message.ts";

/** A message under construction, from entries that cannot be written as they were read. */
interface Open {
  readonly role: string;
  readonly base: JsonObject;
  readonly blocks: unknown[];
  readonly at: number;
  /** The last input message that it contains parts of. */
  source: Source | undefined;
}

/** Appends the messages of the entries to a list. A message without edits keeps its original object. */
export function writeAnthropic(entries: readonly Entry[], list: unknown[]): void {
  let open: Open | undefined;
  for (let i = 0; i < entries.length;) {
    const entry = entries[i];
    if (entry === undefined) break;
    if (entry.role === "span") {
      i++;
      continue;
    }
    const whole = wholeMessage(entries, i);
    if (whole > 0 && entry.source !== undefined) {
      open = undefined;
      for (let k = i; k < i + whole; k++) keepEntry(entries[k], list.length);
      list.push(entry.source.wire);
      i += whole;
      continue;
    }
    if (open === undefined || !joins(open, entry)) {
      open = openMessage(entry, list.length);
      list.push({ ...open.base, role: open.role, content: open.blocks });
    }
    append(open, entry);
    i++;
  }
}

/**
 * True if an entry belongs to the open message: results of one block form one message, and user content joins its
 * original message.
 */
function joins(open: Open, entry: Entry): boolean {
  if (open.role !== "user") return false;
  return (
    entry.role === "result" || (entry.role === "user" && entry.source !== undefined && entry.source === open.source)
  );
}

function openMessage(entry: Entry, at: number): Open {
  const wire = entry.source?.mended;
  const role = entry.role === "result" ? "user" : entry.role;
  const base: JsonObject = isRecord(wire) ? wire : { role, content: [] };
  return { role, base, blocks: [], at, source: entry.source };
}

function append(open: Open, entry: Entry): void {
  entry.at = open.at;
  if (entry.source !== undefined) {
    open.source = entry.source;
    entry.source.at = open.at;
  }
  if (entry.role === "result") {
    entry.slot = open.blocks.length;
    note(entry.source, entry.place, open);
    open.blocks.push(writeResult(entry));
    return;
  }
  const content = entry.content?.map((part) =>
    part.type === "text" ? (part.wire ?? { type: "text", text: part.text }) : part.wire,
  );
  const live = entry.role === "assistant" ? new Set(entry.calls) : undefined;
  if (content !== undefined) for (const block of content) open.blocks.push(block);
  else {
    for (const part of entry.parts ?? []) {
      if (part.call !== undefined && live?.has(part.call) !== true) continue;
      note(part.source ?? entry.source, part.place, open);
      open.blocks.push(writePart(part, open.blocks.length, writeCall));
    }
  }
  if (entry.role === "assistant" && entry.parts === undefined) {
    for (const call of entry.calls) open.blocks.push(writeCall(call, open.blocks.length));
  }
}

/** Records the new position of a part: the next slot of the open message. */
function note(source: Source | undefined, place: number, { at, blocks }: Open): void {
  if (source === undefined) return;
  if (source.at < 0) source.at = at; // all parts may be in another message now
  source.slots ??= new Map();
  source.slots.set(place, `messages[${at}].content[${blocks.length}]`);
}

function writeCall(call: Call, slot: number): JsonObject {
  call.slot = slot;
  const wire: JsonObject = isRecord(call.wire) ? call.wire : { type: "tool_use" };
  return { ...wire, id: call.id, name: call.name, input: call.arguments };
}

function writeResult({ wire, id, content, fresh, error }: ResultEntry): unknown {
  if (!isRecord(wire)) {
    return {
      type: "tool_result",
      tool_use_id: id,
      content: writeContent(content ?? []),
      ...(error ? { is_error: true } : {}),
    };
  }
  if (!fresh && content === undefined) return wire;
  return { ...wire, tool_use_id: id, ...(content === undefined ? {} : { content: writeContent(content) }) };
}

function writeContent(content: readonly Content[]): unknown {
  if (content.every((part) => part.type === "text" && part.wire === undefined)) {
    return content.map((part) => (part.type === "text" ? part.text : "")).join("\n\n");
  }
  return content.map((part) => (part.type === "text" ? (part.wire ?? { type: "text", text: part.text }) : part.wire));
}

/** The content of a result in movable form. */
export function contentOfResult({ content, wire }: ResultEntry): readonly Content[] {
  if (content !== undefined) return content;
  const given = isRecord(wire) ? wire["content"] : undefined;
  if (typeof given === "string") return given === "" ? [] : [textContent(given)];
  if (!Array.isArray(given)) return [];
  return given.map((part: unknown): Content => {
    if (!isRecord(part) || part["type"] !== "text" || typeof part["text"] !== "string")
      return { type: "media", wire: part };
    return { type: "text", text: part["text"], wire: part };
  });
}
