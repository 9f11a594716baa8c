import { bad } from "../chat/fields.ts";
import { ApiError } from "./api-error.ts";

/** An error of the schema validator with the option `verbose`. */
interface Fault {
  readonly keyword: string;
  /** A JSON pointer into the request. */
  readonly instancePath: string;
  readonly params?: Readonly<Record<string, unknown>>;
  /** The schema with the keyword, and the refused value. */
  readonly parentSchema?: unknown;
  readonly data?: unknown;
}

/** The keywords that schemas of routes use. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly minItems?: number;
  readonly minProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  /** A description of the allowed values, if the keywords are not enough. */
  readonly "x-allowed"?: string;
}

/** The error of a request that does not match its schema: the field, the allowed values and the value. */
export function schemaFault(faults: readonly object[], part: string): ApiError {
  const [fault] = (faults as readonly Fault[]).toSorted((one, other) => weightOf(other) - weightOf(one)); // from the option verbose
  if (fault === undefined) return bad(part, "as the OpenAPI document describes it", undefined);
  const { keyword, instancePath, params = {}, data } = fault;
  const schema = schemaOf(fault.parentSchema);
  const at = pathOf(instancePath);
  const placed = (name: unknown): string => shownPath([...at, String(name)]);
  if (keyword === "additionalProperties") {
    const known = Object.keys(schema.properties ?? {}).join(", ");
    const param = placed(params["additionalProperty"]);
    return new ApiError(400, "parameter-invalid", `${param} is not a parameter of this route. Known: ${known}.`, {
      param,
    });
  }
  if (keyword === "required") {
    const missing = String(params["missingProperty"]);
    return bad(placed(missing), allowedBy(schema.properties?.[missing] ?? {}), undefined);
  }
  return bad(at.length === 0 ? part : shownPath(at), allowedBy(schema), data);
}

/** Ranks faults: the deepest first, and among equals the most specific. */
const weightOf = ({ instancePath, keyword }: Fault): number =>
  10 * pathOf(instancePath).length + (bySpecificity.indexOf(keyword) + 1);

const bySpecificity: readonly string[] = ["anyOf", "required", "oneOf", "additionalProperties"];

const schemaOf = (value: unknown): Schema => (typeof value === "object" && value !== null ? value : {});

/** A description of the values that a schema allows. */
function allowedBy(schema: Schema): string {
  const { anyOf, oneOf, type, properties = {} } = schema;
  if (schema["x-allowed"] !== undefined) return schema["x-allowed"];
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return orList(schema.enum.map((each) => JSON.stringify(each)));
  if (anyOf !== undefined) return orList(anyOf.map(allowedBy));
  if (oneOf !== undefined)
    return `an object with exactly one of: ${oneOf.flatMap(({ required = [] }) => required).join(", ")}`;
  if (Array.isArray(type)) return orList(type.map((each: string) => allowedBy({ type: each })));
  switch (type) {
    case "string":
      return textWords(schema);
    case "integer":
      return schema.minimum === undefined ? "a whole number" : `a whole number of at least ${schema.minimum}`;
    case "array":
      return (schema.minItems ?? 0) > 0 ? "a non-empty list" : "a list";
    case "object": {
      const { required = [], minProperties = 0 } = schema;
      if (required.length > 0) return `an object with ${required.join(", ")}`;
      if (minProperties === 0) return "an object";
      const names = Object.keys(properties);
      return names.length === 0 ? "a non-empty object" : `an object with at least one of: ${names.join(", ")}`;
    }
    case "null":
      return "null";
    default:
      return "present";
  }
}

function textWords({ minLength = 0, maxLength }: Schema): string {
  if (maxLength !== undefined) return `a string of ${minLength} to ${maxLength} characters`;
  return minLength > 0 ? "a non-empty string" : "a string";
}

const orList = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1) ?? ""}`;

const pathOf = (pointer: string): readonly string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));

/** `metadata.tags[0]`. */
const shownPath = (path: readonly string[]): string =>
  path
    .map((part, i) => {
      if (/^\d+$/u.test(part)) return `[${part}]`;
      if (!/^[\w-]+$/u.test(part)) return `[${JSON.stringify(part)}]`;
      return i === 0 ? part : `.${part}`;
    })
    .join("");
