import type { Call, Entry, Part, ResultEntry, Source } from "#core";

import { readId, readInput } from "../../read-input.ts";
import { bodyOf, isCall, isMarker, isResult } from "./block.ts";
import { mendBlock } from "./blocks.ts";
import type { Context } from "./context.ts";
import { dropNothing } from "../../plain-list.ts";
import { entryOfParts, newResult } from "../../new-entries.ts";
import { mendMessage } from "./messages.ts";
import type { Message } from "./messages.ts";
import { blockAt, originOf } from "./origin.ts";
import { readSystem } from "./system.ts";

/**
 * Reads a range of messages as entries that the API accepts: one per result, and one per message for everything else.
 * Undefined if part of a history contains entries that depend on the messages around them.
 */
export function readBedrock(
  list: readonly unknown[],
  start: number,
  end: number,
  context: Context,
): Entry[] | undefined {
  const entries: Entry[] = [];
  for (let index = start; index < end; index++) {
    for (const entry of readMessage(list[index], index, context)) entries.push(entry);
  }
  if (end - start !== list.length && concernsOthers(entries, [start, end], context)) return undefined;
  return entries;
}

/** False if the messages begin with the assistant and end with the user, where others are around them. */
function concernsOthers(
  entries: readonly Entry[],
  [start, end]: readonly [start: number, end: number],
  { emptied, hoisted, roles, list }: Context,
): boolean {
  const begins = start === 0 || (roles.get(start) === "assistant" && entries[0]?.role === "assistant");
  const ends = end === list.length || (roles.get(end - 1) === "user" && entries.at(-1)?.role !== "assistant");
  return !begins || !ends || emptied.length + hoisted.length > 0 || entries.some(({ role }) => role === "system");
}

function readMessage(wire: unknown, index: number, context: Context): readonly Entry[] {
  const source: Source = { index, wire, mended: wire, entries: 1, at: -1 };
  if (dropNothing(source, "unknown-role", context.journal)) return [];
  const message = mendMessage(source, context);
  if (message === undefined) return [entryOfParts("system", source, undefined)]; // its meaning is unclear, so it stays
  source.mended = message.wire;
  const { role, blocks } = message;
  context.roles.set(index, role);
  if (role === "system") return readSystem(source, blocks, context);
  const parts = readParts(message, source, context);
  if (parts.length === 0 || (parts.length < blocks.length && parts.every(isMarker))) {
    context.emptied.push({ source, role, cameEmpty: blocks.length === 0, markers: parts });
    return [];
  }
  const entries = splitByRole(inReadingOrder(parts, role, context), role, source, context);
  const isFresh =
    message.wire !== wire ||
    parts.length < blocks.length ||
    parts.some(({ wire: part, place }) => part !== blocks[place]);
  const isSplit = entries.some((entry) => entry.role !== role && entry.role !== "result");
  for (const entry of entries) entry.fresh ||= isFresh || isSplit;
  source.entries = entries.length;
  return entries;
}

function readParts({ blocks }: Message, source: Source, context: Context): Part[] {
  return blocks.flatMap((block, place): Part[] => {
    const mended = mendBlock(block, place, source, context);
    if (mended === undefined) return [];
    return [{ wire: mended, place, call: isCall(mended) ? readCall(mended, place, source, context) : undefined }];
  });
}

/**
 * Only Claude requires results first. For other models, or with only a marker before them, the results of a message are
 * read first regardless of position.
 */
function inReadingOrder(parts: readonly Part[], role: "user" | "assistant", { model }: Context): readonly Part[] {
  if (role !== "user" || parts.some(({ call }) => call !== undefined)) return parts;
  const last = parts.findLastIndex(({ wire }) => isResult(wire, role));
  const isSaid = (part: Part): boolean => !isMarker(part) && !isResult(part.wire, role);
  if (last < 0 || (model.isClaude && parts.slice(0, last).some(isSaid))) return parts;
  const ofResults: Part[] = [];
  const others: Part[] = [];
  let isBehindResult = false; // a marker belongs to the block before it
  for (const part of parts) {
    if (!isMarker(part)) isBehindResult = isResult(part.wire, role);
    (isBehindResult ? ofResults : others).push(part);
  }
  return [...ofResults, ...others];
}

/** Splits blocks by role: results belong to the user, calls to the assistant. */
function splitByRole(parts: readonly Part[], role: "user" | "assistant", source: Source, context: Context): Entry[] {
  const entries: Entry[] = [];
  let run: Part[] = [];
  let runRole = role;
  let markers: Part[] | undefined; // the markers of the last result
  const close = (): void => {
    if (run.length > 0) entries.push(entryOfParts(runRole, source, run));
    run = [];
  };
  for (const part of parts) {
    const last = run.length === 0 ? entries.at(-1) : undefined;
    if (last?.role === "result" && isMarker(part)) {
      if (markers === undefined) last.parts = markers = [];
      markers.push(part);
      continue;
    }
    if (isResult(part.wire, role)) {
      markers = undefined;
      close();
      const result = readResult(part, source, role !== "user", context);
      if (role !== "user") misplaced(result, "A toolResult block must be in a user message.", source, context);
      entries.push(result);
      continue;
    }
    const belongs = part.call === undefined ? role : "assistant";
    if (belongs !== runRole) close();
    if (part.call !== undefined && role !== "assistant")
      misplaced(part.call, "A toolUse block must be in an assistant message.", source, context);
    runRole = belongs;
    run.push(part);
  }
  close();
  return entries;
}

/** Reports a block in a message of the wrong role. Its move is reported once it is known to be kept. */
function misplaced(block: Call | ResultEntry, message: string, source: Source, context: Context): void {
  const { journal, misplaced: found } = context;
  const from = `messages[${source.index}]${originOf(source.wire, block.place)}`;
  const finding = { rule: "misplaced-block" as const, from, message };
  journal.report(finding, "left");
  found.push({ finding, source, block });
}

function readResult({ wire, place }: Part, source: Source, fresh: boolean, { names }: Context): ResultEntry {
  const { toolUseId: given, status } = bodyOf(wire, "toolResult");
  const id = readId(given);
  return newResult({
    source,
    fresh: fresh || id !== (given ?? ""),
    id,
    name: names.get(source)?.[place] ?? "",
    error: status === "error",
    place,
    wire,
  });
}

function readCall(block: unknown, place: number, source: Source, context: Context): Call {
  const use = bodyOf(block, "toolUse");
  const { value, raw } = readInput(use["input"], blockAt(source, place, ".toolUse.input"), context.journal);
  const id = readId(use["toolUseId"]);
  return {
    id,
    name: typeof use["name"] === "string" ? use["name"] : "",
    arguments: value,
    raw,
    damage: "unknown",
    place,
    slot: place,
    wire: block,
    fresh: value !== use["input"] || id !== (use["toolUseId"] ?? ""),
    result: undefined,
  };
}
