import { wrapRaw, isRecord, wordOf } from "#core";
import type { AssistantEntry, Call, Source } from "#core";

import type { Context } from "./context.ts";
import { hasOwnPrefix } from "./copies.ts";
import { withoutKeys } from "./item.ts";
import type { Item } from "./item.ts";
import { resultIdPath } from "./context.ts";

/** Reads a call item, with valid arguments and a valid item id. */
export function readCall(given: Item, source: Source, context: Context): AssistantEntry {
  const item = mendArguments(dropForeignId(given, source, context), source, context);
  source.mended = item;
  const id = readId(item, source, "missing-call-id", context);
  const call: Call = {
    id,
    name: typeof item["name"] === "string" ? item["name"] : "",
    arguments: item[argumentsKey(item)],
    raw: undefined,
    damage: "unknown",
    place: -1,
    slot: -1,
    wire: item,
    fresh: id !== (item["call_id"] ?? ""),
    result: undefined,
    mayWait: item["async"] === true,
  };
  return entryOf(call, source);
}

export const entryOf = (call: Call, source: Source): AssistantEntry => ({
  role: "assistant",
  source,
  at: -1,
  fresh: call.fresh,
  content: undefined,
  parts: undefined,
  calls: [call],
});

/** The key of a call's arguments or input. */
export const argumentsKey = ({ type }: Item): "arguments" | "input" =>
  type === "custom_tool_call" ? "input" : "arguments";

/** The id that links a call and its output. "" if it is missing. A number becomes text. */
export function readId(
  { call_id: given }: Item,
  source: Source,
  rule: "missing-call-id" | "missing-result-id",
  { journal }: Context,
): string {
  if (typeof given === "string") return given;
  if (typeof given !== "number") return "";
  const callId = String(given);
  const from = `input[${source.index}]${rule === "missing-result-id" ? resultIdPath(source) : ".call_id"}`;
  const finding = { rule, from, message: `The id of the call is the number ${callId}, not text.`, callId };
  journal.report(finding, { type: "rename", source, suffix: ".call_id" });
  return callId;
}

/** Removes an item id with the wrong prefix; call_id is sufficient. */
function dropForeignId(item: Item, source: Source, { journal }: Context): Item {
  const { id, type } = item;
  if (id === undefined || id === null || hasOwnPrefix(item)) return item;
  const prefix = type === "function_call" ? "fc" : "ctc";
  const message = `The id of a ${wordOf(type)} must begin with ${prefix}.`;
  journal.note({ source, suffix: ".id" }, { rule: "item-id-prefix", message }, { type: "remove" });
  return withoutKeys(item, ["id"]);
}

/** Arguments, and the input of custom tools, are text. */
function mendArguments(item: Item, source: Source, { journal }: Context): Item {
  const key = argumentsKey(item);
  const value = item[key];
  if (typeof value === "string") return item;
  const isMissing = value === undefined || value === null;
  const got = isMissing ? "missing" : Array.isArray(value) ? "an array" : `of type ${typeof value}`;
  const finding = { rule: "arguments-type" as const, message: `The ${key} of the call is ${got}, not text.` };
  journal.note({ source, suffix: `.${key}` }, finding, { type: "rewrite" });
  return { ...item, [key]: key === "input" ? freeText(value) : argumentText(value) };
}

/** Arguments of any type as the text of a JSON object. */
export function argumentText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "{}";
  return JSON.stringify(isRecord(value) ? value : wrapRaw(JSON.stringify(value) ?? ""));
}

const freeText = (value: unknown): string =>
  value === undefined || value === null ? "" : (JSON.stringify(value) ?? "");
