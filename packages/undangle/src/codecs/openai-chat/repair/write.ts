import { isRecord, textContent } from "#core";
import type { Call, Content, Entry, ResultEntry, SpanEntry } from "#core";

import { slotKey } from "./calls.ts";
import { withoutKeys } from "./message.ts";
import type { Message } from "./message.ts";

/** Appends the messages of the entries to a list. An entry without edits keeps its original object. */
export function writeChat(entries: readonly Entry[], list: unknown[]): void {
  for (const entry of entries) {
    if (entry.role === "span") continue;
    entry.at = list.length;
    if (entry.source !== undefined) entry.source.at = entry.at;
    if (entry.content !== undefined) noteOrigins(entry.content, entry.at);
    list.push(writeEntry(entry));
  }
}

/** Records the new position of moved content. */
function noteOrigins(content: readonly Content[], at: number): void {
  content.forEach((part, slot) => {
    if (part.type !== "media" || part.origin === undefined) return;
    const { source, place } = part.origin;
    source.slots ??= new Map();
    source.slots.set(place, `messages[${at}].content[${slot}]`);
  });
}

function writeEntry(entry: Exclude<Entry, SpanEntry>): unknown {
  const { source, content } = entry;
  if (!entry.fresh && source !== undefined) return source.mended;
  const base: Message = isRecord(source?.mended)
    ? source.mended
    : { role: entry.role === "result" ? "tool" : entry.role };
  const said = content === undefined ? {} : { content: writeContent(content) };
  if (entry.role === "result") return writeResult(entry, base, said);
  if (entry.role !== "assistant") return { ...base, ...said };
  const message: Message = { ...base, ...said };
  const calls = entry.calls.map((call, slot) => {
    call.slot = slot;
    if (source !== undefined) {
      source.slots ??= new Map();
      source.slots.set(slotKey(call.place), `messages[${entry.at}].tool_calls[${slot}]`);
    }
    return call.fresh ? writeCall(call) : call.wire;
  });
  if (calls.length === 0) return withoutKeys(message, ["tool_calls"]);
  return { ...message, ...entry.extras, tool_calls: calls };
}

function writeResult({ id, name, source }: ResultEntry, base: Message, said: { content?: unknown }): Message {
  if (source !== undefined) return { ...base, tool_call_id: id, ...said };
  return { ...base, tool_call_id: id, name, ...said };
}

function writeCall(call: Call): Message {
  const wire: Message = isRecord(call.wire) ? call.wire : { id: call.id, type: "function" };
  if (wire["type"] === "custom") {
    const custom = isRecord(wire["custom"]) ? wire["custom"] : {};
    return { ...wire, id: call.id, custom: { ...custom, name: call.name } };
  }
  const called = isRecord(wire["function"]) ? wire["function"] : {};
  const args = call.arguments === undefined ? {} : { arguments: call.arguments };
  return { ...wire, id: call.id, function: { ...called, name: call.name, ...args } };
}

/** A string if there is only text, otherwise a list of parts. */
function writeContent(content: readonly Content[]): unknown {
  if (content.length === 0) return "";
  if (content.every((part) => part.type === "text" && part.wire === undefined)) {
    return content.map((part) => (part.type === "text" ? part.text : "")).join("\n\n");
  }
  return content.map((part) => (part.type === "text" ? (part.wire ?? { type: "text", text: part.text }) : part.wire));
}

/** The content of a chat message in movable form. */
export function contentOfChat(entry: Entry): readonly Content[] {
  if (entry.content !== undefined) return entry.content;
  const wire = entry.source?.mended;
  const content = isRecord(wire) ? wire["content"] : undefined;
  if (typeof content === "string") return content === "" ? [] : [textContent(content)];
  if (!Array.isArray(content)) return [];
  return content.map((part: unknown): Content => {
    if (!isRecord(part) || part["type"] !== "text" || typeof part["text"] !== "string")
      return { type: "media", wire: part };
    return { type: "text", text: part["text"], wire: part };
  });
}
