import { isText, lengthOf, shown } from "./loose.ts";

/** The error texts of OpenAI's request validator, which Chat and Responses share. */

/** The error for a missing value, or one of another type than expected: `a string`, `an object`. */
export function wrongType(path: string, value: unknown, expected = "a string"): string {
  if (value === undefined) return missing(path);
  return `Invalid type for '${path}': expected ${expected}, but got ${typeOf(value)} instead.`;
}

export const missing = (path: string): string => `Missing required parameter: '${path}'.`;

/** The error for an empty or missing text, or a value that is not a text. */
export function wrongText(path: string, value: unknown): string {
  if (value !== "") return wrongType(path, value);
  return `Invalid '${path}': empty string. Expected a string with minimum length 1, but got an empty string instead.`;
}

/** The error for a name that is not a text, or has invalid characters. */
export function wrongName(path: string, name: unknown, most?: number): string {
  if (!isText(name)) return wrongText(path, name);
  if (most !== undefined && lengthOf(name) > most) return tooLong(path, name, most);
  return `Invalid '${path}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`;
}

export function tooLong(path: string, text: string, most: number): string {
  return `Invalid '${path}': string too long. Expected a string with maximum length ${most}, but got a string with length ${lengthOf(text)} instead.`;
}

export function emptyArray(path: string): string {
  return `Invalid '${path}': empty array. Expected an array with minimum length 1, but got an empty array instead.`;
}

/** The error for a value that is not allowed. */
export function wrongValue(value: unknown, supported: readonly string[]): string {
  const names = supported.map((name) => `'${name}'`);
  const last = names.pop() ?? "";
  const all = names.length > 1 ? `${names.join(", ")}, and ${last}` : [...names, last].join(" and ");
  return `Invalid value: '${shown(value)}'. Supported values are: ${all}.`;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "number") return Number.isInteger(value) ? "an integer" : "a decimal";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
