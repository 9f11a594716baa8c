import { isRecord } from "#core";

import type { Context } from "./context.ts";
import type { Envelope } from "../envelope.ts";
import { isStandard } from "./places.ts";
import type { Shown } from "./places.ts";

/**
 * True for a block that is removed from the content once its call is in `tool_calls`. The Chat Completions client
 * forwards the block, which is refused, and every client sends the call from `tool_calls`.
 */
export function isForwarded(
  { seat, wire }: Shown,
  isOnlyPlace: boolean,
  { form, fields }: Envelope,
  { profile }: Context,
): boolean {
  if (seat.list !== "content" || !isRecord(wire) || isStandard(fields)) return false;
  const type = isRecord(wire["functionCall"]) ? "functionCall" : wire["type"];
  if (isOnlyPlace && type === "function_call") return true; // it was moved
  // Serialized messages may come from Python, whose clients accept these blocks and write them beside `tool_calls`.
  return form === "instance" && profile.refusedBlocks.has(type);
}

/** True if a block repeats its call. */
export function isCopy({ wire, args }: Shown, value: unknown): boolean {
  if (isRecord(wire) && "thoughtSignature" in wire) return false;
  if (args === undefined || args === null || args === "") return true;
  const told = JSON.stringify(value);
  if (typeof args !== "string") return JSON.stringify(args) === told;
  try {
    return JSON.stringify(JSON.parse(args)) === told; // whitespace in the text may differ
  } catch {
    return isRecord(value) && value["_raw"] === args; // invalid text, which the call preserves
  }
}
