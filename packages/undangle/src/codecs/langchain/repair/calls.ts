import { isRecord, parseJson, staysText, wrapRaw } from "#core";
import type { Call, JsonObject, Source, Spot } from "#core";

import { callsIn, unwrapOne } from "../../unwrap.ts";
import type { Context, SeatList, Seats } from "./context.ts";
import type { Envelope } from "../envelope.ts";
import { findCalls, isId } from "./find-calls.ts";
import type { Found } from "./find-calls.ts";
import { isCopy, isForwarded } from "./forwarded.ts";
import { isStandard, isStandardCall, listIn } from "./places.ts";
import type { Shown } from "./places.ts";

/** The calls of an AI message. */
export interface ReadCalls {
  readonly calls: readonly Call[];
  /** True if they cannot be written as they were read. */
  readonly fresh: boolean;
}

const none: ReadCalls = { calls: [], fresh: false };

/**
 * Reads every call of an AI message once: `tool_calls`, invalid calls, and calls that are only in the content or in the
 * provider fields. All but the last kind belong in `tool_calls`. Otherwise some providers never receive them, and
 * refuse their results.
 */
export function readCalls(given: Envelope, source: Source, context: Context): ReadCalls {
  const envelope = unwrapCalls(given, source, context);
  const found = findCalls(envelope.fields);
  if (found.length === 0) return none;
  let fresh = envelope !== given;
  const calls: Call[] = [];
  for (const one of found) {
    const call = readCall(one, calls.length, { envelope, source, context });
    if (call !== undefined) calls.push(call);
    fresh ||= call === undefined || call.fresh;
  }
  context.readCalls.set(source, calls);
  return { calls, fresh };
}

/** Flattens `tool_calls` to a list of calls. Calls in nested lists and in JSON text are unwrapped. */
function unwrapCalls(envelope: Envelope, source: Source, { journal, envelopes }: Context): Envelope {
  const { fields, prefix } = envelope;
  const { tool_calls: given } = fields;
  const isUsual = given === undefined || given === null || (Array.isArray(given) && given.every(isRecord));
  const calls = isUsual ? undefined : callsIn(given);
  if (calls === undefined || calls === given) return envelope;
  const finding = { rule: "missing-call-type" as const, message: "tool_calls is not a list of calls." };
  journal.note({ source, suffix: `${prefix}.tool_calls` }, finding, { type: "rewrite" });
  const unwrapped = { ...envelope, fields: { ...fields, tool_calls: calls } };
  envelopes.set(source, unwrapped);
  return unwrapped;
}

interface Where {
  readonly envelope: Envelope;
  readonly source: Source;
  readonly context: Context;
}

function readCall(found: Found, place: number, where: Where): Call | undefined {
  const { shown, mirrors } = found;
  const { context } = where;
  if (!isRecord(shown.wire)) {
    context.journal.note(
      spotOf(shown, place, where),
      { rule: "missing-call-type", message: "The call is not an object." },
      { type: "remove", lossless: shown.wire === null || shown.wire === undefined },
    );
    return undefined;
  }
  const id = readId(found, place, where);
  const { value, raw } = readArguments(found, place, where);
  const isSent = shown.seat.list === "additional_kwargs.tool_calls" && !context.profile.sentCallsIgnored;
  const isHome = shown.seat.list === "tool_calls" || isSent;
  const isLeaving = isForwarded(shown, true, where.envelope, context);
  if (!isHome) reportPlace(shown, place, where, !isLeaving || isCopy(shown, value));
  const isSentWhole = reportMissing(found, place, where);
  const isShownWell = reportBlocks(mirrors, id, where) && isSentWhole;
  const copies = mirrors.filter((mirror) => isForwarded(mirror, false, where.envelope, context));
  for (const copy of copies) reportCopy(copy, id, value, where);
  const leaving = isLeaving ? [shown, ...copies] : copies;
  const seats: Seats = {
    own: shown.seat,
    mirrors: mirrors.map(({ seat }) => seat),
    leaving: leaving.map(({ seat }) => seat.index),
    id,
    name: shown.name,
  };
  const call: Call = {
    id,
    name: shown.name,
    arguments: value,
    raw: raw ?? wrapped(value),
    damage: "unknown",
    place,
    slot: place,
    wire: shown.wire,
    fresh: !isHome || !isShownWell || copies.length > 0 || id !== (shown.id ?? "") || isMended(shown, value),
    result: undefined,
  };
  context.seats.set(call, seats);
  return call;
}

/** Text in the provider's field is not repaired there. */
const isMended = ({ seat, args, tail }: Shown, value: unknown): boolean =>
  seat.list === "tool_calls" &&
  (tail === ".args" ? value !== args : typeof args !== "string" || !isRecord(parseJson(args)));

/** The text inside the wrapper. */
function wrapped(value: unknown): string | undefined {
  const text = isRecord(value) ? value["_raw"] : undefined;
  return typeof text === "string" && isRecord(value) && Object.keys(value).length === 1 ? text : undefined;
}

/** The id as text. An id that is only elsewhere in the message is copied. */
function readId({ shown, id }: Found, place: number, where: Where): string {
  const text = typeof id === "string" ? id : typeof id === "number" ? String(id) : "";
  if (text !== "" && text !== shown.id) {
    const got = typeof shown.id === "number" ? `the number ${shown.id}, not text` : "missing";
    where.context.journal.note(
      spotOf(shown, place, where, { from: ".id", to: ".id" }),
      { rule: "missing-call-id", message: `The id is ${got}.`, callId: text },
      { type: "rename" },
    );
  }
  return text;
}

/** The arguments as an object, or those of another place in the message if they are missing here. */
function readArguments(
  { shown, mirrors }: Found,
  place: number,
  where: Where,
): { readonly value: unknown; readonly raw: string | undefined } {
  const { args, seat, tail } = shown;
  if (isRecord(args)) return { value: args, raw: undefined };
  const isText = typeof args === "string" && args.trim() !== "";
  const own = objectIn(shown);
  const mirrored = isText || own !== undefined ? undefined : fullest(mirrors.map(objectIn));
  const missing = args === undefined || args === null || (typeof args === "string" && args.trim() === "");
  const text = typeof args === "string" ? args : (JSON.stringify(args) ?? "");
  const damaged = !missing && own === undefined && staysText(text);
  const value: unknown = own ?? mirrored ?? (missing ? {} : damaged ? wrapRaw(text) : parseJson(text));
  const isChat = tail === ".function.arguments" && typeof args === "string" && !damaged && !missing;
  if (seat.list === "tool_calls" && !isChat) {
    const got = missing ? "missing" : Array.isArray(args) ? "an array" : `of type ${typeof args}`;
    const finding = isChatText(shown)
      ? { rule: "arguments-json" as const, message: "The arguments are not the text of a JSON object." }
      : { rule: "arguments-type" as const, message: `The arguments are ${got}, not an object.` };
    const spot = spotOf(shown, place, where, { from: tail, to: tail });
    where.context.journal.note(spot, finding, { type: "rewrite" });
  }
  return { value, raw: damaged && typeof args === "string" ? args : undefined };
}

/**
 * The arguments of a place as an object, even if they are encoded twice or the only entry of a list. Undefined if they
 * are not an object.
 */
const objectIn = ({ args }: Shown): JsonObject | undefined => unwrapOne(args);

/** The first object with a key, otherwise the first object: an empty object may be a placeholder for arguments. */
const fullest = (found: readonly (JsonObject | undefined)[]): JsonObject | undefined =>
  found.find((value) => value !== undefined && Object.keys(value).length > 0) ??
  found.find((value) => value !== undefined);

const isChatText = ({ tail, args }: Shown): boolean => tail === ".function.arguments" && typeof args === "string";

/** Reports a call in a place from which not every client sends it. */
function reportPlace(shown: Shown, place: number, where: Where, lossless: boolean): void {
  const callId = typeof shown.id === "string" ? shown.id : undefined;
  const finding =
    shown.seat.list === "invalid_tool_calls"
      ? {
          rule: "arguments-json" as const,
          message: "The call could not be parsed, and clients do not send invalid_tool_calls.",
        }
      : { rule: "misplaced-block" as const, message: `The call is only in ${shown.seat.list}, not in tool_calls.` };
  where.context.journal.note(spotOf(shown, place, where), { ...finding, callId }, { type: "move", lossless });
}

/** Reports problems of content blocks that repeat a call, which some clients send unchanged. True if there are none. */
function reportBlocks(mirrors: readonly Shown[], id: string, { envelope, source, context }: Where): boolean {
  let isWell = true;
  for (const { seat, wire, id: shownId, args, tail } of mirrors) {
    const type = isRecord(wire) ? wire["type"] : undefined;
    if (seat.list !== "content" || (type !== "tool_use" && type !== "tool_call")) continue;
    const report = (rule: "missing-call-id" | "arguments-type", key: string, message: string): void => {
      const suffix = `${envelope.prefix}.content[${seat.index}]${key}`;
      const part = { place: blockKey(seat.index), tail: key };
      context.journal.note({ source, suffix, part }, { rule, message, callId: id }, { type: "rewrite" });
      isWell = false;
    };
    if (!isId(shownId) && id !== "") report("missing-call-id", ".id", "The block of the call has no id.");
    const isRead = isRecord(args) || (type === "tool_use" && typeof args === "string");
    if (!isRead) report("arguments-type", tail, "The arguments in the block of the call are not an object.");
  }
  return isWell;
}

/** Reports a block that would be sent beside its call. */
function reportCopy(copy: Shown, id: string, value: unknown, { envelope, source, context }: Where): void {
  const type = isRecord(copy.wire) && typeof copy.wire["type"] === "string" ? copy.wire["type"] : "functionCall";
  const finding = {
    rule: "content-type" as const,
    message: `The call is in tool_calls; the provider refuses its block of type ${type} beside it.`,
    callId: id,
  };
  const suffix = `${envelope.prefix}.content[${copy.seat.index}]`;
  context.journal.note({ source, suffix }, finding, { type: "remove", lossless: isCopy(copy, value) });
}

/** Reports a call that is missing from the list that is sent. True if it is present. */
function reportMissing({ shown, mirrors }: Found, place: number, where: Where): boolean {
  const { fields } = where.envelope;
  const lists = [
    ...(listIn(fields, "response_metadata.output").length > 0 ? (["response_metadata.output"] as const) : []),
    ...(isStandard(fields) ? (["content"] as const) : []),
  ];
  const isIn = (list: SeatList, { seat, wire }: Shown): boolean =>
    seat.list === list && (list !== "content" || isStandardCall(wire));
  const missing = lists.filter((list) => ![shown, ...mirrors].some((one) => isIn(list, one)));
  for (const list of missing) {
    const finding = {
      rule: "misplaced-block" as const,
      message: `The call is missing from ${list}, which is the list that clients send.`,
    };
    where.context.journal.note(spotOf(shown, place, where), finding, { type: "rewrite" });
  }
  return missing.length === 0;
}

/** Content blocks have negative keys; calls count from 0. */
export const blockKey = (index: number): number => -1 - index;

/** The position of a call, or of its field, in the input, and the name of the field in the output. */
function spotOf(
  { seat }: Shown,
  place: number,
  { envelope, source }: Where,
  tails: { readonly from: string; readonly to: string } = { from: "", to: "" },
): Spot {
  const suffix = `${envelope.prefix}.${seat.list}[${seat.index}]${tails.from}`;
  return { source, suffix, part: { place, tail: tails.to } };
}
