import fc from "fast-check";

type Schema = Readonly<Record<string, unknown>>;

/** Values that a schema describes, now and then with something wrong somewhere. */
export function valueOf(schema: unknown): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 8, arbitrary: fitting(schema) }, { weight: 1, arbitrary: anything });
}

/** Texts that break programs. */
export const oddText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.constantFrom(
    "",
    " ",
    "__proto__",
    "constructor",
    "null",
    "../../etc/passwd",
    "a/b",
    "\u0000",
    "\ud800",
    "<b>",
    "'--",
    "😀",
    "%00",
  ),
  fc.constantFrom(1000, 100_000).map((length) => "x".repeat(length)),
);

/** Anything that JSON can hold, and numbers that few expect. */
const anything: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  oddText,
  fc.constantFrom(-1, 0, 1e308, -0, 2 ** 53, Number.MAX_SAFE_INTEGER, 0.5, null, [], {}, [[]]),
);

function fitting(schema: unknown): fc.Arbitrary<unknown> {
  if (typeof schema !== "object" || schema === null) return anything;
  const { enum: allowed, const: only, anyOf, oneOf, type } = schema as Schema; // it has keys
  if (only !== undefined) return fc.constant(only);
  if (Array.isArray(allowed)) return fc.constantFrom(...(allowed as readonly unknown[]));
  if (Array.isArray(anyOf)) return fc.oneof(...anyOf.map(valueOf));
  const kind: unknown = Array.isArray(type) ? type[0] : (type ?? (Array.isArray(oneOf) ? "object" : undefined));
  if (kind === "object") return objectOf(schema as Schema);
  if (kind === "array") return fc.array(valueOf((schema as Schema)["items"]), { maxLength: 4 });
  if (kind === "string") return fc.oneof(fc.string({ maxLength: 10 }), oddText);
  if (kind === "integer" || kind === "number") return fc.oneof(fc.integer({ min: 0, max: 3 }), fc.double());
  if (kind === "boolean") return fc.boolean();
  return kind === "null" ? fc.constant(null) : anything;
}

function objectOf({ properties = {}, required = [], additionalProperties: others }: Schema): fc.Arbitrary<unknown> {
  const known = Object.entries(properties as Readonly<Record<string, unknown>>); // as schemas have them
  const fields = Object.fromEntries(known.map(([name, inner]) => [name, valueOf(inner)]));
  const named = fc.record(fields, { requiredKeys: required as string[] }); // so are these
  const more =
    typeof others === "object" ? fc.dictionary(fc.constantFrom("call_1", "call_2", "x"), valueOf(others)) : undefined;
  const strange = fc.dictionary(oddText, anything, { maxKeys: 1 });
  const own = more === undefined ? named : more;
  return fc.oneof(
    { weight: 6, arbitrary: own },
    { weight: 1, arbitrary: fc.tuple(own, strange).map(([one, other]) => ({ ...one, ...other })) },
  );
}
