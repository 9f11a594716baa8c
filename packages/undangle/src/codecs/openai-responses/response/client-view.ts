import { isRecord } from "#core";
import type { JsonObject } from "#core";

import { completedEvent } from "./add-missing-fields.ts";
import { createClientItems, createClientParts } from "./client-items.ts";
import type { ClientItem, ClientItems } from "./client-items.ts";
import { deltaKinds, endOf, isCallType, partKeyOf, partOf, textAt } from "../stream/frames.ts";
import type { DeltaKind } from "../stream/frames.ts";

/** The state of a client, which stores the content of each event at the position in the event. */
export interface ClientView {
  readonly items: ClientItems;
  /** The last version of the response; undefined before the first. */
  response: JsonObject | undefined;
  isEnded: boolean;
  /** The sequence number of the last event, if there is one. */
  last: number | undefined;
}

export const emptyView = (): ClientView => ({
  items: createClientItems(),
  response: undefined,
  isEnded: false,
  last: undefined,
});

/** A copy for modification. The original must not change while the copy is in use. */
export const copyOf = (view: ClientView): ClientView => ({ ...view, items: createClientItems(view.items) });

/** True for an event that a client accepts, and that is consistent with its state. */
export function fits(value: JsonObject, view: ClientView): boolean {
  const { type, item, response } = value;
  if (typeof type !== "string" || view.isEnded) return false;
  if ((view.response === undefined) !== (type === "response.created")) return false;
  if (isRecord(response) && (view.response ?? response)["id"] !== response["id"]) return false;
  const kind = deltaKinds.get(type);
  if (kind !== undefined) return fitsDelta(value, kind, view);
  if (completedEvent(value) !== value) return false;
  if (endOf(value) !== undefined) return fitsEnd(value, view);
  if (isBeginning.test(type)) return isRecord(response) && isEmptyList(response["output"]) && view.items.size() === 0;
  if (type === "response.output_item.added") return isRecord(item) && fitsItem(item, value["output_index"], view);
  const isOfItem = needsItem.test(type) || value["output_index"] !== undefined || value["item_id"] !== undefined;
  return !isOfItem || fitsPlace(value, type, view);
}

/** The events that start a response. */
export const isBeginning = /^response\.(?:created|queued|in_progress)$/u;

/** Events that require the index of an item and of a part. */
const needsItem =
  /^response\.(?:output_item|content_part|output_text|refusal|reasoning|function_call_a|custom_tool_call_i)/u;
const needsPart = /^response\.(?:content_part|output_text|refusal|reasoning)/u;

/** The item type for each part type. */
const holders: readonly (readonly [part: RegExp, item: string])[] = [
  [/^response\.(?:output_text|refusal)/u, "message"],
  [/^response\.reasoning/u, "reasoning"],
];

function fitsItem(item: JsonObject, index: unknown, { items }: ClientView): boolean {
  const { type, id } = item;
  if (!isText(type) || !isText(id) || index !== items.size()) return false;
  if (items.withId(id) !== undefined) return false;
  if (type === "message") return isEmptyList(item["content"]);
  if (type === "reasoning") return isEmptyList(item["summary"]);
  if (!isCallType(type)) return true;
  const isNew = items.callOf(item["call_id"]) === undefined;
  return isNew && isText(item["call_id"]) && isText(item["name"]) && typeof argumentsIn(item) === "string";
}

/** An event about a known item. */
function fitsPlace(value: JsonObject, type: string, { items }: ClientView): boolean {
  const item = itemAt(value, items);
  if (item === undefined || item.isDone) return false;
  if (type === "response.output_item.done") {
    return isRecord(value["item"]) && value["item"]["id"] === item.id && agrees(item, value["item"]);
  }
  if (isOfCommand.test(type)) return item.type === "shell_call"; // OpenAI sends only the index
  if (value["item_id"] !== item.id) return false;
  if (isArguments(type)) {
    if (!isCallType(item.type)) return false;
    return type.endsWith(".delta") ? typeof value["delta"] === "string" : argumentsIn(value) === item.text;
  }
  const key = partKeyOf(value);
  if (holders.some(([part, holder]) => part.test(type) && item.type !== holder)) return false;
  if (isCallType(item.type) && needsPart.test(type)) return false; // a call has none
  if (key === undefined) return !needsPart.test(type);
  const part = item.parts.get(key);
  if (isPartAdded(type)) return part === undefined && partOf(value)?.text === "" && isNext(item, key);
  if (part === undefined) return false;
  return !type.endsWith(".done") || textAt(value) === part.text;
}

/** The most common kind of event. */
function fitsDelta(value: JsonObject, { part, holder }: DeltaKind, { items }: ClientView): boolean {
  const item = itemAt(value, items);
  if (item?.type !== holder || item.isDone || value["item_id"] !== item.id) return false;
  return typeof value["delta"] === "string" && item.parts.get(partKeyOf(value) ?? "")?.type === part;
}

/** The item of an event's index, which clients ignore if it is not a number. */
const itemAt = ({ output_index: index }: JsonObject, items: ClientItems): ClientItem | undefined =>
  typeof index === "number" ? items.at(index) : undefined;

/** True for the key of the next part in its list. */
function isNext({ parts }: ClientItem, key: string): boolean {
  const [list = "", index] = key.split(":");
  return index === String(parts.count(list));
}

/**
 * True for an end that is consistent with the items. A complete response repeats all of them, a truncated one may not.
 */
function fitsEnd(value: JsonObject, { items }: ClientView): boolean {
  const { type, response } = value;
  if (!isRecord(response)) return false;
  if (type === "response.incomplete" || type === "response.failed") return true;
  const { output, status } = response;
  if (type !== "response.completed" || !Array.isArray(output) || (status ?? "completed") !== "completed") return false;
  return (
    output.length === items.size() &&
    output.every((wire: unknown, index) => {
      const item = items.at(index);
      return item?.isDone === true && isRecord(wire) && agrees(item, wire);
    })
  );
}

/** True if an item matches the streamed one, with the same text and call. */
function agrees(item: ClientItem, wire: JsonObject): boolean {
  if (wire["type"] !== item.type || wire["id"] !== item.id) return false;
  if (item.type === "message") return contentText(wire) === partsText(item);
  if (!isCallType(item.type)) return true;
  const isSame = wire["call_id"] === item.wire["call_id"] && wire["name"] === item.wire["name"];
  return isSame && argumentsIn(wire) === item.text;
}

function contentText({ content }: JsonObject): string | undefined {
  if (!Array.isArray(content)) return undefined;
  const texts = content.map((part: unknown) => (isRecord(part) ? (part["text"] ?? part["refusal"]) : undefined));
  return texts.filter((text) => typeof text === "string").join("");
}

/** The text of an item as the client received it. */
export const partsText = ({ parts }: ClientItem): string => [...parts].map(([, { text }]) => text).join("");

/** Applies a valid event. */
export function show(value: JsonObject, view: ClientView): void {
  const { type, item, response, delta, sequence_number: number } = value;
  if (typeof number === "number") view.last = number;
  if (deltaKinds.has(type)) {
    const part = view.items.changed(Number(value["output_index"]))?.parts.changed(partKeyOf(value) ?? "");
    if (part !== undefined && typeof delta === "string") part.text += delta;
    return;
  }
  if (isRecord(response)) view.response = response;
  if (endOf(value) !== undefined) view.isEnded = true;
  else if (type === "response.output_item.added" && isRecord(item)) view.items.put(itemOf(item, view.items.size()));
  else showPlaced(value, view.items.changed(Number(value["output_index"])));
}

function showPlaced(value: JsonObject, item: ClientItem | undefined): void {
  const { type, item: wire, delta } = value;
  if (item === undefined || typeof type !== "string") return;
  if (type === "response.output_item.done" && isRecord(wire)) {
    item.wire = wire;
    item.isDone = true;
  } else if (isArguments(type)) {
    if (typeof delta === "string") item.text += delta;
  } else {
    const key = partKeyOf(value) ?? "";
    const part = item.parts.changed(key);
    if (isPartAdded(type)) item.parts.set(key, { type: String(partOf(value)?.type), text: "", isDone: false });
    else if (part !== undefined && type.endsWith("part.done")) part.isDone = true;
  }
}

function itemOf(wire: JsonObject, index: number): ClientItem {
  const args = argumentsIn(wire);
  const text = typeof args === "string" ? args : "";
  return {
    type: String(wire["type"]),
    id: String(wire["id"]),
    index,
    wire,
    text,
    parts: createClientParts(),
    isDone: false,
  };
}

const isArguments = (type: string): boolean =>
  type.startsWith("response.function_call_arguments.") || type.startsWith("response.custom_tool_call_input.");
const isOfCommand = /^response\.shell_call_command\./u;
const isPartAdded = (type: string): boolean => /^response\.(?:content|reasoning_summary)_part\.added$/u.test(type);
const argumentsIn = (wire: JsonObject): unknown => wire["arguments"] ?? wire["input"];
const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
