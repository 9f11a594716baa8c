import { isRecord, textContent } from "#core";
import type { AssistantEntry, Content, Entry, ResultEntry, Source, SpanEntry, UserEntry } from "#core";

import { keepEntry } from "../../whole-message.ts";
import type { Context } from "./context.ts";
import { openEnvelope } from "../envelope.ts";
import type { Envelope, Fields } from "../envelope.ts";
import { rewrite } from "./mould.ts";
import type { Mould } from "./mould.ts";
import { writeCalls } from "./write-calls.ts";

/** Appends the messages of the entries to a list. An entry without edits keeps its original object. */
export function writeLangchain(entries: readonly Entry[], list: unknown[], context: Context): void {
  const before = list.length;
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i];
    if (entry === undefined || entry.role === "span") continue;
    const whole = entry.source === undefined ? 0 : wholeMessage(entries, i, entry.source);
    if (whole > 0) {
      for (const each of entries.slice(i, i + whole)) keepEntry(each, list.length);
      list.push(entry.source?.wire);
      i += whole - 1;
      continue;
    }
    keepEntry(entry, list.length);
    const by = near(entries, i, context) ?? lastEnvelope(list, before) ?? firstEnvelope(context.list);
    list.push(writeEntry(entry, by, context));
  }
}

/** The number of entries from an index that form one unchanged message. 0 if it changed. */
function wholeMessage(entries: readonly Entry[], start: number, source: Source): number {
  if (source.entries === 0) return 0;
  for (let i = 0; i < source.entries; i++) {
    const entry = entries[start + i];
    if (entry?.source !== source || entry.fresh) return 0;
    if (i > 0 && placeOf(entry) <= placeOf(entries[start + i - 1])) return 0;
  }
  return source.entries;
}

const placeOf = (entry: Entry | undefined): number => (entry?.role === "result" ? entry.place : Infinity);

/** The existing message next to a new one: that of its call, of its result, or an earlier one. */
function near(entries: readonly Entry[], at: number, { envelopes }: Context): Envelope | undefined {
  const of = (entry: Entry | undefined): Envelope | undefined =>
    entry?.source === undefined ? undefined : envelopes.get(entry.source);
  const own = of(entries[at]);
  if (own !== undefined) return own;
  if (entries[at]?.role === "assistant") return of(entries[at + 1]);
  const isResult = entries[at]?.role === "result";
  for (let i = at - 1; i >= 0; i--) {
    const found = isResult && entries[i]?.role !== "assistant" ? undefined : of(entries[i]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The last of the messages before the entries, which were not read. */
function lastEnvelope(list: readonly unknown[], before: number): Envelope | undefined {
  for (let i = before - 1; i >= 0; i--) {
    const found = openEnvelope(list[i]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function firstEnvelope(list: readonly unknown[]): Envelope | undefined {
  for (const message of list) {
    const found = openEnvelope(message);
    if (found !== undefined) return found;
  }
  return undefined;
}

function writeEntry(entry: Exclude<Entry, SpanEntry>, by: Envelope | undefined, context: Context): unknown {
  if (entry.role === "assistant") return writeAssistant(entry, by, context);
  if (entry.role === "result") return writeResult(entry, by, context);
  const { source, content } = entry;
  if (source !== undefined && by !== undefined) return writeUser(entry, by);
  const said = writeContent(content ?? []);
  const id = context.mould.mintId(`quote\u0000${JSON.stringify(said)}`);
  return note(entry, context.mould.make("human", { content: said, id }, by), context);
}

/** The rest of a human message whose results were moved. */
function writeUser({ parts, source }: UserEntry | Exclude<Entry, AssistantEntry | ResultEntry>, by: Envelope): unknown {
  return parts === undefined ? source?.wire : rewrite(by, { content: parts.map(({ wire }) => wire) });
}

function writeAssistant(entry: AssistantEntry, by: Envelope | undefined, context: Context): unknown {
  if (entry.source !== undefined && by !== undefined) return writeCalls(entry, entry.source, by, context);
  const calls = entry.calls.map((call, slot) => {
    call.slot = slot;
    return { name: call.name, args: call.arguments, id: call.id, type: "tool_call" };
  });
  const id = context.mould.mintId(`call\u0000${entry.calls.map((call) => call.id).join("\u0000")}`);
  const fields = { content: writeContent(entry.content ?? []), tool_calls: calls, id };
  return note(entry, context.mould.make("ai", fields, by), context);
}

function writeResult(entry: ResultEntry, by: Envelope | undefined, context: Context): unknown {
  const { id, name, content, source, wire } = entry;
  const said = content === undefined ? {} : { content: writeContent(content) };
  if (source !== undefined && wire === undefined && by !== undefined) {
    if (!entry.fresh) return source.wire;
    return rewrite(by, { ...said, tool_call_id: id });
  }
  entry.slot = -1;
  const block: Fields = isRecord(wire) ? wire : {};
  const fields = {
    content: said.content ?? block["content"] ?? "",
    tool_call_id: id,
    ...(name === "" ? {} : { name }),
    ...(entry.error ? { status: "error" } : {}),
    id: mintResultId(id, by, context.mould),
  };
  return note(entry, context.mould.make("tool", fields, by), context);
}

/** The fields of a notice, with an id that differs from those of other calls with the same id. */
export function noticeFields(
  { id, name, text }: { readonly id: string; readonly name: string; readonly text: string },
  by: Envelope | undefined,
  mould: Mould,
): Fields {
  return { content: text, tool_call_id: id, name, status: "error", id: mintResultId(id, by, mould) };
}

function mintResultId(callId: string, by: Envelope | undefined, mould: Mould): string {
  const id = by?.fields["id"];
  return mould.mintId(`result\u0000${callId}\u0000${typeof id === "string" ? id : ""}`);
}

function note(
  entry: Entry,
  { wire, prefix }: { readonly wire: unknown; readonly prefix: Envelope["prefix"] },
  { prefixes }: Context,
): unknown {
  prefixes.set(entry, prefix);
  return wire;
}

/** A string if there is only text, otherwise a list of blocks. */
function writeContent(content: readonly Content[]): unknown {
  if (content.every((part) => part.type === "text" && part.wire === undefined)) {
    return content.map((part) => (part.type === "text" ? part.text : "")).join("\n\n");
  }
  return content.map((part) => (part.type === "text" ? (part.wire ?? { type: "text", text: part.text }) : part.wire));
}

/** The content of a result, for comparison, merging or quotation. */
export function contentOfResult(entry: ResultEntry, { envelopes }: Pick<Context, "envelopes">): readonly Content[] {
  if (entry.content !== undefined) return entry.content;
  const block = entry.wire;
  const fields = isRecord(block) ? block : entry.source && envelopes.get(entry.source)?.fields;
  const content = fields?.["content"];
  if (typeof content === "string") return content === "" ? [] : [textContent(content)];
  if (content === undefined || content === null) return [];
  if (!Array.isArray(content)) return [textContent(JSON.stringify(content) ?? "")];
  return content.map((part: unknown): Content => {
    if (typeof part === "string") return { type: "text", text: part, wire: { type: "text", text: part } };
    if (!isRecord(part) || part["type"] !== "text" || typeof part["text"] !== "string")
      return { type: "media", wire: part };
    return { type: "text", text: part["text"], wire: part };
  });
}
