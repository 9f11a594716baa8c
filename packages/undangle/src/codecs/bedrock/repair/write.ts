import { isRecord } from "#core";
import type { Call, Content, Entry, JsonObject, ResultEntry, Source } from "#core";

import { writePart } from "../../new-entries.ts";
import { keepEntry } from "../../whole-message.ts";
import { bodyOf } from "./block.ts";
import { eachRun, sideOf } from "./turns.ts";

/** Appends the messages of the entries to a list, one per turn. A message without edits keeps its original object. */
export function writeBedrock(entries: readonly Entry[], list: unknown[]): void {
  eachRun(entries, (run) => {
    const [first] = run;
    if (first === undefined || first.role === "span") return;
    list.push(isWhole(run) ? keep(run, list.length) : compose(run, list.length));
  });
}

/** True if the entries are exactly their original message. */
function isWhole(run: readonly Entry[]): boolean {
  const source = run[0]?.source;
  if (source === undefined || run.length !== source.entries) return false;
  return run.every(
    (entry) =>
      entry.source === source &&
      !entry.fresh &&
      entry.content === undefined &&
      !(entry.role === "result" && entry.regrouped),
  );
}

function keep(run: readonly Entry[], at: number): unknown {
  for (const entry of run) keepEntry(entry, at);
  return run[0]?.source?.wire;
}

/** A message under construction, from entries that cannot be written as they were read. */
interface Draft {
  readonly at: number;
  readonly blocks: unknown[];
}

function compose(run: readonly Entry[], at: number): unknown {
  const draft: Draft = { at, blocks: [] };
  for (const entry of run) append(draft, entry);
  const [first] = run;
  const read = new Set(run.map(({ source }) => source?.mended).filter(isRecord));
  const base: Record<string, unknown> = {};
  for (const wire of [...read].toReversed()) Object.assign(base, wire);
  const only = run.every(({ source }) => source === first?.source) ? first?.source?.wire : undefined;
  if (isRecord(only) && isSame(only["content"], draft.blocks) && only["role"] === sideOf(first)) return only;
  return { ...base, role: sideOf(first), content: draft.blocks };
}

const isSame = (content: unknown, blocks: readonly unknown[]): boolean =>
  Array.isArray(content) && content.length === blocks.length && content.every((block, i) => block === blocks[i]);

function append(draft: Draft, entry: Entry): void {
  const { blocks, at } = draft;
  entry.at = at;
  if (entry.source !== undefined) entry.source.at = at;
  if (entry.role === "result") {
    entry.slot = blocks.length;
    note(entry.source, entry.place, draft);
    blocks.push(writeResult(entry));
  }
  if (entry.role !== "result" && entry.content !== undefined)
    for (const block of writeContent(entry.content)) blocks.push(block);
  else appendParts(draft, entry);
  if (entry.role === "assistant" && entry.parts === undefined) {
    for (const call of entry.calls) blocks.push(writeCall(call, blocks.length));
  }
}

function appendParts(draft: Draft, entry: Entry): void {
  const live = entry.role === "assistant" ? new Set(entry.calls) : undefined;
  for (const part of entry.parts ?? []) {
    if (part.call !== undefined && live?.has(part.call) !== true) continue;
    note(part.source ?? entry.source, part.place, draft);
    draft.blocks.push(writePart(part, draft.blocks.length, writeCall));
  }
}

/** Records the new position of a part: the next slot of the message. */
function note(source: Source | undefined, place: number, { at, blocks }: Draft): void {
  if (source === undefined) return;
  if (source.at < 0) source.at = at; // the rest of its message may have been removed
  source.slots ??= new Map();
  source.slots.set(place, `messages[${at}].content[${blocks.length}]`);
}

function writeCall(call: Call, slot: number): JsonObject {
  call.slot = slot;
  const wire: JsonObject = isRecord(call.wire) ? call.wire : {};
  const use = bodyOf(wire, "toolUse");
  return { ...wire, toolUse: { ...use, toolUseId: call.id, name: call.name, input: call.arguments } };
}

function writeResult({ wire, id, content, fresh, error }: ResultEntry): unknown {
  if (!isRecord(wire)) {
    const said = writeContent(content ?? []);
    return { toolResult: { toolUseId: id, content: said, ...(error ? { status: "error" } : {}) } };
  }
  if (!fresh && content === undefined) return wire;
  const result = bodyOf(wire, "toolResult");
  const said = content === undefined ? {} : { content: writeContent(content) };
  if (result["toolUseId"] === id && content === undefined) return wire;
  return { ...wire, toolResult: { ...result, toolUseId: id, ...said } };
}

const writeContent = (content: readonly Content[]): unknown[] =>
  content.map((part) => (part.type === "text" ? (part.wire ?? { text: part.text }) : part.wire));
