import { isRecord } from "#core";
import type { JsonObject } from "#core";

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
