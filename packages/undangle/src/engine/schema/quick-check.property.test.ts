import { dereference, validate } from "@cfworker/json-schema";
import type { Schema } from "@cfworker/json-schema";
import fc from "fast-check";
import { expect, test } from "vitest";

import { compileQuickCheck } from "./quick-check.ts";

const keys = fc.constantFrom("a", "b", "c", "toString", "__proto__", "");
const scalar = fc.oneof(
  fc.constantFrom<unknown>("", "a", "ab", "😀", "2026-01-01", 0, 1, -1, 1.5, 7, true, false, null),
  fc.jsonValue({ maxDepth: 0 }),
);

/** Schemas of the common keywords; some have one that is not common, or a value that is not one of its keyword. */
const { schema } = fc.letrec<{ readonly schema: unknown; readonly node: unknown }>((tie) => ({
  schema: fc.oneof({ maxDepth: 3, withCrossShrink: true }, fc.boolean(), tie("node")),
  node: fc.record(
    {
      type: fc.oneof(type(), fc.uniqueArray(type(), { minLength: 1, maxLength: 3 })),
      const: scalar,
      enum: fc.array(scalar, { maxLength: 4 }),
      anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }),
      allOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }),
      properties: fc.dictionary(keys, tie("schema"), { maxKeys: 3 }),
      required: fc.uniqueArray(keys, { maxLength: 2 }),
      additionalProperties: tie("schema"),
      items: tie("schema"),
      minItems: fc.nat(2),
      maxItems: fc.nat(2),
      minLength: fc.nat(2),
      maxLength: fc.nat(2),
      pattern: fc.constantFrom("^a", "b$", "."),
      format: fc.constantFrom("date", "email", "no-such-format"),
      minimum: fc.constantFrom(0, 1, 1.5),
      maximum: fc.constantFrom(0, 1, 1.5),
      exclusiveMinimum: fc.constantFrom<unknown>(0, 1, true),
      exclusiveMaximum: fc.constantFrom(0, 1),
      description: fc.constant("says nothing"),
      multipleOf: fc.constant(2),
    },
    { requiredKeys: [] },
  ),
}));

function type(): fc.Arbitrary<string> {
  return fc.constantFrom("string", "number", "integer", "boolean", "null", "array", "object");
}

const { value } = fc.letrec<{ readonly value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(keys, tie("value"), { maxKeys: 3 }),
  ),
}));

/** A schema that has keywords for one type only, so that values fit it more often. */
const fitting = fc.record({
  type: fc.constant("object"),
  properties: fc.dictionary(keys, schema),
  required: fc.uniqueArray(keys, { maxLength: 1 }),
});

test("it lets pass what the validator lets pass, and of the common keywords nothing else", () => {
  const values = fc.array(value, { minLength: 10, maxLength: 10 });
  fc.assert(
    fc.property(fc.oneof(schema, fitting), values, (given, instances) => {
      const quick = compileQuickCheck(given);
      if (quick === undefined) return;
      const copy = structuredClone(given) as Schema; // of the generator above
      const lookup = dereference(copy);
      for (const instance of instances) {
        expect(quick(instance)).toBe(validate(instance, copy, "2020-12", lookup, true).valid);
      }
    }),
  );
});

test.each([
  [{ $ref: "#/$defs/a", $defs: { a: {} } }],
  [{ oneOf: [{ type: "string" }] }],
  [{ not: {} }],
  [{ properties: { a: { multipleOf: 2 } } }],
  [{ items: [{ type: "string" }] }],
  [{ enum: [{}] }],
  [{ exclusiveMinimum: true }],
  [{ minimum: null }],
  [{ unevaluatedProperties: false }],
  ["string"],
])("it leaves to the validator what is not common: %j", (given) => {
  expect(compileQuickCheck(given)).toBeUndefined();
});

test.each([[undefined], [10n], [Symbol("a")], [() => 1]])("it does not let pass what is not JSON: %s", (odd) => {
  expect(compileQuickCheck({})?.(odd)).toBe(false);
  expect(compileQuickCheck({ properties: { a: {} } })?.({ a: odd })).toBe(false);
});
