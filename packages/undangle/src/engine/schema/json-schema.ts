import type { JsonObject } from "#core";

/** A JSON Schema, as a plain object. */
export type JsonSchema = JsonObject;

/** The arguments of a JSON Schema by its type; `Record<string, unknown>` if unknown. */
export type ArgumentsOfJsonSchema<Schema> =
  JsonValueOf<Schema> extends infer Value extends object ? Value : Record<string, unknown>;

/** The values of a JSON Schema; unknown if its type is. */
export type JsonValueOf<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly type: readonly (infer Type)[] }
      ? OfType<Type, Schema>
      : Schema extends { readonly type: infer Type }
        ? OfType<Type, Schema>
        : Schema extends { readonly properties: unknown }
          ? OfType<"object", Schema>
          : unknown;

/** Distributes over a union of types. */
type OfType<Type, Schema> = Type extends "string"
  ? string
  : Type extends "number" | "integer"
    ? number
    : Type extends "boolean"
      ? boolean
      : Type extends "null"
        ? null
        : Type extends "array"
          ? Schema extends { readonly items: infer Items }
            ? JsonValueOf<Items>[]
            : unknown[]
          : Type extends "object"
            ? ObjectOf<Schema>
            : unknown;

type ObjectOf<Schema> = Schema extends { readonly properties: infer Properties }
  ? Flat<
      { [Key in keyof Properties & RequiredIn<Schema>]: JsonValueOf<Properties[Key]> } & {
        [Key in Exclude<keyof Properties, RequiredIn<Schema>>]?: JsonValueOf<Properties[Key]>;
      }
    >
  : Record<string, unknown>;

type RequiredIn<Schema> = Schema extends { readonly required: readonly (infer Key)[] } ? Key : never;

/** Flattens an intersection into one object type. */
type Flat<Value> = { -readonly [Key in keyof Value]: Value[Key] };
