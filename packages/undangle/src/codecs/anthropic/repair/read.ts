import { isRecord, wordOf } from "#core";
import type { Call, Entry, JsonObject, Part, ResultEntry, Source } from "#core";

import { mendBlock } from "../blocks.ts";
import { blockAt } from "./context.ts";
import type { Context } from "./context.ts";
import { mendMessage } from "./messages.ts";
import { dropNothing } from "../../plain-list.ts";
import { readId, readInput } from "../../read-input.ts";
import { entryOfParts, newResult } from "../../new-entries.ts";
import { isServerPart } from "./server-tools.ts";
import { isBlank } from "./turns.ts";

/**
 * Reads a range of messages as entries that the API accepts: one per result, and one per message for everything else.
 * Undefined if part of a history contains entries that depend on the whole history.
 */
export function readAnthropic(
  list: readonly unknown[],
  start: number,
  end: number,
  context: Context,
): Entry[] | undefined {
  const entries: Entry[] = [];
  for (let index = start; index < end; index++) {
    for (const entry of readMessage(list, index, context)) entries.push(entry);
  }
  const isWhole = end - start === list.length;
  if (!isWhole && (context.skipped.length > 0 || entries.some(concernsAll))) return undefined;
  return entries;
}

/** System messages, server tools and empty turns depend on the turns around them. */
const concernsAll = ({ role, parts }: Entry): boolean =>
  role === "system" || (parts !== undefined && (parts.every(isBlank) || parts.some(isServerPart)));

function readMessage(list: readonly unknown[], index: number, context: Context): Entry[] {
  const wire = list[index];
  const source: Source = { index, wire, mended: wire, entries: 1, at: -1 };
  if (dropNothing(source, "unknown-role", context.journal)) return [];
  const message = mendMessage(source, context);
  if (message === undefined) return [entryOfParts("system", source, undefined)];
  source.mended = message;
  if (isEmptyUser(message) && (isUser(list[index - 1]) || isUser(list[index + 1]))) {
    context.skipped.push(source);
    return [];
  }
  const entries = readBlocks(message, source, context);
  source.entries = entries.length;
  return entries;
}

const isUser = (wire: unknown): boolean => isRecord(wire) && wire["role"] === "user" && !isEmptyUser(wire);

function isEmptyUser({ role, content }: JsonObject): boolean {
  return role === "user" && (content === "" || (Array.isArray(content) && content.length === 0));
}

function readBlocks(message: JsonObject, source: Source, context: Context): Entry[] {
  const role = message["role"] as "user" | "assistant" | "system"; // checked by mendMessage
  const { content } = message;
  const blocks: readonly unknown[] = Array.isArray(content)
    ? content
    : content === "" || content === undefined
      ? []
      : [{ type: "text", text: content }];
  let changed = message !== source.wire;
  const parts = blocks.flatMap((block, place): Part[] => {
    const mended = mendBlock(block, place, source, context);
    changed ||= mended !== block;
    if (mended === undefined) return [];
    const isCall = isRecord(mended) && mended["type"] === "tool_use";
    return [{ wire: mended, place, call: isCall ? readCall(mended, place, source, context) : undefined }];
  });
  if (parts.length === 0 && blocks.length > 0) return []; // no valid block remains
  const entries =
    role === "system" ? [entryOfParts("system", source, parts)] : splitByRole(parts, role, source, context);
  const fresh = changed || entries.some((entry) => entry.role !== role && entry.role !== "result");
  for (const entry of entries) entry.fresh ||= fresh;
  return entries;
}

/** Splits blocks by role: results belong to the user, calls to the assistant. */
function splitByRole(parts: readonly Part[], role: "user" | "assistant", source: Source, context: Context): Entry[] {
  const entries: Entry[] = [];
  let run: Part[] = [];
  let runRole = role;
  const close = (): void => {
    if (run.length > 0) entries.push(entryOfParts(runRole, source, run));
    run = [];
  };
  for (const part of parts) {
    const type = isRecord(part.wire) ? part.wire["type"] : undefined;
    if (type === "tool_result") {
      close();
      if (role !== "user") misplaced(part, "A tool_result block must be in a user message.", source, context);
      entries.push(readResult(part, source, role !== "user", context));
      continue;
    }
    const belongs = isAssistants(type) ? "assistant" : role;
    if (belongs !== runRole) close();
    if (belongs !== role) misplaced(part, `A ${wordOf(type)} block must be in an assistant message.`, source, context);
    runRole = belongs;
    run.push(part);
  }
  close();
  return entries.length > 0 ? entries : [entryOfParts(role, source, [])];
}

/** True for calls, and for blocks of server tools. */
function isAssistants(type: unknown): type is string {
  return (
    type === "tool_use" || type === "server_tool_use" || (typeof type === "string" && type.endsWith("_tool_result"))
  );
}

function misplaced(part: Part, message: string, source: Source, { journal }: Context): void {
  journal.note(blockAt(source, part.place), { rule: "misplaced-block", message }, { type: "move" });
}

function readResult({ wire, place }: Part, source: Source, fresh: boolean, { names }: Context): ResultEntry {
  const block: JsonObject = isRecord(wire) ? wire : {};
  const given = block["tool_use_id"];
  const id = readId(given);
  return newResult({
    source,
    fresh: fresh || id !== (given ?? ""),
    id,
    name: names.get(source)?.[place] ?? "",
    error: block["is_error"] === true,
    place,
    wire,
  });
}

function readCall(block: JsonObject, place: number, source: Source, context: Context): Call {
  const { value, raw } = readInput(block["input"], blockAt(source, place, ".input"), context.journal);
  const id = readId(block["id"]);
  return {
    id,
    name: typeof block["name"] === "string" ? block["name"] : "",
    arguments: value,
    raw,
    damage: "unknown",
    place,
    slot: place,
    wire: block,
    fresh: value !== block["input"] || id !== (block["id"] ?? ""),
    result: undefined,
  };
}
