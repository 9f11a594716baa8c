import { describe, expect, test } from "vitest";
import { z } from "zod";

import { toolSchema } from "./tool-schema.ts";

const text = { type: "string" };

describe("toolSchema", () => {
  test("leaves what every provider takes as it is", () => {
    const schema = { type: "object", properties: { a: { anyOf: [text, { type: "null" }] } }, required: ["a"] };
    expect(toolSchema(schema)).toBe(schema);
  });

  test("says that it is an object, and has properties, where that was left out", () => {
    expect(toolSchema({ type: "object" })).toEqual({ type: "object", properties: {} });
    expect(toolSchema({ properties: { a: text } })).toEqual({ type: "object", properties: { a: text } });
    expect(toolSchema({})).toEqual({ type: "object", properties: {} });
  });

  test("says of every list that anything may stand in it, where nothing was said", () => {
    const list = { type: "array" };
    const open = { type: "array", items: {} };
    const schema = {
      type: "object",
      properties: {
        type: text,
        items: list, // a property that is called so
        pair: { type: "array", prefixItems: [text, list] },
        deep: { anyOf: [{ type: "array", items: list }, { type: ["array", "null"] }] },
        map: { type: "object", additionalProperties: list },
        fixed: { enum: [{ type: "array" }] },
      },
      $defs: { one: list },
    };
    expect(toolSchema(schema)).toEqual({
      type: "object",
      properties: {
        type: text,
        items: open,
        pair: { type: "array", prefixItems: [text, open], items: {} },
        deep: {
          anyOf: [
            { type: "array", items: open },
            { type: ["array", "null"], items: {} },
          ],
        },
        map: { type: "object", additionalProperties: open },
        fixed: { enum: [{ type: "array" }] },
      },
      $defs: { one: open },
    });
  });

  test("has all properties of alternatives, and requires what all of them require", () => {
    const schema = {
      description: "Moves.",
      oneOf: [
        {
          type: "object",
          properties: { kind: { const: "up" }, steps: { type: "number" } },
          required: ["kind", "steps"],
        },
        { type: "object", properties: { kind: { const: "to" }, place: text }, required: ["kind", "place"] },
      ],
    };
    expect(toolSchema(schema)).toEqual({
      description: "Moves.",
      type: "object",
      properties: { kind: { anyOf: [{ const: "up" }, { const: "to" }] }, steps: { type: "number" }, place: text },
      required: ["kind"],
    });
  });

  test("joins what belongs together, also by reference, and ends where a schema refers to itself", () => {
    const schema = {
      $defs: { Base: { properties: { id: text }, required: ["id"] }, Loop: { anyOf: [{ $ref: "#/$defs/Loop" }] } },
      allOf: [{ $ref: "#/$defs/Base" }, { properties: { note: text } }, { $ref: "#/$defs/Loop" }],
    };
    expect(toolSchema(schema)).toEqual({
      $defs: schema.$defs,
      type: "object",
      properties: { id: text, note: text },
      required: ["id"],
    });
  });

  test("takes a union of zod", () => {
    const union = z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("a"), x: z.number() }),
      z.object({ kind: z.literal("b"), y: z.string() }),
    ]);
    const schema = toolSchema(z.toJSONSchema(union));
    expect(schema).toMatchObject({ type: "object", required: ["kind"] });
    expect(Object.keys(schema)).not.toContain("oneOf");
    expect(Object.keys(schema)).not.toContain("anyOf");
  });
});
