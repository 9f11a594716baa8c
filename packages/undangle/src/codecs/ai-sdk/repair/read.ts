import { isRecord } from "#core";
import type { AssistantEntry, Call, Entry, JsonObject, Part, ResultEntry, Source } from "#core";

import { newResult } from "../../new-entries.ts";
import { isResponse, liveResponses, refusals } from "./approvals.ts";
import { mendInput } from "./input.ts";
import { isClientCall, isTool, isType, partAt, partsOf, textOf } from "./message.ts";
import type { Context, Extra } from "./message.ts";
import { reportAbandoned } from "./server-calls.ts";

/** Reads a range of messages as entries: one per result, and one per message for everything else. */
export function readModelMessages(start: number, end: number, context: Context): Entry[] {
  const { list } = context;
  const entries: Entry[] = [];
  let owner: AssistantEntry | undefined; // the turn of directly following results
  for (let index = start; index < end;) {
    const message = list[index];
    if (isTool(message)) {
      let runEnd = index + 1;
      while (runEnd < end && isTool(list[runEnd])) runEnd++;
      for (const entry of readRun([index, runEnd], owner, context)) entries.push(entry);
      index = runEnd;
      owner = undefined;
      continue;
    }
    const read = readMessage(index++, context);
    const [first] = read;
    // A user message with only results counts as a tool message, so the turn may continue after it.
    if (first?.role !== "result") owner = first?.role === "assistant" ? first : undefined;
    else if (read.at(-1)?.role === "user") owner = undefined;
    for (const entry of read) entries.push(entry);
  }
  return entries;
}

/** The entries of a message other than a tool message. Results in it are moved out. */
function readMessage(index: number, context: Context): Entry[] {
  const wire = context.list[index];
  const source: Source = { index, wire, mended: wire, entries: 1, at: -1 };
  const role = isRecord(wire) ? wire["role"] : undefined;
  if (role !== "user" && role !== "assistant") return [{ role: "system", ...place(source), parts: undefined }];
  const content = partsOf(wire);
  if (content === undefined) return [plain(role, source, undefined)];
  const isMisplaced = (part: unknown): boolean =>
    isType(part, "tool-result") && (role === "user" || !context.requests().provider.has(textOf(part["toolCallId"])));
  const results: ResultEntry[] = [];
  const parts: Part[] = [];
  let isCut = false;
  content.forEach((part, at) => {
    if (isMisplaced(part)) results.push(misplaced(part as JsonObject, at, source, context));
    else if (role === "assistant" && isAbandoned(part, context)) {
      isCut = true;
      reportAbandoned(part, partAt(source, at), context);
    } else {
      const isCall = role === "assistant" && isClientCall(part);
      parts.push({ wire: part, place: at, call: isCall ? readCall(part, at, source, context) : undefined });
    }
  });
  if (parts.length === 0 && (isCut || results.length > 0)) return results;
  const entry = plain(role, source, parts);
  entry.fresh ||= isCut || results.length > 0;
  return role === "user" ? [...results, entry] : [entry, ...results];
}

const isAbandoned = (part: unknown, { requests }: Context): part is JsonObject =>
  isType(part, "tool-call") && part["providerExecuted"] === true && requests().abandoned.has(part);

function misplaced(part: JsonObject, at: number, source: Source, { journal }: Context): ResultEntry {
  const result = readResult(part, at, source);
  result.fresh = true;
  journal.report(
    {
      rule: "misplaced-block",
      from: `messages[${source.index}].content[${at}]`,
      message: "A tool result must be in a tool message.",
      callId: result.id,
    },
    { type: "move", entry: result },
  );
  return result;
}

/** The results of consecutive tool messages. Other parts are kept with their turn, or separately if there is none. */
function readRun(
  [start, end]: readonly [start: number, end: number],
  owner: AssistantEntry | undefined,
  context: Context,
): Entry[] {
  const { list } = context;
  const hasApprovals = list.slice(start, end).some((message) => partsOf(message)?.some(isResponse) === true);
  const callIds = new Set(owner?.calls.map(({ id }) => id).filter((id) => id !== ""));
  const live =
    owner === undefined || !hasApprovals ? noLive : liveResponses(list, [start, end], callIds, context.requests());
  const results: ResultEntry[] = [];
  const extras: Extra[] = [];
  const callOf = new Map([...live].map(([id, part]) => [part, id]));
  for (let index = start; index < end; index++) {
    const parts = partsOf(list[index]) ?? [];
    const source: Source = {
      index,
      wire: list[index],
      mended: list[index],
      entries: Math.max(1, parts.length),
      at: -1,
    };
    if (parts.length === 0) extras.push({ wire: undefined, source, place: -1 });
    parts.forEach((part, at) => {
      const liveId = callOf.get(part as JsonObject); // undefined for anything but a response
      if (liveId !== undefined) results.push(pendingResult(part as JsonObject, at, source, liveId));
      else if (isOwnResult(part, context)) results.push(readResult(part, at, source));
      else extras.push({ wire: part, source, place: at });
    });
  }
  if (owner === undefined) return [...results, ...looseExtras(extras, end === list.length, context)];
  if (extras.length > 0) {
    context.extras.set(owner, extras);
    const refused = hasApprovals
      ? refusals(
          extras.map(({ wire }) => wire),
          context.requests(),
        )
      : undefined;
    if (refused !== undefined) for (const call of owner.calls) call.rejection = refused.get(call.id);
  }
  return results;
}

const noLive: ReadonlyMap<string, JsonObject> = new Map();

/** True for the result of a tool that the application runs. Results of provider tools are not repaired. */
function isOwnResult(part: unknown, { requests }: Context): part is JsonObject {
  if (!isType(part, "tool-result")) return false;
  const id = textOf(part["toolCallId"]);
  return requests().client.has(id) || !requests().provider.has(id);
}

/** Parts beside results without a turn, per message. */
function looseExtras(extras: readonly Extra[], isLast: boolean, context: Context): Entry[] {
  const bySource = new Map<Source, Part[]>();
  for (const { wire, source, place: at } of extras) {
    if (isLast && isResponse(wire) && dropForeign(wire, at, source, context)) continue;
    const parts = bySource.get(source) ?? [];
    if (at >= 0) parts.push({ wire, place: at, call: undefined });
    bySource.set(source, parts);
  }
  return [...bySource].map(([source, parts]): Entry => {
    const isWhole = parts.length === (partsOf(source.wire)?.length ?? 0);
    return { role: "system", ...place(source), fresh: !isWhole, parts };
  });
}

/** Removes an approval response without a call, which the SDK would handle or fail on. */
export function dropForeign(
  wire: JsonObject,
  at: number,
  source: Source,
  { requests, journal }: Pick<Context, "requests" | "journal">,
): boolean {
  const { callIds, provider } = requests();
  const callId = callIds.get(textOf(wire["approvalId"]));
  if (callId !== undefined && provider.has(callId)) return false;
  journal.note(
    partAt(source, at),
    { rule: "orphan-result", message: "The approval response refers to no call of this turn.", callId },
    { type: "remove", lossless: wire["reason"] === undefined },
  );
  return true;
}

const place = (source: Source) => ({ source, at: -1, fresh: false, content: undefined });

function plain(role: "user" | "assistant", source: Source, parts: readonly Part[] | undefined): Entry {
  if (role === "user") return { role, ...place(source), parts };
  const calls = (parts ?? []).flatMap(({ call }) => call ?? []);
  return { role, ...place(source), parts, calls, fresh: calls.some((call) => call.fresh) };
}

function readResult(wire: JsonObject, at: number, source: Source): ResultEntry {
  const output = wire["output"];
  const type = isRecord(output) ? textOf(output["type"]) : "";
  const id = textOf(wire["toolCallId"]);
  return newResult({
    source,
    id,
    name: textOf(wire["toolName"]),
    error: type.startsWith("error") || type === "execution-denied",
    place: at,
    wire,
  });
}

/** An approval response that the SDK will handle, in place of the pending result. */
function pendingResult(wire: JsonObject, at: number, source: Source, id: string): ResultEntry {
  return { ...readResult(wire, at, source), id, pending: true };
}

function readCall(wire: JsonObject, at: number, source: Source, { journal }: Context): Call {
  const given = wire["input"] ?? wire["args"]; // the name in version 4
  const mended = mendInput(given);
  const input = mended === undefined ? given : mended.value;
  const id = textOf(wire["toolCallId"]);
  if (input !== wire["input"]) {
    const message = mended?.message ?? "The key of the input is args, not input.";
    journal.note(partAt(source, at, ".input"), { rule: "arguments-type", message, callId: id }, { type: "rewrite" });
  }
  return {
    id,
    name: textOf(wire["toolName"]),
    arguments: input,
    raw: mended?.raw,
    damage: "unknown",
    place: at,
    slot: at,
    wire,
    fresh: input !== wire["input"],
    result: undefined,
  };
}
