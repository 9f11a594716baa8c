import { isRecord } from "#core";
import type { JsonObject } from "#core";

import type { RequestFacts } from "../../stream/response-writer.ts";
import { isCallType } from "../stream/frames.ts";
import type { ClientView } from "./client-view.ts";

/**
 * Adds fields to an event that some servers omit and clients require: the annotations of text, and the status of the
 * response. Returns the same reference if nothing is missing.
 */
export function completedEvent(value: JsonObject): JsonObject {
  const { type, part, item, response } = value;
  if (type === "response.content_part.added" || type === "response.content_part.done") {
    return isRecord(part) ? withField(value, "part", completedPart(part)) : value;
  }
  if (type === "response.output_item.done") {
    return isRecord(item) ? withField(value, "item", completedMessage(item)) : value;
  }
  if (type !== "response.completed" && type !== "response.incomplete") return value;
  return isRecord(response) ? withField(value, "response", completedResponse(response, type.slice(9))) : value;
}

/** Adds the known status and missing message fields to a response. */
function completedResponse(response: JsonObject, status: string): JsonObject {
  const sent = isGiven(response["status"]) ? response : { ...response, status };
  return withField(sent, "output", completedList(sent["output"], completedMessage));
}

/** The same for a response body, including the status of its calls. */
export function completedBody(body: JsonObject, facts: RequestFacts | undefined): JsonObject {
  const ended = completedResponse(body, "completed");
  const sent = isPicky(facts) ? introduced(ended, { model: facts?.request?.["model"] }) : ended;
  const output = completedList(sent["output"], (item, i) => {
    const done = isCallType(item["type"]) && !isGiven(item["status"]) ? { ...item, status: "completed" } : item;
    return isPicky(facts) ? identified(done, i) : done;
  });
  return withField(sent, "output", output);
}

/** True for the AI SDK, which validates every field and rejects objects with missing fields. */
export const isPicky = (facts: RequestFacts | undefined): boolean => /\bai-sdk\b/u.test(facts?.agent ?? "");

/**
 * True if an event has the fields that the AI SDK requires: id, time and model of a response, and the status of a
 * completed call.
 */
export function isIntroduced({ type, response, item }: JsonObject): boolean {
  if (type === "response.output_item.done")
    return !isRecord(item) || !isCallType(item["type"]) || isGiven(item["status"]);
  if (type !== "response.created" && type !== "response.in_progress") return true;
  return isRecord(response) && introduced(response, {}) === response;
}

/**
 * Adds id, time and model to a response. An unknown creation time becomes 0. Returns the same reference if nothing is
 * missing.
 */
export function introduced(
  response: JsonObject,
  { id = "resp_0", created_at: time = 0, model }: JsonObject,
): JsonObject {
  const { id: ownId, created_at: ownTime, model: ownModel } = response;
  if (typeof ownId === "string" && typeof ownTime === "number" && typeof ownModel === "string") return response;
  return {
    ...response,
    ...(typeof ownId !== "string" && { id }),
    ...(typeof ownTime !== "number" && { created_at: time }),
    ...(typeof ownModel !== "string" && { model: typeof model === "string" ? model : "" }),
  };
}

/** Adds the id of an item, the role of a message, and the summary list of reasoning. */
function identified(item: JsonObject, place: number): JsonObject {
  const prefix = itemPrefixes[String(item["type"])];
  const named = prefix === undefined || isGiven(item["id"]) ? item : { ...item, id: `${prefix}_${place}` };
  if (item["type"] === "message" && !isGiven(item["role"])) return { ...named, role: "assistant" };
  return item["type"] === "reasoning" && !Array.isArray(item["summary"]) ? { ...named, summary: [] } : named;
}

const completedMessage = (item: JsonObject): JsonObject =>
  item["type"] === "message" ? withField(item, "content", completedList(item["content"], completedPart)) : item;

const completedPart = (part: JsonObject): JsonObject =>
  part["type"] === "output_text" && !Array.isArray(part["annotations"]) ? { ...part, annotations: [] } : part;

function completedList(list: unknown, complete: (each: JsonObject, place: number) => JsonObject): unknown {
  if (!Array.isArray(list)) return list;
  const completed = list.map((each: unknown, i) => (isRecord(each) ? complete(each, i) : each));
  return completed.some((each, i) => each !== list[i]) ? completed : list;
}

const withField = (value: JsonObject, key: string, field: unknown): JsonObject =>
  value[key] === field ? value : { ...value, [key]: field };

const isGiven = (value: unknown): boolean => typeof value === "string" && value.trim() !== "";

/** An event with the index and id of the client's item, and the id of its response. */
export function retarget(
  value: JsonObject,
  { items, response: sent }: ClientView,
  places: Map<unknown, number>,
): JsonObject {
  const { type, output_index: index, item_id: id, item, response } = value;
  if (isRecord(response)) {
    const named = sent === undefined ? response : { ...response, id: sent["id"] };
    return { ...value, response: items.size() === 0 ? { ...named, output: [] } : named };
  }
  if (type === "response.output_item.added") {
    if (!isRecord(item)) return value;
    const place = items.size();
    if (index !== place) places.set(index, place);
    const isFree = typeof item["id"] === "string" && item["id"] !== "" && items.withId(item["id"]) === undefined;
    const start = item["type"] === "message" ? { content: [] } : item["type"] === "reasoning" ? { summary: [] } : {};
    const own = isFree ? {} : { id: `${itemPrefixes[String(item["type"])] ?? "item"}_${place}` };
    return { ...value, output_index: place, item: { ...item, ...start, ...own } };
  }
  if (index === undefined && id === undefined && !isRecord(item)) return value;
  const placed = typeof index === "number" ? (places.get(index) ?? index) : items.withId(id)?.index;
  const place = placed === undefined || placed < 0 ? items.size() - 1 : placed;
  const known = items.at(place);
  if (known === undefined) return value;
  const named = isRecord(item) ? { item: { ...item, id: known.id } } : { item_id: known.id };
  return { ...value, output_index: place, ...named };
}

/** The prefixes of item ids. */
export const itemPrefixes: Readonly<Record<string, string>> = {
  message: "msg",
  reasoning: "rs",
  function_call: "fc",
  custom_tool_call: "ctc",
};
