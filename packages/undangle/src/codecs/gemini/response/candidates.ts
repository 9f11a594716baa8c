import { isRecord } from "#core";
import type { JsonObject } from "#core";

import type { TextDelta } from "../../stream/response-writer.ts";

/** The response in a frame, without the wrapper of Code Assist. */
export const responseIn = (value: JsonObject): JsonObject => (isRecord(value["response"]) ? value["response"] : value);

/** A copy of a frame with another response. */
export const withResponse = (like: JsonObject, response: JsonObject): JsonObject =>
  isRecord(like["response"]) ? { ...like, response: response } : response;

export const candidatesIn = ({ candidates }: JsonObject): readonly JsonObject[] => listOf(candidates);

export function partsIn({ content }: JsonObject): readonly JsonObject[] {
  return isRecord(content) ? listOf(content["parts"]) : [];
}

const listOf = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isRecord) : []);

export const isCall = (part: JsonObject): boolean => part["functionCall"] !== undefined;

/** A candidate without an index is the only one. */
export const indexOf = ({ index }: JsonObject): number => (typeof index === "number" ? index : 0);

/** True for a response in the form that every client expects, apart from its calls. */
export function isPlainResponse(response: JsonObject): boolean {
  const { candidates = [], usageMetadata: usage = {} } = response;
  if (!isSpelt(response) || response["error"] !== undefined || !isRecord(usage)) return false;
  return Array.isArray(candidates) && candidates.every(isPlainCandidate);
}

function isPlainCandidate(candidate: unknown): boolean {
  if (!isRecord(candidate) || !isSpelt(candidate)) return false;
  const { index = 0, content = {}, finishReason: finish = "STOP" } = candidate;
  if (!Number.isInteger(index) || Number(index) < 0 || !isRecord(content)) return false;
  const { parts = [] } = content;
  if (typeof finish !== "string" || !/^[A-Z_]+$/u.test(finish)) return false;
  return Array.isArray(parts) && parts.every(isPlainPart);
}

/** Text and a call must be separate parts, because clients read only one of them. */
function isPlainPart(part: unknown): boolean {
  if (!isRecord(part) || !isSpelt(part)) return false;
  const { text = "" } = part;
  return typeof text === "string" && (text === "" || !isCall(part));
}

/** Keys that bridges write in snake case, which no client reads. */
const misspelt: ReadonlySet<string> = new Set([
  "finish_message",
  "finish_reason",
  "function_call",
  "model_version",
  "prompt_feedback",
  "response_id",
  "thought_signature",
  "usage_metadata",
]);

const isSpelt = (wire: JsonObject): boolean => Object.keys(wire).every((key) => !misspelt.has(key));

/** The text and the reasoning of a response. */
export function textsIn(response: JsonObject): readonly TextDelta[] {
  return candidatesIn(response).flatMap((candidate) =>
    partsIn(candidate).flatMap(({ text, thought }): readonly TextDelta[] => {
      if (typeof text !== "string" || text === "") return [];
      return [{ type: thought === true ? "reasoning" : "text", choice: indexOf(candidate), text }];
    }),
  );
}

/** A response with the key spelling of the API; list entries that are not objects are dropped. */
export function spelt(response: JsonObject): JsonObject {
  const { candidates, usageMetadata: usage, ...rest } = camel(response);
  return {
    ...rest,
    ...(Array.isArray(candidates) && { candidates: listOf(candidates).map(speltCandidate) }),
    ...(isRecord(usage) && { usageMetadata: camel(usage) }),
  };
}

function speltCandidate(given: JsonObject): JsonObject {
  const candidate = camel(given);
  if (!isRecord(candidate["content"])) return candidate;
  return { ...candidate, content: { role: "model", ...candidate["content"], parts: partsIn(candidate).map(camel) } };
}

const camel = (wire: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(wire).map(([key, value]) => [
      key.replace(/(?<=[a-z])_([a-z])/gu, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
