import { isRecord } from "#core";
import type { JsonObject } from "#core";

type Schema = JsonObject;

/** A response schema as it is sent, and whether the provider enforces it. */
export interface SentSchema {
  readonly schema: Schema;
  readonly isStrict: boolean;
}

/** The schema, closed if that makes it strict; otherwise unchanged without `$schema`. */
export function sentSchema({ $schema: _language, ...schema }: Schema): SentSchema {
  const closed = schema["type"] === "object" ? strictSchema(schema) : undefined; // the root must be an object
  return closed === undefined ? { schema, isStrict: false } : { schema: closed, isStrict: true };
}

/**
 * A schema that every provider can enforce: closed objects with only required properties, and no unsupported keywords.
 * Every value that matches it matches the given schema. Undefined if there is none.
 */
function strictSchema(schema: unknown): Schema | undefined {
  if (!isRecord(schema) || !Object.keys(schema).every((key) => plainWords.has(key))) return undefined;
  const { type, properties, required = [], additionalProperties = false, items, anyOf } = schema;
  if (anyOf === undefined && (type === undefined || (listed(type).includes("array") && items === undefined))) {
    return undefined; // a schema without a type is refused
  }
  const strict: Record<string, unknown> = { ...schema };
  if (items !== undefined && (strict["items"] = strictSchema(items)) === undefined) return undefined;
  if (anyOf !== undefined) {
    const inner = Array.isArray(anyOf) ? anyOf.map(strictSchema) : [undefined];
    if (inner.includes(undefined)) return undefined;
    strict["anyOf"] = inner;
  }
  if (type !== "object") return properties === undefined ? strict : undefined;
  if (!isRecord(properties) || additionalProperties !== false || !Array.isArray(required)) return undefined;
  const members = Object.entries(properties).map(([name, member]) => [name, strictSchema(member)] as const);
  if (!members.every(([name, member]) => required.includes(name) && member !== undefined)) return undefined;
  return { ...strict, properties: Object.fromEntries(members), required, additionalProperties: false };
}

const listed = (type: unknown): readonly unknown[] => (Array.isArray(type) ? (type as readonly unknown[]) : [type]);

const plainWords = new Set([
  "type",
  "title",
  "description",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "enum",
  "const",
  "anyOf",
]);
