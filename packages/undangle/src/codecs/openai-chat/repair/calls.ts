import { damageOf, isRecord, wrapRaw } from "#core";
import type { Call, Journal, Source, Spot } from "#core";

import { callsIn, unwrapOne, wordsIn } from "../../unwrap.ts";
import { withoutKeys } from "./message.ts";
import type { Context, Message } from "./message.ts";

/** The calls of an assistant message, each in a shape that the provider accepts. */
export interface ReadCalls {
  readonly message: Message;
  readonly calls: readonly Call[];
  /** True if the calls cannot be written as they were read. */
  readonly fresh: boolean;
}

const none: readonly Call[] = [];

export function readCalls(message: Message, source: Source, context: Context): ReadCalls {
  const list = message["tool_calls"];
  const isSilent = Array.isArray(list) && list.length === 0 && !context.profile.emptyCallsRefused;
  if (list === undefined || list === null || isSilent) return { message, calls: none, fresh: false };
  const at = { source, suffix: ".tool_calls" };
  const wires = Array.isArray(list) && list.length === 0 ? undefined : callsIn(list);
  if (wires === undefined) {
    const finding = { rule: "empty-tool-calls" as const, message: "tool_calls is present, but it is empty." };
    const isEmpty = wordsIn(list) === "";
    context.journal.note(at, finding, { type: "remove", lossless: isEmpty });
    return { message: withoutKeys(message, ["tool_calls"]), calls: none, fresh: false };
  }
  if (wires !== list) {
    const finding = { rule: "empty-tool-calls" as const, message: "tool_calls is not a list of calls." };
    context.journal.note(at, finding, { type: "rewrite" });
  }
  const calls: Call[] = [];
  let fresh = wires !== list;
  for (let place = 0; place < wires.length; place++) {
    const call = readCall(wires[place], place, source, context);
    if (call !== undefined) calls.push(call);
    fresh ||= call === undefined || call.fresh;
  }
  if (calls.length === 0) return { message: withoutKeys(message, ["tool_calls"]), calls: none, fresh: false };
  return { message, calls, fresh };
}

function readCall(wire: unknown, place: number, source: Source, context: Context): Call | undefined {
  if (!isRecord(wire)) {
    context.journal.note(
      callAt(source, place),
      { rule: "missing-call-type", message: "The call is not an object." },
      { type: "remove", lossless: wire === null || wire === undefined },
    );
    return undefined;
  }
  const shaped = mendShape(wire, place, source, context);
  const isCustom = shaped["type"] === "custom";
  const body = shaped[isCustom ? "custom" : "function"];
  const { name, input, arguments: text } = isRecord(body) ? body : noBody;
  const given = isCustom ? input : text;
  const value = isCustom ? given : readArguments(given, place, source, context);
  const id = readId(wire["id"]);
  if (typeof wire["id"] === "number")
    reportNumber(wire["id"], callAt(source, place, ".id"), "missing-call-id", context);
  const isWrapped = value !== given && typeof given === "string" && given.trim() !== "";
  return {
    id,
    name: typeof name === "string" ? name : "",
    arguments: value,
    raw: isWrapped ? given : undefined,
    damage: "unknown",
    place,
    slot: place,
    wire: shaped,
    fresh: shaped !== wire || value !== given || id !== (wire["id"] ?? ""),
    result: undefined,
  };
}

const noBody: Message = {};

/** The position of a call in a message of the input. */
const callAt = (source: Source, place: number, tail = ""): Spot => ({
  source,
  suffix: `.tool_calls[${place}]${tail}`,
  part: { place: slotKey(place), tail },
});

/** Calls have negative keys; content parts count from 0. */
export const slotKey = (place: number): number => -1 - place;

/** The call with its type and its fields at the right level, which some clients omit. */
function mendShape(wire: Message, place: number, source: Source, { profile, journal }: Context): Message {
  const given = wire["type"];
  const isCustom =
    given === "custom" ? unwrapOne(wire["custom"]) !== undefined : given === undefined && isRecord(wire["custom"]);
  if (isCustom && profile.plainAssistantOnly) return asFunction(wire, callAt(source, place), journal);
  const type = isCustom ? "custom" : "function";
  const isTyped = given === type || (given === undefined && !profile.callTypeRequired);
  if (isTyped && isRecord(wire[type])) return wire;
  const words = wordsIn(wire[type]) || wordsIn(given === "custom" ? wire["custom"] : undefined);
  const body = unwrapOne(wire[type]) ?? {
    name: wire["name"],
    arguments: wire["arguments"] ?? wire["args"] ?? wire["input"] ?? (words || undefined),
  };
  const own = given === "custom" && !isCustom ? withoutKeys(wire, ["custom"]) : wire;
  const after = { ...own, type, [type]: body };
  const message = isTyped ? `The call has no "${type}".` : `The call has no type; its type is "${type}".`;
  journal.note(callAt(source, place), { rule: "missing-call-type", message }, { type: "rewrite" });
  return after;
}

/** Converts a custom call with free text to a function call, for servers that only accept function calls. */
function asFunction(wire: Message, at: Spot, journal: Journal): Message {
  const { custom, ...rest } = wire;
  const { name, input } = isRecord(custom) ? custom : noBody;
  const after = { ...rest, type: "function", function: { name, arguments: JSON.stringify({ input }) } };
  const finding = { rule: "missing-call-type" as const, message: "The provider accepts only calls of type function." };
  journal.note(at, finding, { type: "rewrite" });
  return after;
}

/** The id of a wire value. "" if it is missing. A number becomes text. */
export function readId(value: unknown): string {
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
}

/** Reports a numeric id that became text. */
export function reportNumber(
  value: number,
  at: Spot,
  rule: "missing-call-id" | "missing-result-id",
  { journal }: Context,
): void {
  const after = String(value);
  const message = `The id is the number ${value}, not text.`;
  journal.note(at, { rule, message, callId: after }, { type: "rename" });
}

/**
 * Arguments in the type that the provider expects. If the provider parses them, text that is not a JSON object is
 * wrapped.
 */
function readArguments(value: unknown, place: number, source: Source, { profile, journal }: Context): unknown {
  if (typeof value === "string") {
    if (!profile.argumentsAreParsed) return value;
    const isBlank = value.trim() === "";
    if (isBlank ? profile.blankArgumentsAccepted : damageOf(value) === undefined) return value;
    const after = isBlank ? "{}" : JSON.stringify(wrapRaw(value));
    const message = isBlank ? "The arguments are empty." : "The arguments are not the text of a JSON object.";
    const at = callAt(source, place, ".function.arguments");
    journal.note(at, { rule: "arguments-json", message }, { type: "rewrite" });
    return after;
  }
  if (profile.arguments === "text-or-object" && (value === null || isRecord(value))) return value;
  const isMissing = value === undefined || value === null;
  const after = isMissing ? "{}" : JSON.stringify(isRecord(value) ? value : wrapRaw(JSON.stringify(value) ?? ""));
  const got = isMissing ? "missing" : Array.isArray(value) ? "an array" : `of type ${typeof value}`;
  journal.note(
    callAt(source, place, ".function.arguments"),
    { rule: "arguments-type", message: `The arguments are ${got}, not text.` },
    { type: "rewrite" },
  );
  return after;
}
