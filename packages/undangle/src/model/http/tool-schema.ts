import { isRecord } from "#core";
import type { JsonObject } from "#core";

import { withListItems } from "./list-items.ts";

type Schema = JsonObject;

/**
 * The schema of a tool as every provider accepts it: an object with named properties, `items` in every array, and no
 * alternatives at its root. Alternatives become optional properties; the validation of arguments checks their
 * combination.
 */
export function toolSchema(given: Schema): Schema {
  const schema = withListItems(given);
  const { anyOf, oneOf, allOf, not, if: condition, then, else: otherwise, enum: among, ...rest } = schema;
  const choices = [anyOf, oneOf, allOf, not, condition, then, otherwise, among];
  if (choices.every((choice) => choice === undefined)) {
    const isWhole = schema["type"] === "object" && isRecord(schema["properties"]);
    return isWhole ? schema : { ...schema, type: "object", properties: schema["properties"] ?? {} };
  }
  const { properties, required } = membersOf(schema, schema);
  const { additionalProperties: _closed, ...open } = rest; // an alternative may have more properties than the root
  return {
    ...open,
    type: "object",
    properties: Object.fromEntries([...properties].map(([name, forms]) => [name, oneForm(forms)])),
    ...(required.size > 0 && { required: [...required] }),
  };
}

/** The properties of an object with their possible schemas, and the required ones. */
interface Members {
  readonly properties: ReadonlyMap<string, readonly unknown[]>;
  readonly required: ReadonlySet<string>;
}

function membersOf(schema: unknown, root: Schema, depth = 0): Members {
  const given = resolved(schema, root);
  const properties = new Map<string, unknown[]>();
  const required = new Set<string>(textsIn(given["required"]));
  const take = (members: Members): void => {
    for (const [name, forms] of members.properties) properties.set(name, [...(properties.get(name) ?? []), ...forms]);
  };
  for (const [name, form] of Object.entries(isRecord(given["properties"]) ? given["properties"] : {})) {
    properties.set(name, [form]);
  }
  if (depth > 8) return { properties, required }; // it may be recursive
  for (const part of listIn(given["allOf"])) {
    const members = membersOf(part, root, depth + 1);
    take(members);
    for (const name of members.required) required.add(name);
  }
  for (const key of ["anyOf", "oneOf"]) {
    const variants = listIn(given[key]).map((variant) => membersOf(variant, root, depth + 1));
    variants.forEach(take);
    for (const name of variants[0]?.required ?? []) {
      if (variants.every((variant) => variant.required.has(name))) required.add(name);
    }
  }
  return { properties, required };
}

/** One schema of a property, or any of several. */
function oneForm(forms: readonly unknown[]): unknown {
  const distinct = [...new Map(forms.map((form) => [JSON.stringify(form), form])).values()];
  return distinct.length === 1 ? distinct[0] : { anyOf: distinct };
}

/** The target of a reference inside the schema. */
function resolved(schema: unknown, root: Schema): Schema {
  if (!isRecord(schema)) return {};
  const [, place, name] = /^#\/(\$defs|definitions)\/([^/]+)$/u.exec(String(schema["$ref"])) ?? [];
  const homes = place === undefined ? undefined : root[place];
  const found = isRecord(homes) && name !== undefined ? homes[name] : undefined;
  return isRecord(found) ? found : schema;
}

const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : []);

const textsIn = (value: unknown): readonly string[] => listIn(value).filter((each) => typeof each === "string");
