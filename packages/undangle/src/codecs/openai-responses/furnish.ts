import { isRecord } from "#core";

import type { RequestFacts, JsonObject } from "../stream/response-writer.ts";
import { itemPrefixes } from "./retarget.ts";
import { isCallType } from "./stream-frames.ts";

/**
 * An event with what servers other than OpenAI's leave out and clients rely on: the annotations of a text, and how the response
 * ended. The same reference where nothing is missing.
 */
export function furnishedEvent(value: JsonObject): JsonObject {
  const { type, part, item, response } = value;
  if (type === "response.content_part.added" || type === "response.content_part.done") {
    return isRecord(part) ? withField(value, "part", furnishedPart(part)) : value;
  }
  if (type === "response.output_item.done") {
    return isRecord(item) ? withField(value, "item", furnishedMessage(item)) : value;
  }
  if (type !== "response.completed" && type !== "response.incomplete") return value;
  return isRecord(response) ? withField(value, "response", furnishedResponse(response, type.slice(9))) : value;
}

/** A response with the status that it is known to have, and what is missing of its messages. */
function furnishedResponse(response: JsonObject, status: string): JsonObject {
  const told = isGiven(response["status"]) ? response : { ...response, status };
  return withField(told, "output", furnishedList(told["output"], furnishedMessage));
}

/** A response that is one body, with the same, and with the status of its calls. */
export function furnishedBody(body: JsonObject, asked: RequestFacts | undefined): JsonObject {
  const ended = furnishedResponse(body, "completed");
  const told = isPicky(asked) ? introduced(ended, { model: asked?.request?.["model"] }) : ended;
  const output = furnishedList(told["output"], (item, i) => {
    const done = isCallType(item["type"]) && !isGiven(item["status"]) ? { ...item, status: "completed" } : item;
    return isPicky(asked) ? identified(done, i) : done;
  });
  return withField(told, "output", output);
}

/** True for the AI SDK, which looks at every field and takes nothing without those that it knows. */
export const isPicky = (asked: RequestFacts | undefined): boolean => /\bai-sdk\b/u.test(asked?.agent ?? "");

/** True unless an event lacks what the AI SDK wants: of a response id, time and model, of a call that is done how it ended. */
export function isIntroduced({ type, response, item }: JsonObject): boolean {
  if (type === "response.output_item.done")
    return !isRecord(item) || !isCallType(item["type"]) || isGiven(item["status"]);
  if (type !== "response.created" && type !== "response.in_progress") return true;
  return isRecord(response) && introduced(response, {}) === response;
}

/**
 * A response with its id, time and model. The creation time is unknown here unless it was given. The same reference if
 * nothing is missing.
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

/** An item of a body with its id, the role of a message, and the list of a thought. */
function identified(item: JsonObject, place: number): JsonObject {
  const prefix = itemPrefixes[String(item["type"])];
  const named = prefix === undefined || isGiven(item["id"]) ? item : { ...item, id: `${prefix}_${place}` };
  if (item["type"] === "message" && !isGiven(item["role"])) return { ...named, role: "assistant" };
  return item["type"] === "reasoning" && !Array.isArray(item["summary"]) ? { ...named, summary: [] } : named;
}

const furnishedMessage = (item: JsonObject): JsonObject =>
  item["type"] === "message" ? withField(item, "content", furnishedList(item["content"], furnishedPart)) : item;

const furnishedPart = (part: JsonObject): JsonObject =>
  part["type"] === "output_text" && !Array.isArray(part["annotations"]) ? { ...part, annotations: [] } : part;

function furnishedList(list: unknown, furnish: (each: JsonObject, place: number) => JsonObject): unknown {
  if (!Array.isArray(list)) return list;
  const furnished = list.map((each: unknown, i) => (isRecord(each) ? furnish(each, i) : each));
  return furnished.some((each, i) => each !== list[i]) ? furnished : list;
}

const withField = (value: JsonObject, key: string, field: unknown): JsonObject =>
  value[key] === field ? value : { ...value, [key]: field };

const isGiven = (value: unknown): boolean => typeof value === "string" && value.trim() !== "";
