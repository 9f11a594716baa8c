/** A JSON Schema, or a part of one, as the server sends it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export type JsonRecord = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** How a value is shown and edited. */
export type Kind = "text" | "number" | "boolean" | "choice" | "date" | "moment" | "object" | "list" | "json";

/** One argument of a call. */
export interface Field {
  readonly key: string;
  readonly label: string;
  readonly description?: string;
  readonly kind: Kind;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
  /** True if the schema does not name the key. */
  readonly isUnknown: boolean;
}

/** The properties of a schema in its order, then the keys of the value that it does not name. */
export function fieldsOf(schema: JsonSchema | undefined, value: JsonRecord, root = schema): readonly Field[] {
  const { properties, required } = resolved(schema, root);
  const named = isRecord(properties) ? properties : {};
  const needed = new Set(Array.isArray(required) ? required : []);
  const fieldOf = (key: string): Field => {
    const own = resolved(Object.hasOwn(named, key) ? named[key] : undefined, root);
    const { title, description } = own;
    return {
      key,
      label: typeof title === "string" && title !== "" ? title : key,
      ...(typeof description === "string" && { description }),
      kind: kindOf(own, value[key]),
      schema: own,
      isRequired: needed.has(key),
      isUnknown: schema !== undefined && !Object.hasOwn(named, key),
    };
  };
  const others = Object.keys(value).filter((key) => !Object.hasOwn(named, key));
  return [...Object.keys(named), ...others].map(fieldOf);
}

/** Follows local references (`#/$defs/…`). A reference to itself gives an empty schema. */
export function resolved(schema: unknown, root: JsonSchema | undefined): JsonSchema {
  let found: unknown = schema;
  for (let hops = 0; isRecord(found) && typeof found["$ref"] === "string"; hops++) {
    if (hops === 10 || !found["$ref"].startsWith("#/")) return {};
    const keys = found["$ref"].slice(2).split("/");
    found = keys.reduce<unknown>(
      (holder, key) => (isRecord(holder) ? holder[key.replaceAll("~1", "/").replaceAll("~0", "~")] : undefined),
      root,
    );
  }
  return isRecord(found) ? found : {};
}

const typesOf = ({ type }: JsonSchema): readonly unknown[] =>
  (Array.isArray(type) ? type : [type]).filter((each) => each !== undefined && each !== "null");

function kindOf(schema: JsonSchema, value: unknown): Kind {
  if (Array.isArray(schema["enum"])) return "choice";
  const [type, ...others] = typesOf(schema);
  if (others.length > 0 || schema["anyOf"] !== undefined || schema["oneOf"] !== undefined) return kindOfValue(value);
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

/** A short text for a list: the first arguments as `key: value`, at most `longest` characters. */
export function summaryOf(value: unknown, longest = 160): string {
  if (!isRecord(value)) return shorten(brief(value, longest), longest);
  let text = "";
  for (const key in value) {
    if (text.length >= longest) break;
    const entry = `${key}: ${brief(value[key], longest)}`;
    text += text === "" ? entry : ` · ${entry}`;
  }
  return shorten(text, longest);
}

/** A value in one line. Large values are not written out. */
function brief(value: unknown, longest: number): string {
  if (typeof value === "string") return value.slice(0, longest).replaceAll(/\s+/gu, " ");
  if (Array.isArray(value)) {
    const shown = value.slice(0, 5).map((each) => brief(each, 40));
    return `[${shown.join(", ")}${value.length > 5 ? ", …" : ""}]`;
  }
  if (isRecord(value)) return `{${summaryOf(value, 60)}}`;
  return String(value);
}

const shorten = (text: string, longest: number): string =>
  text.length > longest ? `${text.slice(0, longest).toWellFormed()}…` : text;
