import { isRecord } from "#core";
import type { Call, Entry, JsonObject, Source } from "#core";

import { writePart } from "../../new-entries.ts";
import { keepEntry, wholeMessage } from "../../whole-message.ts";
import type { Context } from "./context.ts";
import { callKey, insideOf, isSigned, signatureKey } from "../part.ts";
import { writeResult } from "./result-content.ts";

/** Google's sentinel for a missing thought signature. */
const sentinel = "skip_thought_signature_validator";

/** A content under construction, from entries that cannot be written as they were read. */
interface Open {
  readonly role: Entry["role"];
  readonly parts: unknown[];
  readonly at: number;
}

/** Appends the contents of the entries to a list. A content without edits keeps its original object. */
export function writeGemini(entries: readonly Entry[], list: unknown[], context: Context): void {
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
    if (open === undefined || !joins(open, entry, context)) {
      open = { role: entry.role, parts: [], at: list.length };
      const home = homeOf(entries, i);
      list.push({ ...baseOf(home), role: roleOf(home), parts: open.parts });
    }
    append(open, entry, context);
    i++;
  }
}

/** Responses of one block form one content, without other parts. */
const joins = (open: Open, entry: Entry, { joined }: Context): boolean =>
  entry.role === "result" ? open.role === "result" : joined.has(entry);

/** The entry that provides the other keys of a content. For responses, the first that was in the input. */
function homeOf(entries: readonly Entry[], start: number): Entry | undefined {
  if (entries[start]?.role !== "result") return entries[start];
  for (let i = start; entries[i]?.role === "result"; i++) if (entries[i]?.source !== undefined) return entries[i];
  return entries[start];
}

const baseOf = (entry: Entry | undefined): JsonObject => (isRecord(entry?.source?.mended) ? entry.source.mended : {});

/** Responses may be in a content with a role other than user. */
function roleOf(entry: Entry | undefined): unknown {
  const { role } = baseOf(entry);
  if (entry?.role === "assistant") return "model";
  if (entry?.role === "system") return role;
  return entry?.role === "result" && (role === "function" || role === "tool") ? role : "user";
}

function append(open: Open, entry: Entry, context: Context): void {
  entry.at = open.at;
  if (entry.source !== undefined) entry.source.at = open.at;
  if (entry.role === "result") {
    entry.slot = open.parts.length;
    note(entry.source, entry.place, open);
    open.parts.push(writeResult(entry, context));
    return;
  }
  if (entry.content !== undefined) {
    for (const part of entry.content) {
      open.parts.push(part.type === "text" ? (part.wire ?? { text: part.text }) : part.wire);
    }
  }
  const live = entry.role === "assistant" ? new Set(entry.calls) : undefined;
  for (const part of entry.content === undefined ? (entry.parts ?? []) : []) {
    if (part.call !== undefined && live?.has(part.call) !== true) continue;
    note(part.source ?? entry.source, part.place, open);
    open.parts.push(writePart(part, open.parts.length, (call, slot) => writeCall(call, slot, context)));
  }
  if (entry.role !== "assistant" || entry.parts !== undefined) return;
  for (const call of entry.calls) open.parts.push(writeCall(call, open.parts.length, context));
}

/** Records the new position of a part: the next slot of the open content. */
function note(source: Source | undefined, place: number, { at, parts }: Open): void {
  if (source === undefined) return;
  source.slots ??= new Map();
  source.slots.set(place, `contents[${at}].parts[${parts.length}]`);
}

function writeCall(call: Call, slot: number, { spelling, unsigned }: Context): JsonObject {
  call.slot = slot;
  const { wire, id, name } = call;
  const key = callKey(wire, spelling());
  const inside = insideOf(wire, key);
  const isBare = isRecord(wire) && (inside["args"] === undefined || inside["args"] === null);
  const args = isBare ? {} : { args: call.arguments };
  const part = { ...(isRecord(wire) ? wire : {}), [key]: { ...inside, ...(id === "" ? {} : { id }), name, ...args } };
  return unsigned.has(call) && !isSigned(wire) ? { ...part, [signatureKey(wire, spelling())]: sentinel } : part;
}
