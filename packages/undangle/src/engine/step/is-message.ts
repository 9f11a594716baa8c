import { isRecord } from "#core";

/** True for a valid message from any source: each kind of part belongs to certain roles. */
export function isMessage(value: unknown): boolean {
  const { role, parts, results } = isRecord(value) ? value : {};
  switch (role) {
    case "system":
      return isList(parts, isTextPart);
    case "user":
      return isList(parts, isSayable);
    case "assistant":
      return isList(parts, (each) => isSayable(each) || isAnswer(each));
    case "tool":
      return isList(results, (each) => isRecord(each) && isList(each["parts"], isResultPart));
    default:
      return false;
  }
}

export const isTextPart = (value: unknown): boolean => isRecord(value) && typeof value["text"] === "string";

/** True for text and media parts. */
function isSayable(value: unknown): boolean {
  if (!isRecord(value)) return false;
  if (value["type"] === "text") return typeof value["text"] === "string";
  const { source } = value;
  return value["type"] === "media" && isRecord(source) && typeof source["type"] === "string";
}

function isAnswer(value: unknown): boolean {
  if (!isRecord(value)) return false;
  if (value["type"] === "reasoning") return typeof value["text"] === "string";
  const { name, input } = value;
  return (
    value["type"] === "call" && typeof name === "string" && isRecord(input) && ("text" in input || "value" in input)
  );
}

const isResultPart = (value: unknown): boolean => isSayable(value) || (isRecord(value) && value["type"] === "value");

const isList = (value: unknown, fits: (each: unknown) => boolean): boolean => Array.isArray(value) && value.every(fits);
