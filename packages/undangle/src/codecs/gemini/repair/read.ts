import { isRecord, staysText } from "#core";
import type { Call, Entry, Part, ResultEntry, Source } from "#core";

import { dropNothing } from "../../plain-list.ts";
import { newResult } from "../../new-entries.ts";
import { mendContent } from "./contents.ts";
import type { Role } from "./contents.ts";
import { partAt } from "./context.ts";
import type { Context } from "./context.ts";
import { callKey, insideOf, isCall, isFailure, isResponse, responseKey } from "../part.ts";
import { isModel } from "./healthy-unit.ts";
import { mendPart } from "./parts.ts";

/**
 * Reads a range of contents as entries that the API accepts: one per response, and one per content for everything else.
 * Undefined if part of a history contains entries that depend on the whole history.
 */
export function readGemini(
  list: readonly unknown[],
  start: number,
  end: number,
  context: Context,
): Entry[] | undefined {
  const isWhole = end - start === list.length;
  const entries: Entry[] = [];
  for (let index = start; index < end; index++) {
    const read = readContent(list, index, context);
    // Removed contents, changed roles and system text depend on the turns around them.
    const isMoved = read.some(({ role }) => role === "assistant") !== isModel(list[index]);
    if (!isWhole && (read.length === 0 || isMoved || read.some(({ role }) => role === "system"))) return undefined;
    for (const entry of read) entries.push(entry);
  }
  return entries;
}

function readContent(list: readonly unknown[], index: number, context: Context): Entry[] {
  const wire = list[index];
  const source: Source = { index, wire, mended: wire, entries: 1, at: -1 };
  if (dropNothing(source, "unknown-role", context.journal)) return [];
  const content = mendContent(source, list, context);
  if (content === "gone") return [];
  if (content === undefined) return [plain("system", source, undefined)];
  source.mended = content.wire;
  let changed = content.wire !== wire;
  const parts = content.parts.flatMap((part, place): Part[] => {
    const mended = mendPart(part, place, source, context);
    changed ||= mended.length !== 1 || mended[0] !== part;
    return mended.map((one) => ({
      wire: one,
      place,
      call: isCall(one) ? readCall(one, part, place, context) : undefined,
    }));
  });
  if (parts.length === 0) {
    const finding = { rule: "empty-message" as const, message: "No valid part of the content is left." };
    context.journal.note({ source, suffix: "" }, finding, { type: "remove" });
    return [];
  }
  const entries = split(parts, content.role, source, context);
  source.entries = entries.length;
  for (const entry of entries) entry.fresh ||= changed;
  return entries;
}

function split(parts: readonly Part[], role: Role, source: Source, context: Context): Entry[] {
  if (role === "system") return [plain("system", source, parts)];
  const isMisplaced = parts.some(({ wire }) => (role === "model" ? isResponse(wire) : isCall(wire)));
  if (isMisplaced) return splitByRole(parts, role, source, context);
  if (role === "model") return [plain("assistant", source, parts)];
  return responsesFirst(parts, source, context);
}

/** Responses first, then the parts beside them: the API accepts text before them too. */
function responsesFirst(parts: readonly Part[], source: Source, context: Context): Entry[] {
  const rest = parts.filter(({ wire }) => !isResponse(wire));
  const entries: Entry[] = parts
    .filter(({ wire }) => isResponse(wire))
    .map((part) => readResult(part, source, context));
  if (rest.length === 0) return entries;
  const isMixed = entries.length > 0 && reportMixed(parts, source, context);
  entries.push(plain("user", source, rest));
  for (const entry of entries) entry.fresh ||= isMixed;
  return entries;
}

/** True if text follows responses and the model refuses that. */
function reportMixed(parts: readonly Part[], source: Source, context: Context): boolean {
  const { model, journal } = context;
  if (!model.refusesMixedTurns) return false;
  const first = parts.findIndex(({ wire }) => isResponse(wire));
  const late = parts.slice(first).filter(({ wire }) => isRecord(wire) && typeof wire["text"] === "string");
  const message = "Text follows the function responses of its turn.";
  for (const { place } of late) {
    journal.note(partAt(source, place, context), { rule: "text-with-call", message }, { type: "move" });
  }
  return late.length > 0;
}

/** Splits parts by role: responses belong to the user, calls to the model. */
function splitByRole(parts: readonly Part[], role: "user" | "model", source: Source, context: Context): Entry[] {
  const entries: Entry[] = [];
  const own = role === "model" ? "assistant" : "user";
  let run: Part[] = [];
  let runRole: "assistant" | "user" = own;
  const close = (): void => {
    if (run.length > 0) entries.push(plain(runRole, source, run));
    run = [];
  };
  for (const part of parts) {
    if (isResponse(part.wire)) {
      close();
      if (role === "model") misplaced(part, "A function response must not be in a model turn.", source, context);
      entries.push(readResult(part, source, context));
      continue;
    }
    const belongs = part.call === undefined ? own : "assistant";
    if (belongs !== runRole) close();
    if (belongs !== own) misplaced(part, "A function call must be in a model turn.", source, context);
    runRole = belongs;
    run.push(part);
  }
  close();
  for (const entry of entries) entry.fresh = true;
  return entries;
}

function misplaced({ place }: Part, message: string, source: Source, context: Context): void {
  context.journal.note(partAt(source, place, context), { rule: "misplaced-block", message }, { type: "move" });
}

function plain(role: "system" | "user" | "assistant", source: Source, parts: readonly Part[] | undefined): Entry {
  const place = { source, at: -1, fresh: false, content: undefined, parts };
  return role === "assistant"
    ? { role, ...place, calls: (parts ?? []).flatMap(({ call }) => call ?? []) }
    : { role, ...place };
}

function readResult({ wire, place }: Part, source: Source, { spelling }: Context): ResultEntry {
  const inside = insideOf(wire, responseKey(wire, spelling()));
  const { response } = inside;
  return newResult({
    source,
    id: readId(inside["id"]),
    name: readText(inside["name"]),
    error: isFailure(response),
    place,
    wire,
  });
}

function readCall(part: unknown, given: unknown, place: number, { spelling }: Context): Call {
  const key = callKey(part, spelling());
  const inside = insideOf(part, key);
  const args = insideOf(given, key)["args"];
  return {
    id: readId(inside["id"]),
    name: readText(inside["name"]),
    arguments: inside["args"] ?? {},
    raw: typeof args === "string" && staysText(args) ? args : undefined,
    damage: "unknown",
    place,
    slot: place,
    wire: part,
    fresh: false,
    result: undefined,
  };
}

/** "" if it is missing or not text. A blank id counts as an id. */
const readId = (given: unknown): string => (typeof given === "string" ? given : "");

/** "" if it is missing, blank or not text. */
const readText = (given: unknown): string => (typeof given === "string" && given.trim() !== "" ? given : "");
