import { isRecord } from "#core";

import type { JsonObject } from "../stream/response-writer.ts";

/** Item types that the client answers. */
export const isCallType = (type: unknown): boolean => type === "function_call" || type === "custom_tool_call";

/** The same of an item, where a server has left its type out. */
export const isCallItem = ({ type, call_id: id }: JsonObject): boolean =>
  isCallType(type) || ((type ?? "") === "" && id !== undefined);

/** How an event ends the response; undefined for all others. */
export function endOf({ type }: JsonObject): string | undefined {
  return typeof type === "string" ? ends.exec(type)?.[1] : undefined;
}

const ends = /^response\.(completed|incomplete|failed|cancelled|done)$/u;

/** True for an event of a call. */
export function isOfCall({ type, item }: JsonObject): boolean {
  if (isRecord(item)) return isCallItem(item);
  return typeof type === "string" && (type.includes(".function_call_a") || type.includes(".custom_tool_call_i"));
}

/** The kind of text of a delta, and the types of its part and item. */
export interface DeltaKind {
  readonly type: "text" | "reasoning";
  readonly part: string;
  readonly holder: string;
}

/** Events with a delta of text or reasoning. */
export const deltaKinds: ReadonlyMap<unknown, DeltaKind> = new Map<unknown, DeltaKind>([
  ["response.output_text.delta", { type: "text", part: "output_text", holder: "message" }],
  ["response.refusal.delta", { type: "text", part: "refusal", holder: "message" }],
  ["response.reasoning_text.delta", { type: "reasoning", part: "reasoning_text", holder: "reasoning" }],
  ["response.reasoning_summary_text.delta", { type: "reasoning", part: "summary_text", holder: "reasoning" }],
]);

/** The text of an event; undefined without any. */
export function saidBy({
  type,
  delta,
}: JsonObject): { readonly type: DeltaKind["type"]; readonly text: string } | undefined {
  const kind = deltaKinds.get(type);
  return kind === undefined || typeof delta !== "string" || delta === "" ? undefined : { type: kind.type, text: delta };
}

/** The list and the index of the part that an event is about: `content:0`. */
export function partKeyOf({ summary_index: summary, content_index: content }: JsonObject): string | undefined {
  if (typeof summary === "number") return `summary:${summary}`;
  return typeof content === "number" ? `content:${content}` : undefined;
}

/** The part that an event shows. */
export function partOf({ part }: JsonObject): { readonly type: unknown; readonly text: unknown } | undefined {
  return isRecord(part) ? { type: part["type"], text: part["text"] ?? part["refusal"] } : undefined;
}

/** The whole text that an event with which a part ends repeats. */
export const textAt = (value: JsonObject): unknown => value["text"] ?? value["refusal"] ?? partOf(value)?.text;
