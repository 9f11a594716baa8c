import { isRecord } from "#core";
import type { JsonObject } from "#core";

import type { RequestFacts } from "../../stream/response-writer.ts";
import { itemPrefixes } from "./renumber-items.ts";
import { isCallType } from "../stream/frames.ts";

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
