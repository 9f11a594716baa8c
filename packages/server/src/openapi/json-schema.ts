import type { RunMode } from "undangle/agent";

/** A JSON Schema of the OpenAPI document. It describes responses and does not serialize them. */
export type Schema = Readonly<Record<string, unknown>>;

/** Fields of an object by name. */
export type Fields = Readonly<Record<string, Schema>>;

export const text = { type: "string" } as const;
export const whole = { type: "integer" } as const;
export const flag = { type: "boolean" } as const;
/** Any JSON value. */
export const anything = {} as const;
/** An object with any fields. */
export const record = { type: "object", additionalProperties: true } as const;
/** An object whose fields are texts. */
export const textByName = { type: "object", additionalProperties: text } as const;
/** The content of a file. */
export const bytes = { type: "string", format: "binary" } as const;
export const date = { type: "string", format: "date-time" } as const;
/** A time in milliseconds since 1970. */
export const clock = { type: "integer", description: "Milliseconds since 1970." } as const;

/** An object. Responses may get more fields in later versions, so the schema does not exclude them. */
export const object = (required: Fields, optional: Fields = {}): Schema & { readonly properties: Fields } => ({
  type: "object",
  ...(Object.keys(required).length > 0 && { required: Object.keys(required) }),
  properties: { ...required, ...optional },
});

export const list = (items: Schema): Schema => ({ type: "array", items });

export const oneOf = (...values: readonly string[]): Schema => ({ type: "string", enum: values });

const modes: Readonly<Record<RunMode, true>> = { ask: true, "accept-edits": true, plan: true, "read-only": true };

/** The modes of runs. */
export const runModes: readonly string[] = Object.keys(modes); // a missing mode does not compile

export const constant = (value: string | number | boolean): Schema => ({ type: typeof value, const: value });

export const nullable = (schema: Schema): Schema =>
  typeof schema["type"] === "string"
    ? { ...schema, type: [schema["type"], "null"] }
    : { anyOf: [schema, { type: "null" }] };

/** The schema with a description. Beside a reference it is allowed since OpenAPI 3.1. */
export const about = (description: string, schema: Schema): Schema => ({ ...schema, description });

/** A schema of `components.ts`. */
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/** A list in a field `data`. */
export const dataOf = (name: string): Schema => object({ data: list(ref(name)) });
