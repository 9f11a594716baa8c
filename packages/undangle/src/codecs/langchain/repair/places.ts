import { isRecord } from "#core";

import type { Seat, SeatList } from "./context.ts";
import type { Fields } from "../envelope.ts";

/** A call in one of the places of an AI message. */
export interface Shown {
  readonly seat: Seat;
  readonly wire: unknown;
  readonly id: unknown;
  readonly name: string;
  readonly args: unknown;
  /** The path of its arguments. */
  readonly tail: string;
}

/** The calls in a list of a message, in the form of that list. */
export function callsIn(fields: Fields, list: SeatList): Shown[] {
  return listIn(fields, list).flatMap((wire, index) => show({ list, index }, wire) ?? []);
}

/** The list, if the message has it. */
export function listIn(fields: Fields, list: SeatList): readonly unknown[] {
  const [key, inner] = list.split(".") as [string, string?]; // every name has a first segment
  const value = fields[key];
  const found: unknown = inner === undefined ? value : isRecord(value) ? value[inner] : undefined;
  return Array.isArray(found) ? (found as readonly unknown[]) : []; // an array with unchecked entries
}

function show(seat: Seat, wire: unknown): Shown | undefined {
  if (seat.list === "tool_calls" || seat.list === "invalid_tool_calls") return showListed(seat, wire);
  if (!isRecord(wire)) return undefined;
  const shown = { seat, wire, name: textOf(wire["name"]) };
  if (seat.list === "tool_call_chunks") return { ...shown, id: wire["id"], args: wire["args"], tail: ".args" };
  const type = wire["type"];
  const isChat = isRecord(wire["function"]) || type === "function";
  if (isChat && seat.list === "additional_kwargs.tool_calls") return showListed(seat, wire);
  if (type === "tool_use") return { ...shown, id: wire["id"], args: wire["input"], tail: ".input" };
  if (type === "tool_call" || type === "invalid_tool_call")
    return { ...shown, id: wire["id"], args: wire["args"], tail: ".args" };
  if (type === "function_call") {
    return { ...shown, id: wire["call_id"] ?? wire["id"], args: wire["arguments"], tail: ".arguments" };
  }
  if (type === "custom_tool_call") return { ...shown, id: wire["call_id"], args: { input: wire["input"] }, tail: "" };
  const { functionCall } = wire;
  if (!isRecord(functionCall)) return undefined;
  const { name, args, id } = functionCall;
  return { seat, wire, id, name: textOf(name), args, tail: ".functionCall.args" };
}

/** A call of `tool_calls`. A plain object may have the shape of the chat format, which LangChain accepts too. */
function showListed(seat: Seat, wire: unknown): Shown {
  if (!isRecord(wire)) return { seat, wire, id: undefined, name: "", args: undefined, tail: "" };
  const called = wire["function"];
  if (isRecord(called)) {
    const name = textOf(called["name"]);
    return { seat, wire, id: wire["id"], name, args: called["arguments"], tail: ".function.arguments" };
  }
  return { seat, wire, id: wire["id"], name: textOf(wire["name"]), args: wire["args"], tail: ".args" };
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** The value of a place with another id and name. A place without an id gets none. */
export function renamed(wire: unknown, { id, name }: { readonly id: string; readonly name: string }): unknown {
  if (!isRecord(wire)) return wire;
  const { functionCall } = wire;
  if (isRecord(functionCall))
    return { ...wire, functionCall: { ...functionCall, name, ...("id" in functionCall ? { id } : {}) } };
  const called = wire["function"];
  const named = isRecord(called) ? { function: { ...called, name } } : { name };
  if ("call_id" in wire) return { ...wire, ...named, call_id: id };
  return "id" in wire ? { ...wire, ...named, id } : { ...wire, ...named };
}

/** True for messages with standard content, which are sent from their blocks only. */
export const isStandard = ({ response_metadata: metadata, content }: Fields): boolean =>
  isRecord(metadata) && metadata["output_version"] === "v1" && Array.isArray(content);

/** True for a block that is sent, as opposed to provider-specific blocks. */
export const isStandardCall = (block: unknown): boolean =>
  isRecord(block) && (block["type"] === "tool_call" || block["type"] === "invalid_tool_call");
