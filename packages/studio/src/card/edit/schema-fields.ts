import { isRecord } from "../../parts/json-record.ts";
import type { JsonRecord } from "../../parts/json-record.ts";

/** A JSON Schema, or a part of one, as the server sends it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The path of a member of a value: `items[2].name`. A key with dots or brackets is quoted, so that paths are unique. */
export function memberPath(path: string, key: string): string {
  if (key === "" || /[.[\]"]/u.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === "" ? key : `${path}.${key}`;
}

/** A property of a record itself. Keys such as `constructor` are otherwise found on every object. */
export const ownValue = (record: JsonRecord, key: string): unknown =>
  Object.hasOwn(record, key) ? record[key] : undefined;

/** How a value is shown and edited. */
type Kind = "text" | "number" | "boolean" | "choice" | "date" | "moment" | "object" | "list" | "json";

/** A value that a schema lists. */
export interface Choice {
  readonly value: unknown;
  readonly title?: string;
}

/** One argument of a call. */
export interface Field {
  readonly key: string;
  readonly label: string;
  readonly description?: string;
  readonly kind: Kind;
  /** Without the alternative `null`. */
  readonly schema: JsonSchema;
  readonly isNullable: boolean;
  readonly isRequired: boolean;
  /** True if the schema does not name the key. */
  readonly isUnknown: boolean;
}

/** The properties of a schema in its order, then the keys of the value that it does not name. */
export function fieldsOf(schema: JsonSchema | undefined, value: JsonRecord, root = schema): readonly Field[] {
  const { properties, required, additionalProperties: other, patternProperties } = resolved(schema, root);
  const named = isRecord(properties) ? properties : {};
  const needed = new Set(Array.isArray(required) ? required : []);
  const isClosed = isRecord(properties) && other !== true && !isRecord(other) && patternProperties === undefined;
  const fieldOf = (key: string): Field => ({
    ...fieldWith(Object.hasOwn(named, key) ? named[key] : other, ownValue(value, key), { key, root }),
    isRequired: needed.has(key),
    isUnknown: isClosed && !Object.hasOwn(named, key),
  });
  const others = Object.keys(value).filter((key) => !Object.hasOwn(named, key));
  return [...Object.keys(named), ...others].map(fieldOf);
}

/** True if a schema permits no argument at all, so that there is nothing to write. */
export function permitsNothing(schema: JsonSchema): boolean {
  const { properties, additionalProperties: other, patternProperties, allOf, anyOf, oneOf } = resolved(schema, schema);
  const isOpen = other === true || isRecord(other) || [patternProperties, allOf, anyOf, oneOf].some(Boolean);
  return !isOpen && (!isRecord(properties) || Object.keys(properties).length === 0);
}

/** An item of a list whose schema states what its items are. Undefined if the list must be edited as a whole. */
export function itemField({ label, schema }: Field, item: unknown, at: number, root?: JsonSchema): Field | undefined {
  if (!isRecord(schema["items"])) return undefined;
  const field = fieldWith(schema["items"], item, { key: String(at), root });
  const isPlain = field.kind === "json" || (field.kind === "object" && !isRecord(field.schema["properties"]));
  return isPlain ? undefined : { ...field, label: `${label} ${at + 1}`, isRequired: true, isUnknown: false };
}

interface FieldPlace {
  readonly key: string;
  readonly root: JsonSchema | undefined;
}

function fieldWith(given: unknown, value: unknown, { key, root }: FieldPlace) {
  const { schema, isNullable } = withoutNull(given, root);
  const { title, description } = schema;
  return {
    key,
    label: typeof title === "string" && title !== "" ? title : key,
    ...(typeof description === "string" && { description }),
    kind: kindOf(schema, value, root),
    schema,
    isNullable,
  };
}

/** A schema that permits a type or `null`, as that of the type alone. */
export function withoutNull(
  given: unknown,
  root: JsonSchema | undefined,
): { readonly schema: JsonSchema; readonly isNullable: boolean } {
  const whole = resolved(given, root);
  const { anyOf, oneOf, ...rest } = whole;
  const alternatives: readonly unknown[] = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : [];
  const others = alternatives.filter((each) => resolved(each, root)["type"] !== "null");
  if (others.length === 1 && alternatives.length === 2)
    return { schema: { ...resolved(others[0], root), ...rest }, isNullable: true };
  const { type, enum: listed } = whole;
  const isNullable =
    others.length < alternatives.length ||
    (Array.isArray(type) && type.includes("null")) ||
    (Array.isArray(listed) && listed.includes(null));
  return { schema: whole, isNullable };
}

/** The values that a schema lists, as `enum`, as `const`, or as alternatives that are constants. Without `null`. */
export function choicesIn(schema: JsonSchema, root: JsonSchema | undefined): readonly Choice[] | undefined {
  const { enum: listed, const: only, anyOf, oneOf } = schema;
  if (Array.isArray(listed)) return listed.filter((value) => value !== null).map((value: unknown) => ({ value }));
  if (only !== undefined) return [{ value: only }];
  const alternatives: readonly unknown[] = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : [];
  const schemas = alternatives.map((each) => resolved(each, root)).filter(({ type }) => type !== "null");
  if (schemas.length === 0 || schemas.some(({ const: value }) => value === undefined)) return undefined;
  return schemas.map(({ const: value, title }) => ({ value, ...(typeof title === "string" && { title }) }));
}

/** Follows local references (`#/$defs/…`). A reference to itself gives an empty schema. */
export function resolved(schema: unknown, root: JsonSchema | undefined): JsonSchema {
  let found: unknown = schema;
  for (let hops = 0; isRecord(found) && typeof found["$ref"] === "string"; hops++) {
    if (hops === 10 || !found["$ref"].startsWith("#/")) return {};
    const keys = found["$ref"].slice(2).split("/");
    found = keys.reduce<unknown>(
      (holder, key) =>
        isRecord(holder) ? ownValue(holder, key.replaceAll("~1", "/").replaceAll("~0", "~")) : undefined,
      root,
    );
  }
  return isRecord(found) ? found : {};
}

const typesOf = ({ type }: JsonSchema): readonly unknown[] =>
  (Array.isArray(type) ? type : [type]).filter((each) => each !== undefined && each !== "null");

function kindOf(schema: JsonSchema, value: unknown, root: JsonSchema | undefined, depth = 0): Kind {
  if (depth > 5) return "json"; // its first alternative is itself
  if (choicesIn(schema, root) !== undefined) return "choice";
  const [type, ...others] = typesOf(schema);
  const { anyOf, oneOf = anyOf } = schema;
  const alternatives: readonly unknown[] = Array.isArray(oneOf) ? oneOf : others.length > 0 ? [{ type }] : [];
  if (alternatives.length > 0)
    return value === undefined ? kindOf(resolved(alternatives[0], root), value, root, depth + 1) : kindOfValue(value);
  if (type === "string") {
    const { format } = schema;
    return format === "date" ? "date" : format === "date-time" ? "moment" : "text";
  }
  if (type === "number" || type === "integer") return "number";
  if (type === "boolean") return "boolean";
  if (type === "object") return isRecord(schema["properties"]) ? "object" : "json";
  if (type === "array") return "list";
  return kindOfValue(value);
}

function kindOfValue(value: unknown): Kind {
  if (typeof value === "string") return "text";
  if (typeof value === "number") return "number";
  if (typeof value === "boolean") return "boolean";
  if (Array.isArray(value)) return "list";
  return isRecord(value) ? "object" : "json";
}

/** The currency of an amount: an argument `currency` beside it with a code such as EUR. */
export function currencyBeside(key: string, value: JsonRecord): string | undefined {
  if (!/amount|price|total|cost|fee|sum|balance/iu.test(key)) return undefined;
  const currency = value["currency"];
  return typeof currency === "string" && /^[A-Z]{3}$/u.test(currency) ? currency : undefined;
}

/** The least of a value that a summary shows. */
const leastShown = 24;

/** A summary shows what is inside a value down to here. */
const deepest = 3;

/** A short text for a list: the first arguments as `key: value`, at most `longest` characters. A long one is cut first. */
export function summaryOf(value: unknown, longest = 160, depth = 0): string {
  if (!isRecord(value)) return shorten(brief(value, longest, depth), longest);
  const share = Math.max(leastShown, Math.floor(longest / Object.keys(value).length));
  let text = "";
  for (const key in value) {
    if (text.length >= longest) break;
    const entry = `${key}: ${brief(value[key], share, depth)}`;
    text += text === "" ? entry : ` · ${entry}`;
  }
  return shorten(text, longest);
}

/** A value in one line. Large values are not written out. */
function brief(value: unknown, longest: number, depth: number): string {
  if (typeof value === "string") {
    const line = value.slice(0, longest).toWellFormed().replaceAll(/\s+/gu, " ");
    return value.length > longest ? `${line}…` : line;
  }
  if (Array.isArray(value)) {
    if (depth === deepest && value.length > 0) return "[…]";
    const shown = value.slice(0, 5).map((each) => brief(each, 40, depth + 1));
    return `[${shown.join(", ")}${value.length > 5 ? ", …" : ""}]`;
  }
  if (isRecord(value)) return depth === deepest ? "{…}" : `{${summaryOf(value, 60, depth + 1)}}`;
  return String(value);
}

const shorten = (text: string, longest: number): string =>
  text.length > longest ? `${text.slice(0, longest).toWellFormed()}…` : text;
