import { isRecord } from "#core";

import { withListItems } from "./list-items.ts";

type Schema = Readonly<Record<string, unknown>>;

/**
 * The schema of a tool as every provider takes it: of an object, with its properties named, with no list that does not say of
 * what, and without alternatives at its root. Where there were some, all of their properties may be given; what goes together
 * is left to the check of the arguments.
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
  const { additionalProperties: _closed, ...open } = rest; // an alternative may have more than what stands at the root
  return {
    ...open,
    type: "object",
    properties: Object.fromEntries([...properties].map(([name, forms]) => [name, oneForm(forms)])),
    ...(required.size > 0 && { required: [...required] }),
  };
}

/** What an object may have, each with the forms in which it may come, and what it must have in any case. */
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
  if (depth > 8) return { properties, required }; // it may refer to itself
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

/** One form of a property, or any of several. */
function oneForm(forms: readonly unknown[]): unknown {
  const distinct = [...new Map(forms.map((form) => [JSON.stringify(form), form])).values()];
  return distinct.length === 1 ? distinct[0] : { anyOf: distinct };
}

/** What a reference inside the schema leads to. */
function resolved(schema: unknown, root: Schema): Schema {
  if (!isRecord(schema)) return {};
  const [, place, name] = /^#\/(\$defs|definitions)\/([^/]+)$/u.exec(String(schema["$ref"])) ?? [];
  const homes = place === undefined ? undefined : root[place];
  const found = isRecord(homes) && name !== undefined ? homes[name] : undefined;
  return isRecord(found) ? found : schema;
}

const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : []);

const textsIn = (value: unknown): readonly string[] => listIn(value).filter((each) => typeof each === "string");
