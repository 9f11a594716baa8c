import { isRecord, staysText, wrapRaw } from "#core";
import type { Call, Source } from "#core";

import { callsIn, unwrapOne, wordsIn } from "../../unwrap.ts";
import { callAt } from "./message.ts";
import type { Context, Message } from "./message.ts";

/** The calls of an assistant message, each in a form that the server can decode. */
export interface ReadCalls {
  readonly message: Message;
  readonly calls: readonly Call[];
  /** True if the calls cannot be written as they were read. */
  readonly fresh: boolean;
}

export function readCalls(message: Message, source: Source, context: Context): ReadCalls {
  const { tool_calls: given, ...rest } = message;
  if (given === undefined || given === null) return { message, calls: [], fresh: false };
  const wires = callsIn(given);
  const isList = wires === given;
  if (!isList) {
    const finding = { rule: "empty-tool-calls" as const, message: "tool_calls is not a list of calls." };
    const lossless = wordsIn(given) === "";
    const change = wires === undefined ? { type: "remove" as const, lossless } : { type: "rewrite" as const };
    context.journal.note({ source, suffix: ".tool_calls" }, finding, change);
    if (wires === undefined) return { message: rest, calls: [], fresh: false };
  }
  const calls = wires.flatMap((wire, place) => readCall(wire, place, source, context) ?? []);
  return { message, calls, fresh: !isList || calls.length < wires.length || calls.some((call) => call.fresh) };
}

function readCall(wire: unknown, place: number, source: Source, context: Context): Call | undefined {
  if (!isRecord(wire)) {
    const finding = { rule: "missing-call-type" as const, message: "The call is not an object." };
    context.journal.note(callAt(source, place, context), finding, { type: "remove", lossless: wire === null });
    return undefined;
  }
  const shaped = mendShape(wire, place, source, context);
  const called: Message = isRecord(shaped["function"]) ? shaped["function"] : {};
  const given = called["arguments"];
  const value = readArguments(given, place, source, context);
  const { id: asGiven, ...unnamed } = shaped;
  const id = readId(asGiven);
  const isOdd = asGiven !== undefined && asGiven !== null && typeof asGiven !== "string";
  if (isOdd) {
    const message = `The id is of type ${typeof asGiven}, not text.`;
    const at = callAt(source, place, context, ".id");
    const change = id === "" ? { type: "remove" as const, lossless: false } : { type: "rename" as const };
    context.journal.note(at, { rule: "missing-call-id", message, callId: id }, change);
  }
  const isWrapped = typeof given === "string" && isRecord(value) && "_raw" in value && staysText(given);
  return {
    id,
    name: typeof called["name"] === "string" ? called["name"] : "",
    arguments: value,
    raw: isWrapped ? given : undefined,
    damage: "unknown",
    place,
    slot: place,
    wire: isOdd ? unnamed : shaped,
    fresh: shaped !== wire || value !== given || isOdd,
    result: undefined,
  };
}

/** The id of a wire value. "" if it is missing. A number becomes text, and a list with one entry is unwrapped. */
export function readId(value: unknown): string {
  if (typeof value === "number") return String(value);
  if (Array.isArray(value) && value.length === 1 && !Array.isArray(value[0])) return readId(value[0]);
  return typeof value === "string" && value.trim() !== "" ? value : "";
}

/** Moves the call to `function`, because the server ignores keys beside it. */
function mendShape(wire: Message, place: number, source: Source, context: Context): Message {
  if (isRecord(wire["function"])) return wire;
  const { name, arguments: given, args, input, function: called, custom, ...rest } = wire;
  const finding = { rule: "missing-call-type" as const, message: 'The call has no "function".' };
  context.journal.note(callAt(source, place, context), finding, { type: "rewrite" });
  const meant = unwrapOne(called);
  if (meant !== undefined) return { ...rest, function: meant };
  if (isRecord(custom)) {
    const text = custom["input"];
    // Free text is not JSON.
    return { ...rest, function: { name: custom["name"], arguments: typeof text === "string" ? wrapRaw(text) : text } };
  }
  return { ...rest, function: { name, arguments: given ?? args ?? input ?? (wordsIn(called) || {}) } };
}

/** The arguments as an object. Text is parsed, or wrapped if it is not a JSON object. */
function readArguments(value: unknown, place: number, source: Source, context: Context): unknown {
  if (value === undefined || value === null || isRecord(value)) return value; // missing arguments count as {}
  const got = Array.isArray(value) ? "an array" : `of type ${typeof value}`;
  const finding = { rule: "arguments-type" as const, message: `The arguments are ${got}, not an object.` };
  context.journal.note(callAt(source, place, context, ".function.arguments"), finding, { type: "rewrite" });
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (text.trim() === "") return {};
  return staysText(text) ? wrapRaw(text) : (JSON.parse(text) as unknown);
}
