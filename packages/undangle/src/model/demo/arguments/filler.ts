import type { Gathered } from "./gathered.ts";
import type { Schema } from "./read-schema.ts";

/** What is kept while a schema is filled. */
export interface Filler {
  readonly root: Schema;
  readonly gathered: Gathered;
  /** Only what has to be there is filled in. */
  readonly isBare: boolean;
  /** Names of arguments that nobody said. */
  readonly madeUp: Set<string>;
  /** Names of arguments that are as in a call before. */
  readonly carried: Set<string>;
  failed: { readonly name: string; readonly said: unknown } | undefined;
  /** A value for an argument; undefined where there is none, which is as it should be where it is optional. */
  readonly fill: (schema: Schema, filler: Filler, wanted: Wanted) => unknown;
}

/** An argument that is looked for. */
export interface Wanted {
  readonly name: string;
  /** The argument of the call that it is, or is a part of. */
  readonly root: string;
  readonly isRequired: boolean;
  readonly depth: number;
}
