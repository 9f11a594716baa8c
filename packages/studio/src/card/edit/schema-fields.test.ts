import { expect, test } from "vitest";

import { choicesIn, currencyBeside, fieldsOf, itemField, permitsNothing, summaryOf } from "./schema-fields.ts";

const schema = {
  type: "object",
  properties: {
    invoice: { type: "integer", title: "Invoice" },
    amount: { type: "number" },
    currency: { enum: ["EUR"] },
    due: { type: "string", format: "date" },
    at: { type: "string", format: "date-time" },
    isUrgent: { type: "boolean" },
    address: { $ref: "#/$defs/address" },
    tags: { type: "array", items: { type: "string" } },
    extra: { type: "object" },
    id: { type: ["string", "number"] },
  },
  required: ["invoice"],
  $defs: { address: { type: "object", properties: { city: { type: "string" } } } },
};

test("a schema gives fields in its order, then the keys that it does not name", () => {
  const fields = fieldsOf(schema, { surplus: 1, id: 5, invoice: 12 });
  expect(fields.map(({ key, kind }) => `${key} ${kind}`)).toEqual([
    "invoice number",
    "amount number",
    "currency choice",
    "due date",
    "at moment",
    "isUrgent boolean",
    "address object",
    "tags list",
    "extra json",
    "id number",
    "surplus number",
  ]);
  expect(fields[0]).toMatchObject({ label: "Invoice", isRequired: true, isUnknown: false });
  expect(fields.at(-1)).toMatchObject({ label: "surplus", isRequired: false, isUnknown: true });
});

test("an alternative that is null makes a field nullable, and constants are choices", () => {
  const [name, level, mode] = fieldsOf(
    {
      properties: {
        name: { anyOf: [{ type: "string", title: "Inner" }, { type: "null" }], title: "Name" },
        level: { oneOf: [{ const: 1, title: "High" }, { const: 2 }, { type: "null" }] },
        mode: { type: ["integer", "null"] },
      },
    },
    {},
  );
  expect(name).toMatchObject({ kind: "text", label: "Name", isNullable: true });
  expect(level).toMatchObject({ kind: "choice", isNullable: true });
  expect(mode).toMatchObject({ kind: "number", isNullable: true });
  expect(choicesIn(level?.schema ?? {}, {})).toEqual([{ value: 1, title: "High" }, { value: 2 }]);
});

test("a schema for other keys names them", () => {
  const [size] = fieldsOf({ properties: {}, additionalProperties: { type: "integer" } }, { size: 5 });
  expect(size).toMatchObject({ kind: "number", isUnknown: false });
});

test("items of a list are fields, unless their schema says nothing about them", () => {
  const [tags, things] = fieldsOf(
    { properties: { tags: { items: { type: "string" }, type: "array" }, things: { type: "array", items: {} } } },
    {},
  );
  if (tags === undefined || things === undefined) throw new Error("The fields are missing.");
  expect(itemField(tags, undefined, 1)).toMatchObject({ kind: "text", label: "tags 2", isRequired: true });
  expect(itemField(things, undefined, 0)).toBeUndefined();
});

test("a schema that is its own first alternative is edited as JSON", () => {
  const $defs = { a: { anyOf: [{ $ref: "#/$defs/a" }, { type: "string" }] } };
  expect(fieldsOf({ properties: { a: { $ref: "#/$defs/a" } }, $defs }, {})).toMatchObject([{ kind: "json" }]);
});

test("keys of Object's prototype are not properties of a schema", () => {
  const value = JSON.parse('{"__proto__": 1, "toString": 2}') as Readonly<Record<string, unknown>>; // an own key __proto__
  expect(fieldsOf({ type: "object", properties: {} }, value)).toMatchObject([
    { key: "__proto__", isUnknown: true },
    { key: "toString", isUnknown: true },
  ]);
});

test("an amount has the currency beside it", () => {
  expect(currencyBeside("total_amount", { currency: "EUR" })).toBe("EUR");
  expect(currencyBeside("total_amount", { currency: "euros" })).toBeUndefined();
  expect(currencyBeside("count", { currency: "EUR" })).toBeUndefined();
});

test("a summary has one short line, also for 5 MB and 10,000 keys", () => {
  expect(summaryOf({ to: "Ann\n Lee", amount: 5, list: [1, [2]], more: { a: { b: 1 } } })).toBe(
    "to: Ann Lee · amount: 5 · list: [1, [2]] · more: {a: {b: 1}}",
  );
  const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, i]));
  expect(summaryOf({ text: "x".repeat(5_000_000) }).length).toBeLessThan(200);
  expect(summaryOf(many).length).toBeLessThan(200);
  expect(summaryOf("text")).toBe("text");
  expect(summaryOf({ note: "a \n\n".repeat(50), amount: 5 })).toBe(`note: ${"a ".repeat(20)}… · amount: 5`);
  expect(summaryOf({ note: "n".repeat(500), amount: 5 })).toBe(`note: ${"n".repeat(80)}… · amount: 5`);
});

test.each([
  { permits: "nothing", schema: { type: "object" }, isNothing: true },
  { permits: "nothing", schema: { type: "object", properties: {}, additionalProperties: false }, isNothing: true },
  { permits: "an argument", schema, isNothing: false },
  { permits: "any argument", schema: { type: "object", additionalProperties: true }, isNothing: false },
  { permits: "arguments of a kind", schema: { patternProperties: { "^x-": {} } }, isNothing: false },
  { permits: "alternatives", schema: { anyOf: [{ required: ["id"] }] }, isNothing: false },
  { permits: "what it refers to", schema: { $ref: "#/$defs/own", $defs: { own: schema } }, isNothing: false },
])("a schema that permits $permits: $schema", ({ schema: given, isNothing }) => {
  expect(permitsNothing(given)).toBe(isNothing);
});
