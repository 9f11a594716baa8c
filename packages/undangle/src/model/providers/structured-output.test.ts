import { describe, expect, test } from "vitest";

import { sentSchema } from "./structured-output.ts";

const text = { type: "string" };

describe("sentSchema", () => {
  test("closes what only has to be closed to be strict, at every depth", () => {
    const inner = { type: "object", properties: { b: text }, required: ["b"] };
    const schema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { a: { type: "array", items: inner }, c: { anyOf: [inner, { type: "null" }] } },
      required: ["a", "c"],
    };
    const closed = { ...inner, additionalProperties: false };
    expect(sentSchema(schema)).toEqual({
      isStrict: true,
      schema: {
        type: "object",
        properties: { a: { type: "array", items: closed }, c: { anyOf: [closed, { type: "null" }] } },
        required: ["a", "c"],
        additionalProperties: false,
      },
    });
  });

  test.each([
    ["a member that may be missing", { type: "object", properties: { a: text }, required: [] }],
    ["an object that is open", { type: "object", properties: {}, additionalProperties: true }],
    ["an object without members", { type: "object" }],
    [
      "what not everybody understands",
      { type: "object", properties: { a: { type: "string", minLength: 2 } }, required: ["a"] },
    ],
    ["a reference", { type: "object", properties: { a: { $ref: "#" } }, required: ["a"] }],
    ["one of several that is open", { anyOf: [{ type: "object", additionalProperties: {} }] }],
    ["a choice at the root", { anyOf: [{ type: "object", properties: { a: text }, required: ["a"] }] }],
    ["a member that may be anything", { type: "object", properties: { a: {} }, required: ["a"] }],
    ["a member with nothing but words", { type: "object", properties: { a: { description: "?" } }, required: ["a"] }],
    ["a list of anything", { type: "object", properties: { a: { type: "array" } }, required: ["a"] }],
  ])("leaves %s as it is", (_what, schema) => {
    expect(sentSchema(schema)).toEqual({ schema, isStrict: false });
  });
});
