import { isRecord } from "#core";

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
export function isStandardSchema(input: unknown): input is StandardSchema {
  if ((typeof input !== "object" && typeof input !== "function") || input === null || !("~standard" in input))
    return false;
  return isRecord(input["~standard"]);
}
