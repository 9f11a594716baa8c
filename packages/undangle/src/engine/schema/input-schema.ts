import { isRecord } from "#core";
import type { JsonObject, Language } from "#core";

import type { ArgumentsOfJsonSchema, JsonSchema } from "./json-schema.ts";
import { compileJsonSchema } from "./json-validator.ts";
import { shorten, writePath, firstProblems, unchecked } from "./validation.ts";
import type { Validation } from "./validation.ts";

/** The schema of a tool's arguments: from a schema library, or plain JSON Schema. */
export type ToolInput = StandardSchema | JsonSchema;

/** The type of the arguments that a tool with this input gets. */
export type ArgumentsOf<Input> = Input extends { readonly "~standard": unknown }
  ? OutputOf<Input>
  : Input extends object
    ? ArgumentsOfJsonSchema<Input>
    : Readonly<Record<string, never>>;

/** The type of the proposed arguments for a tool with this input: validated, but not transformed. */
export type ProposalOf<Input> = Input extends { readonly "~standard": unknown }
  ? ProposedTo<Input>
  : Input extends object
    ? ArgumentsOfJsonSchema<Input>
    : Readonly<Record<string, never>>;

/** The type of the final answer of an agent with this `output`. Undefined without it. */
export type FinalAnswerOf<Output> = Output extends undefined ? undefined : ArgumentsOf<Output>;

/** The schema of arguments for the model, and their validation. */
export interface InputSchema {
  readonly schema: JsonSchema;
  readonly validate: (args: Arguments, language?: Language) => Validation<unknown> | Promise<Validation<unknown>>;
}

type Arguments = JsonObject;

/** Reads the input of a tool. Throws a clause for use after "because" if it is invalid. */
export function readInput(input: unknown): InputSchema {
  if (input === undefined) return readJsonSchema({ type: "object", properties: {}, additionalProperties: false });
  if (isStandardSchema(input)) return readStandardSchema(input);
  if (!isRecord(input)) throw new Error("it is neither a Standard Schema nor a JSON Schema");
  const keys = Object.keys(input);
  if (keys.length > 0 && !keys.some((key) => key.startsWith("$") || schemaKeys.has(key)))
    throw new Error(
      `it is not a JSON Schema: it has ${keys.join(", ")}, and neither a type nor properties; wrap fields in an object of your library, or write { type: "object", properties: { … } }`,
    );
  return readJsonSchema(input);
}

/** A JSON Schema of arguments has at least one of these keys. */
const schemaKeys: ReadonlySet<string> = new Set(
  "type properties required additionalProperties patternProperties propertyNames minProperties maxProperties allOf anyOf oneOf not if enum const description title".split(
    " ",
  ),
);

function readJsonSchema(given: JsonSchema): InputSchema {
  const schema = objectSchema(copied(given));
  return { schema: shown(schema), validate: compileJsonSchema(schema) };
}

function readStandardSchema({ "~standard": standard }: StandardSchema): InputSchema {
  const { vendor, jsonSchema, validate } = standard;
  if (typeof jsonSchema?.input !== "function") {
    throw new Error(
      `the schema of ${vendor} cannot be converted to JSON Schema; use zod 4.2, arktype 2.1.28 or newer, toStandardJsonSchema() of @valibot/to-json-schema, or plain JSON Schema`,
    );
  }
  const schema = objectSchema(copied(jsonSchema.input({ target: "draft-2020-12" })));
  // Some libraries only describe arguments. Then the JSON Schema validates them.
  if (typeof validate !== "function") return { schema: shown(schema), validate: compileJsonSchema(schema) };
  return { schema: shown(schema), validate: (args, language = "en") => validateBy(standard, args, language) };
}

/** A frozen copy that contains only JSON. */
function copied(given: JsonSchema): JsonSchema {
  const copy: unknown = JSON.parse(JSON.stringify(given));
  if (!isRecord(copy)) throw new Error("it is not a JSON object");
  return copy;
}

/** Arguments are always an object, and providers require `type: "object"`. */
function objectSchema(schema: JsonSchema): JsonSchema {
  const { type } = schema;
  if (type !== undefined && type !== "object") {
    throw new Error(`it describes ${JSON.stringify(type)}, but the arguments of a tool must be an object`);
  }
  return { type: "object", ...schema };
}

/** The schema for models, without `$schema`, which some providers refuse. */
const shown = (schema: JsonSchema): JsonSchema =>
  deepFreeze(Object.fromEntries(Object.entries(schema).filter(([key]) => key !== "$schema")));

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null) Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}

/** A library may throw or reject. That is a problem with the arguments too, because they could not be validated. */
function validateBy(
  standard: StandardSchema["~standard"],
  args: Arguments,
  language: Language,
): Validation<unknown> | Promise<Validation<unknown>> {
  const failed = (error: unknown): Validation<unknown> => ({ ok: false, problems: [unchecked(error, language)] });
  try {
    const result = standard.validate(args);
    if (!("then" in result)) return validationOf(result, language);
    return Promise.resolve(result)
      .then((given) => validationOf(given, language))
      .catch(failed);
  } catch (error) {
    return failed(error);
  }
}

/** The messages come from the library and are in its language. */
function validationOf(result: StandardResult<unknown>, language: Language): Validation<unknown> {
  if (!result.issues) return { ok: true, value: result.value };
  const problems = firstProblems(result.issues.map(sentenceOf), language);
  if (problems.length > 0) return { ok: false, problems };
  return { ok: false, problems: [language === "zh" ? "参数不符合要求" : "The arguments do not fit"] };
}

function sentenceOf({ message, path = [] }: StandardIssue): string {
  const keys = path.map((part) => (typeof part === "object" ? part.key : part));
  return keys.length === 0 ? shorten(message, 500) : `\`${writePath(keys)}\`: ${shorten(message, 500)}`;
}

/**
 * A schema from zod 4, arktype, valibot (through `toStandardJsonSchema`) or any other library that implements Standard
 * Schema and Standard JSON Schema, version 1: https://standardschema.dev
 */
export interface StandardSchema<Output = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /** The Standard JSON Schema part; `tool()` reports its absence. */
    readonly jsonSchema?: StandardConverter;
    /** Exists only at the type level. */
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

/** The input and output of a schema as JSON Schema. It may throw for types without one. */
export interface StandardConverter {
  readonly input: (options: { readonly target: "draft-2020-12" | "draft-07" }) => Record<string, unknown>;
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The output type of such a schema. */
export type OutputOf<Schema> = Schema extends {
  readonly "~standard": { readonly types?: { readonly output: infer Output } | undefined };
}
  ? Output
  : unknown;

/** The input type of such a schema. */
export type ProposedTo<Schema> = Schema extends {
  readonly "~standard": { readonly types?: { readonly input: infer Input } | undefined };
}
  ? Input
  : unknown;

/** True for a schema of a library. Schemas of arktype are functions. */
function isStandardSchema(input: unknown): input is StandardSchema {
  if ((typeof input !== "object" && typeof input !== "function") || input === null || !("~standard" in input))
    return false;
  return isRecord(input["~standard"]);
}
