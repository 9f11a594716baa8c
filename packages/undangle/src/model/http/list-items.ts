import { isRecord } from "#core";

/**
 * The schema with `items` in every array without it, because OpenAI refuses the request ("array schema missing items").
 * The meaning is the same. Returns the same object if nothing is missing.
 */
export function withListItems<Value>(schema: Value): Value {
  if (!isRecord(schema)) return schema;
  const { type, items } = schema;
  const isBare = items === undefined && (type === "array" || (Array.isArray(type) && type.includes("array")));
  const changed: Record<string, unknown> = isBare ? { items: {} } : {};
  for (const [key, value] of Object.entries(schema)) {
    const inner = schemaKeys.has(key) ? mapped(value, withListItems) : schemaMaps.has(key) ? withMembers(value) : value;
    if (inner !== value) changed[key] = inner;
  }
  return Object.keys(changed).length === 0 ? schema : { ...schema, ...changed };
}

/** Keys whose value is a schema or a list of schemas. */
const schemaKeys: ReadonlySet<string> = new Set([
  "items",
  "prefixItems",
  "additionalProperties",
  "anyOf",
  "oneOf",
  "allOf",
  "not",
  "if",
  "then",
  "else",
]);

/** Keys whose value maps names to schemas. */
const schemaMaps: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs", "definitions"]);

function mapped(value: unknown, change: (value: unknown) => unknown): unknown {
  if (!Array.isArray(value)) return change(value);
  const list = value as readonly unknown[];
  const inner = list.map(change);
  return inner.some((each, i) => each !== list[i]) ? inner : value;
}

function withMembers(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [name, withListItems(member)] as const);
  return members.some(([name, member]) => member !== value[name]) ? Object.fromEntries(members) : value;
}
