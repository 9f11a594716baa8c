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

/** True for an event of OpenAI. Other or newer events contain nothing that is read here. */
export const isKnownEvent = (type: string): boolean =>
  known.has(type) || newest.has(type) || /^response\.(?:cancelled|done)$/u.test(type);

/** The event types that OpenAI's SDK accepts, in the given version or in the newest known version. */
export function eventsTakenIn(version = "7"): ReadonlySet<unknown> {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > 6) return new Set([...known, ...newest]);
  // OpenAI sent keep-alives before its SDK supported them: https://github.com/openai/openai-node/issues/1964
  return major === 6 && minor >= 49 ? known : new Set([...known].filter((type) => type !== "keepalive"));
}

/** The item type of a progress event; undefined for other events. */
export const progressOf = (type: unknown): string | undefined =>
  typeof type === "string" ? progress.exec(type)?.[1] : undefined;

const progress =
  /^response\.(mcp_list_tools|mcp_call|code_interpreter_call|file_search_call|web_search_call|image_generation_call|shell_call_output|compaction)[._]/u;

const of = (name: string, ...endings: readonly string[]): readonly string[] =>
  endings.map((ending) => `response.${name}.${ending}`);

/** The event types of SDK version 6. */
const known: ReadonlySet<string> = new Set([
  "error",
  "keepalive",
  ...["created", "queued", "in_progress", "completed", "failed", "incomplete"].map((state) => `response.${state}`),
  ...of("output_item", "added", "done"),
  ...of("content_part", "added", "done"),
  ...of("output_text", "delta", "done", "annotation.added"),
  ...of("refusal", "delta", "done"),
  ...of("reasoning_text", "delta", "done"),
  ...of("reasoning_summary_part", "added", "done"),
  ...of("reasoning_summary_text", "delta", "done"),
  ...of("function_call_arguments", "delta", "done"),
  ...of("custom_tool_call_input", "delta", "done"),
  ...of("mcp_call_arguments", "delta", "done"),
  ...of("mcp_call", "in_progress", "completed", "failed"),
  ...of("mcp_list_tools", "in_progress", "completed", "failed"),
  ...of("code_interpreter_call_code", "delta", "done"),
  ...of("code_interpreter_call", "in_progress", "interpreting", "completed"),
  ...of("file_search_call", "in_progress", "searching", "completed"),
  ...of("web_search_call", "in_progress", "searching", "completed"),
  ...of("image_generation_call", "in_progress", "generating", "completed", "partial_image"),
  ...of("audio", "delta", "done", "transcript.delta", "transcript.done"),
]);

/** The additional event types of version 7. */
const newest: ReadonlySet<string> = new Set([
  ...of("shell_call_command", "added", "delta", "done"),
  ...of("shell_call_output_content", "delta", "done"),
  ...of("compaction", "compacting"),
]);
