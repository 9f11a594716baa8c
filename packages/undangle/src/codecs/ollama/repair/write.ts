import { isRecord, textContent } from "#core";
import type { Call, Content, Entry, ResultEntry, SpanEntry } from "#core";

import { nameOfResult } from "./message.ts";
import type { Message } from "./message.ts";

/** Appends the messages of the entries to a list. An entry without edits keeps its original object. */
export function writeOllama(entries: readonly Entry[], list: unknown[]): void {
  for (const entry of entries) {
    if (entry.role === "span") continue;
    entry.at = list.length;
    if (entry.source !== undefined) entry.source.at = entry.at;
    list.push(writeEntry(entry));
  }
}

function writeEntry(entry: Exclude<Entry, SpanEntry>): unknown {
  const { source, content } = entry;
  if (!entry.fresh && content === undefined && source !== undefined) return source.mended;
  const base: Message = isRecord(source?.mended)
    ? source.mended
    : { role: entry.role === "result" ? "tool" : entry.role, content: "" };
  const said = content === undefined ? {} : writeContent(content);
  if (entry.role === "result") return writeResult(entry, { ...base, ...said });
  if (entry.role !== "assistant") return { ...base, ...said };
  const calls = entry.calls.map((call, slot) => {
    call.slot = slot;
    if (source !== undefined) {
      source.slots ??= new Map();
      source.slots.set(call.place, `messages[${entry.at}].tool_calls[${slot}]`);
    }
    return call.fresh ? writeCall(call) : call.wire;
  });
  const { tool_calls: _, ...rest } = base; // a message without calls has no `tool_calls`
  return { ...rest, ...said, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
}

function writeResult({ id, name }: ResultEntry, message: Message): Message {
  const named = name === nameOfResult(message) ? {} : { tool_name: name };
  return { ...message, ...named, ...(id === "" ? {} : { tool_call_id: id }) };
}

/** A call in the form that the server decodes. */
export function writeCall(call: Call): Message {
  const wire: Message = isRecord(call.wire) ? call.wire : {};
  const called = isRecord(wire["function"]) ? wire["function"] : {};
  const args = call.arguments === undefined ? {} : { arguments: call.arguments };
  return { ...wire, ...(call.id === "" ? {} : { id: call.id }), function: { ...called, name: call.name, ...args } };
}

/** The content as text, with images in a separate field. */
function writeContent(content: readonly Content[]): Message {
  const images = content.filter(({ type }) => type === "media").map(({ wire }) => wire);
  const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
  return images.length === 0 ? { content: text } : { content: text, images };
}

/** The content of a message in movable form. */
export function contentOfOllama(entry: Entry): readonly Content[] {
  if (entry.content !== undefined) return entry.content;
  const wire = entry.source?.mended;
  const { content, images }: Message = isRecord(wire) ? wire : {};
  const said = typeof content === "string" && content !== "" ? [textContent(content)] : [];
  if (!Array.isArray(images)) return said;
  return [...said, ...images.map((image: unknown): Content => ({ type: "media", wire: image }))];
}
