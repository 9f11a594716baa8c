import { isRecord } from "#core";

/** A schema as a plain object, of which nothing is known. */
export type Schema = Readonly<Record<string, unknown>>;

const deepest = 20;

/** A schema with its references followed and its parts put together. `false` and what is no schema lets everything pass here. */
export function readSchema(given: unknown, root: Schema, depth = 0): Schema {
  if (!isRecord(given) || depth > deepest) return {};
  const { $ref, allOf, ...own } = given;
  let schema: Schema = own;
  if (typeof $ref === "string") schema = merged(readSchema(targetOf($ref, root), root, depth + 1), schema);
  if (Array.isArray(allOf)) {
    for (const part of allOf) schema = merged(schema, readSchema(part, root, depth + 1));
  }
  return schema;
}

/** Two schemas that both have to hold, as far as the usual ones go. */
export function merged(first: Schema, second: Schema): Schema {
  const properties = { ...recordIn(first, "properties"), ...recordIn(second, "properties") };
  const required = [...namesIn(first["required"]), ...namesIn(second["required"])];
  return {
    ...first,
    ...second,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

/** The types that a value may be of; what a schema leaves out is told by the rest of it. */
export function typesOf(schema: Schema): readonly string[] {
  const { type } = schema;
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.map(String);
  if ("properties" in schema || "additionalProperties" in schema) return ["object"];
  if ("items" in schema || "prefixItems" in schema) return ["array"];
  if ("minimum" in schema || "maximum" in schema || "multipleOf" in schema) return ["number"];
  return ["string"];
}

/** The alternatives of a schema, each with what holds for all of them; only itself where it has none. */
export function alternativesOf(schema: Schema, root: Schema): readonly Schema[] {
  const { anyOf, oneOf, ...common } = schema;
  const given = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : undefined;
  if (given !== undefined) return given.map((each) => merged(common, readSchema(each, root)));
  const types = typesOf(schema);
  return types.length < 2 ? [schema] : types.map((type) => ({ ...schema, type }));
}

export const recordIn = (schema: Schema, key: string): Readonly<Record<string, unknown>> => {
  const value = schema[key];
  return isRecord(value) ? value : {};
};

export const namesIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];

/** The schema that a reference inside the same document leads to. */
function targetOf(reference: string, root: Schema): unknown {
  if (!reference.startsWith("#")) return undefined;
  return reference
    .slice(1)
    .split("/")
    .filter((part) => part !== "")
    .map((part) => decoded(part).replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>((holder, key) => (isRecord(holder) ? holder[key] : undefined), root);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // a percent sign that is nothing but itself
  }
}
