import { Validator } from "@cfworker/json-schema";

import type { Schema } from "./read-schema.ts";

/** Whether a value is one that a schema describes. A schema that cannot be used describes nothing. */
export function fitsSchema(schema: Schema, value: unknown): boolean {
  try {
    const known = validators.get(schema) ?? compile(schema);
    validators.set(schema, known);
    return known.validate(value).valid;
  } catch {
    return false; // it is the schema that is wrong, and nobody is asked to fill it
  }
}

/** The schemas of an agent's tools are the same objects in every request. */
const validators = new WeakMap<Schema, Validator>();

// The validator writes into the schema that it is given; what is no schema shows when it is used.
const compile = (schema: Schema): Validator => new Validator(structuredClone(schema), "2020-12", true);
