import { damageOf, isRecord, wrapRaw } from "#core";
import type { Call, Journal, Source } from "#core";

import { withoutKeys } from "./message.ts";
import type { Context, Message } from "./message.ts";

/** The calls of an assistant message, each in a shape that the provider takes. */
export interface ReadCalls {
  readonly message: Message;
  readonly calls: readonly Call[];
  /** The calls cannot be written as they were read. */
  readonly fresh: boolean;
}

const none: readonly Call[] = [];

export function readCalls(message: Message, source: Source, context: Context): ReadCalls {
  const list = message["tool_calls"];
  const isSilent = Array.isArray(list) && list.length === 0 && !context.profile.emptyCallsRefused;
  if (list === undefined || list === null || isSilent) return { message, calls: none, fresh: false };
  const at = { source, suffix: ".tool_calls" };
  if (!Array.isArray(list) || list.length === 0) {
    if (!isRecord(list)) {
      const finding = { rule: "empty-tool-calls" as const, message: "tool_calls is there, but it holds no call." };
      context.journal.note(at, finding, { type: "remove", before: list });
      return { message: withoutKeys(message, ["tool_calls"]), calls: none, fresh: false };
    }
    const finding = { rule: "empty-tool-calls" as const, message: "tool_calls is an object, not a list." };
    context.journal.note(at, finding, { type: "rewrite", before: list, after: [list] });
  }
  const wires: readonly unknown[] = Array.isArray(list) ? list : [list];
  const calls = wires.flatMap((wire, place) => readCall(wire, place, source, context) ?? []);
  return { message, calls, fresh: wires !== list || calls.length !== wires.length || calls.some((call) => call.fresh) };
}

function readCall(wire: unknown, place: number, source: Source, context: Context): Call | undefined {
  const at = `.tool_calls[${place}]`;
  if (!isRecord(wire)) {
    context.journal.note(
      { source, suffix: at },
      { rule: "missing-call-type", message: "The call is not an object." },
      { type: "remove", before: wire, lossless: wire === null || wire === undefined },
    );
    return undefined;
  }
  const shaped = mendShape(wire, { source, suffix: at }, context);
  const type = shaped["type"] === "custom" ? "custom" : "function";
  const body = isRecord(shaped[type]) ? shaped[type] : {};
  const given = type === "custom" ? body["input"] : body["arguments"];
  const args =
    type === "custom"
      ? { value: given, raw: undefined }
      : readArguments(given, { source, suffix: `${at}.function.arguments` }, context);
  const id = readId(wire["id"], { source, suffix: `${at}.id` }, "missing-call-id", context);
  return {
    id,
    name: typeof body["name"] === "string" ? body["name"] : "",
    arguments: args.value,
    raw: args.raw,
    place,
    slot: place,
    wire: shaped,
    fresh: shaped !== wire || args.value !== given || id !== (wire["id"] ?? ""),
    result: undefined,
  };
}

/** The call with its type said, and with what it calls on the level where it belongs; some clients leave these out. */
function mendShape(wire: Message, at: { source: Source; suffix: string }, { profile, journal }: Context): Message {
  const given = wire["type"];
  if (profile.plainAssistantOnly && given === "custom" && isRecord(wire["custom"]))
    return asFunction(wire, at, journal);
  const type = given === "custom" || (given === undefined && isRecord(wire["custom"])) ? "custom" : "function";
  const isTyped = given === type || (given === undefined && !profile.callTypeRequired);
  if (isTyped && isRecord(wire[type])) return wire;
  const body = isRecord(wire[type])
    ? wire[type]
    : { name: wire["name"], arguments: wire["arguments"] ?? wire["args"] ?? wire["input"] };
  const mended = { ...wire, type, [type]: body };
  const message = isTyped ? `The call has no "${type}".` : `The call does not say that it is of type "${type}".`;
  journal.note(at, { rule: "missing-call-type", message }, { type: "rewrite", before: wire, after: mended });
  return mended;
}

/** A call with free text as one with arguments, for servers that know only these. */
function asFunction(wire: Message, at: { source: Source; suffix: string }, journal: Journal): Message {
  const { custom, ...rest } = wire;
  const { name, input } = isRecord(custom) ? custom : {};
  const after = { ...rest, type: "function", function: { name, arguments: JSON.stringify({ input }) } };
  const finding = { rule: "missing-call-type" as const, message: "The provider knows calls of type function only." };
  journal.note(at, finding, { type: "rewrite", before: wire, after });
  return after;
}

/** An id as the wire gives it; "" for one that is missing or blank; a number becomes text. */
export function readId(
  value: unknown,
  at: { source: Source; suffix: string },
  rule: "missing-call-id" | "missing-result-id",
  { journal }: Context,
): string {
  if (typeof value === "string") return value;
  if (typeof value !== "number") return "";
  journal.note(
    at,
    { rule, message: `The id is the number ${value}, not text.`, callId: String(value) },
    { type: "rename", before: value, after: String(value) },
  );
  return String(value);
}

/** Arguments in the type that the provider wants, and the text that had to be wrapped for it. */
function readArguments(
  value: unknown,
  at: { source: Source; suffix: string },
  { profile, journal }: Context,
): { readonly value: unknown; readonly raw: string | undefined } {
  if (typeof value === "string") {
    if (!profile.argumentsAreParsed) return { value, raw: undefined };
    const blank = value.trim() === "";
    if (blank ? profile.blankArgumentsAccepted : damageOf(value) === undefined) return { value, raw: undefined };
    const after = blank ? "{}" : JSON.stringify(wrapRaw(value));
    const message = blank ? "The arguments are empty." : "The arguments are not the text of a JSON object.";
    journal.note(at, { rule: "arguments-json", message }, { type: "rewrite", before: value, after });
    return { value: after, raw: blank ? undefined : value };
  }
  const missing = value === undefined || value === null;
  if (profile.arguments === "text-or-object" && (value === null || isRecord(value))) return { value, raw: undefined };
  const after = missing ? "{}" : JSON.stringify(isRecord(value) ? value : wrapRaw(JSON.stringify(value) ?? ""));
  const got = missing ? "missing" : Array.isArray(value) ? "an array" : `of type ${typeof value}`;
  journal.note(
    at,
    { rule: "arguments-type", message: `The arguments are ${got}, not text.` },
    { type: "rewrite", before: value, after },
  );
  return { value: after, raw: undefined };
}
