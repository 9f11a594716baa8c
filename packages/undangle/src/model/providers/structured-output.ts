import { isRecord } from "#core";

type Schema = Readonly<Record<string, unknown>>;

/** A schema for an answer as it is sent, and whether the model can be held to it. */
export interface SentSchema {
  readonly schema: Schema;
  readonly isStrict: boolean;
}

/** The schema closed where that is all it takes to be strict; else as it is, without the name of its language. */
export function sentSchema({ $schema: _language, ...schema }: Schema): SentSchema {
  const closed = schema["type"] === "object" ? strictSchema(schema) : undefined; // nothing else may stand at the root
  return closed === undefined ? { schema, isStrict: false } : { schema: closed, isStrict: true };
}

/**
 * A schema that every provider can hold its model to: objects that are closed and all of whose members are required, and
 * nothing that only some of them understand. Whatever fits it fits the one that was given. Undefined where there is none.
 */
function strictSchema(schema: unknown): Schema | undefined {
  if (!isRecord(schema) || !Object.keys(schema).every((key) => plainWords.has(key))) return undefined;
  const { type, properties, required = [], additionalProperties = false, items, anyOf } = schema;
  if (anyOf === undefined && (type === undefined || (listed(type).includes("array") && items === undefined))) {
    return undefined; // a form that says nothing of what it is, or of what it holds, is refused
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
