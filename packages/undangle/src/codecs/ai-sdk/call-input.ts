import { isRecord, jsonText } from "#core";
import type { JsonObject } from "#core";

/** The input of a call as text; "" if absent. */
export function inputText(input: unknown): string {
  if (input === undefined || input === null) return "";
  return typeof input === "string" ? input : jsonText(input);
}

/** True for equal texts, regardless of key order. */
export function saySame(one: string, other: string): boolean {
  if (one === other) return true;
  const [a, b] = [inOrder(one), inOrder(other)];
  return a !== undefined && a === b;
}

/** A JSON text with sorted object keys. Undefined if it cannot be compared. */
function inOrder(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text, (_, value: unknown) => (isRecord(value) ? sorted(value) : value)));
  } catch {
    return undefined; // not JSON, or nested too deeply
  }
}

const sorted = (value: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** True for a tool with plain text input, which is never parsed as JSON. */
export function takesText(tool: unknown): boolean {
  if (!isRecord(tool)) return false;
  if (tool["type"] !== "function") return true; // a provider-defined tool, with any form of input
  const type = isRecord(tool["inputSchema"]) ? tool["inputSchema"]["type"] : undefined;
  return type === "string" || (Array.isArray(type) && type.includes("string"));
}

/** True for a tool that accepts input. */
export function takesParameters(tool: unknown): boolean {
  const schema = isRecord(tool) ? tool["inputSchema"] : undefined;
  if (!isRecord(schema)) return false;
  const { properties, additionalProperties: more } = schema;
  return (isRecord(properties) && Object.keys(properties).length > 0) || more === true || isRecord(more);
}

/** True for an id that the SDK generates if a server sends no id, or one that is in use. */
export const isMadeBySdk = (id: string): boolean => /^[0-9A-Za-z]{16}$/u.test(id);
