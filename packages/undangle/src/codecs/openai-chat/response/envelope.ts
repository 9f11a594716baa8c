import { isRecord } from "#core";
import type { AssembledCall, JsonObject } from "#core";

import { argumentsText, isLangChain } from "../../stream/response-writer.ts";
import type { RequestFacts } from "../../stream/response-writer.ts";

/** True if the top-level fields of a chunk have OpenAI's types. The AI SDK skips every other chunk. */
export const isSoundEnvelope = ({ id, model, created, usage }: JsonObject): boolean =>
  isTextOrNone(id) && isTextOrNone(model) && isNumberOrNone(created) && isNoneOr(usage, isSoundUsage);

/** Converts these fields to the right types, and omits those that cannot be converted. */
export function repairEnvelope(chunk: JsonObject): JsonObject {
  return isSoundEnvelope(chunk) ? chunk : repairFields(chunk, repairField);
}

export const isTextOrNone = (value: unknown): boolean => isNoneOr(value, (given) => typeof given === "string");

const isNumberOrNone = (value: unknown): boolean => isNoneOr(value, (given) => typeof given === "number");

const isNoneOr = (value: unknown, isRight: (given: unknown) => boolean): boolean =>
  value === undefined || value === null || isRight(value);

/** True if all token counts are numbers, including those in the details that clients read. */
function isSoundUsage(usage: unknown): boolean {
  if (!isRecord(usage)) return false;
  for (const key in usage) {
    if (isCount.test(key) && !isNumberOrNone(usage[key])) return false;
    if (isDetails.test(key) && !isNoneOr(usage[key], isSoundUsage)) return false;
  }
  return true;
}

const isCount = /_tokens$/u;
const isDetails = /_tokens_details$/u;

function repairField(key: string, value: unknown): unknown {
  if (key === "id" || key === "model")
    return typeof value === "number" ? String(value) : isTextOrNone(value) ? value : undefined;
  if (key === "created") return numberIn(value);
  return key === "usage" ? repairUsage(value) : value;
}

function repairUsage(usage: unknown): unknown {
  if (!isRecord(usage)) return undefined;
  return repairFields(usage, (key, value) => {
    if (isCount.test(key)) return numberIn(value);
    return isDetails.test(key) ? repairUsage(value) : value;
  });
}

/** A number, or a number as text; undefined for any other value. */
function numberIn(value: unknown): unknown {
  if (typeof value === "string" && /^\s*\d+(?:\.\d+)?\s*$/u.test(value)) return Number(value);
  return isNumberOrNone(value) ? value : undefined;
}

const repairFields = (wire: JsonObject, repair: (key: string, value: unknown) => unknown): JsonObject =>
  Object.fromEntries(
    Object.entries(wire).flatMap(([key, value]) => {
      const repaired = repair(key, value);
      return repaired === undefined ? [] : [[key, repaired]];
    }),
  );

/** The properties of a valid response, from the request and the provider. */
export interface Expectations {
  /** True if one choice was requested, which must have the first index. */
  readonly isSingle: boolean;
  /** True if the request has `functions`, so that the client reads `function_call`; undefined if unknown. */
  readonly isLegacy: boolean | undefined;
  /** True if the request forces a tool, or may do so. OpenAI ends such a turn with "stop". */
  readonly isForced: boolean;
  /** Mistral sends lists as content, and calls without a type. */
  readonly isMistral: boolean;
  /** MiniMax repeats the whole message after its end. */
  readonly isMinimax: boolean;
  /**
   * True for clients that append a `message` beside the delta, as Perplexity sends it: `stream()` and `runTools()` of
   * OpenAI's SDK 6 and 7, which repeat the last delta. Others ignore it.
   */
  readonly isMessageRead: boolean;
  /** True if tools were offered, so that calls may arrive late. */
  readonly hasTools: boolean;
  /** True if the client concatenates all finish reasons, as LangChain does. */
  readonly areReasonsJoined: boolean;
}

export function expectationsOf(facts: RequestFacts | undefined): Expectations {
  const { request, provider, helper } = facts ?? {};
  const { n, functions, tools, tool_choice: choice, function_call: called } = request ?? {};
  const isForced =
    isRecord(called) || (isRecord(choice) && (isRecord(choice["function"]) || isRecord(choice["custom"])));
  const isUnread = facts !== undefined && request === undefined;
  return {
    isSingle: request !== undefined && (n ?? 1) === 1,
    isLegacy: isUnread ? undefined : Array.isArray(functions) && !Array.isArray(tools),
    isForced: isUnread || isForced,
    isMistral: provider === "mistral",
    isMinimax: provider === "minimax",
    hasTools: (Array.isArray(tools) && tools.length > 0) || (Array.isArray(functions) && functions.length > 0),
    areReasonsJoined: isLangChain(facts),
    isMessageRead: helper?.method === "stream" || helper?.method === "runTools",
  };
}

/** A call in OpenAI's form. The input of a custom tool is plain text. */
export function wireOf(call: AssembledCall): JsonObject {
  const { id, name, extras } = call;
  return extras?.["type"] === "custom"
    ? withExtras({ id, type: "custom", custom: { name, input: call.raw } }, extras)
    : withExtras({ id, type: "function", function: { name, arguments: argumentsText(call) } }, extras);
}

/** Adds the other fields of the provider to a call and to its function. */
export function withExtras(call: JsonObject, extras: JsonObject | undefined): JsonObject {
  if (extras === undefined) return call;
  const { type: _type, function: more, ...rest } = extras;
  const called = call["function"];
  return { ...call, ...(isRecord(more) && isRecord(called) && { function: { ...called, ...more } }), ...rest };
}
