import type { JsonObject } from "./json.ts";

/** A deep copy of lists and objects. Other values are returned unchanged. */
export function copyJson<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyJson) as Value; // of the same items
  const copy: Record<string, unknown> = { ...(value as JsonObject) }; // not an array
  for (const key of Object.keys(copy)) {
    const item = copy[key];
    if (typeof item === "object" && item !== null) copy[key] = copyJson(item);
  }
  return copy as Value; // with the same keys
}
