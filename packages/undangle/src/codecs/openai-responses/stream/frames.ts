import { isRecord } from "#core";
import type { JsonObject } from "#core";

/** True for item types that require an output from the client. */
export const isCallType = (type: unknown): boolean => type === "function_call" || type === "custom_tool_call";

/** The same for an item, even if the server omits its type. */
export const isCallItem = ({ type, call_id: id }: JsonObject): boolean =>
  isCallType(type) || ((type ?? "") === "" && id !== undefined);

/** The status with which an event ends the response. Undefined for other events. */
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

/** The text of an event. Undefined if it has none. */
export function textIn({
  type,
  delta,
}: JsonObject): { readonly type: DeltaKind["type"]; readonly text: string } | undefined {
  const kind = deltaKinds.get(type);
  return kind === undefined || typeof delta !== "string" || delta === "" ? undefined : { type: kind.type, text: delta };
}

/** The key of an event's part, such as `content:0`: a list and an index. */
export function partKeyOf({ summary_index: summary, content_index: content }: JsonObject): string | undefined {
  if (typeof summary === "number") return `summary:${summary}`;
  return typeof content === "number" ? `content:${content}` : undefined;
}

/** The part in an event. */
export function partOf({ part }: JsonObject): { readonly type: unknown; readonly text: unknown } | undefined {
  return isRecord(part) ? { type: part["type"], text: part["text"] ?? part["refusal"] } : undefined;
}

/** The complete text in the event that ends a part. */
export const textAt = (value: JsonObject): unknown => value["text"] ?? value["refusal"] ?? partOf(value)?.text;
