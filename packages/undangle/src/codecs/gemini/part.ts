import { isRecord } from "#core";
import type { JsonObject } from "#core";

/** The spelling of keys: camel case as in the SDKs, or snake case as in REST. */
export type Spelling = "camel" | "snake";

const callKeys = { camel: "functionCall", snake: "function_call" } as const;
const responseKeys = { camel: "functionResponse", snake: "function_response" } as const;
const signatureKeys = { camel: "thoughtSignature", snake: "thought_signature" } as const;

/** The key of the call in a part. Without a part, the key to write. */
export const callKey = (part: unknown, spelling: Spelling): string => keyIn(part, callKeys) ?? callKeys[spelling];

/** The same for a response. */
export const responseKey = (part: unknown, spelling: Spelling): string =>
  keyIn(part, responseKeys) ?? responseKeys[spelling];

/** The same for a thought signature, which has the spelling of its call. */
export function signatureKey(part: unknown, spelling: Spelling): string {
  const beside = isRecord(part) ? spellingOf(part) : undefined;
  return keyIn(part, signatureKeys) ?? signatureKeys[beside ?? spelling];
}

export const isCall = (part: unknown): part is JsonObject => keyIn(part, callKeys) !== undefined;

export const isResponse = (part: unknown): part is JsonObject => keyIn(part, responseKeys) !== undefined;

/** The call or response inside a part; an empty object for other values. */
export function insideOf(part: unknown, key: string): JsonObject {
  const inside = isRecord(part) ? part[key] : undefined;
  return isRecord(inside) ? inside : {};
}

/** True for a response with an error. Many tools also return an empty error field. */
export function isFailure(response: unknown): boolean {
  if (!isRecord(response) || !("error" in response)) return false;
  return Boolean(response["error"]) || Object.keys(response).length === 1;
}

export function isSigned(part: unknown): boolean {
  if (!isRecord(part)) return false;
  return [part["thoughtSignature"], part["thought_signature"]].some((one) => typeof one === "string" && one !== "");
}

/** The spelling of the call or response in a part. Undefined if it has neither. */
export function spellingOf(part: unknown): Spelling | undefined {
  if (!isRecord(part)) return undefined;
  if (isSet(part["functionCall"]) || isSet(part["functionResponse"])) return "camel";
  return isSet(part["function_call"]) || isSet(part["function_response"]) ? "snake" : undefined;
}

/** The data fields of a part, of which exactly one is set. */
const dataKeys = new Set([
  "text",
  "inlineData",
  "inline_data",
  "fileData",
  "file_data",
  "functionCall",
  "function_call",
  "functionResponse",
  "function_response",
  "executableCode",
  "executable_code",
  "codeExecutionResult",
  "code_execution_result",
  "toolCall",
  "tool_call",
  "toolResponse",
  "tool_response",
]);

/** Keys that are allowed beside the data of a part. */
const sideKeys = new Set([
  "thought",
  "thoughtSignature",
  "thought_signature",
  "videoMetadata",
  "video_metadata",
  "mediaResolution",
  "media_resolution",
  "partMetadata",
  "part_metadata",
]);

/** The data fields that a part sets. */
export const dataIn = (part: JsonObject): readonly string[] =>
  Object.keys(part).filter((key) => dataKeys.has(key) && isSet(part[key]));

/** True if a part has an unknown key. */
export const hasUnknownKey = (part: JsonObject): boolean =>
  Object.keys(part).some((key) => !dataKeys.has(key) && !sideKeys.has(key));

/** Null counts as absent. */
const isSet = (value: unknown): boolean => value !== undefined && value !== null;

function keyIn(part: unknown, keys: Readonly<Record<Spelling, string>>): string | undefined {
  if (!isRecord(part)) return undefined;
  if (isSet(part[keys.camel])) return keys.camel;
  return isSet(part[keys.snake]) ? keys.snake : undefined;
}
