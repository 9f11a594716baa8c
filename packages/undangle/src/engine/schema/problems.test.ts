import { expect, test } from "vitest";
import type { JsonObject, Language } from "#core";

import type { JsonSchema } from "./json-schema.ts";
import { compileJsonSchema } from "./json-validator.ts";

const draft4 = "http://json-schema.org/draft-04/schema#";
const draft7 = "http://json-schema.org/draft-07/schema#";
const limited = { minimum: 0, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: true };
const either = { type: "object", oneOf: [{ required: ["a"] }, { required: ["b"] }] };

test.each<[title: string, schema: JsonSchema, args: JsonObject, told: Readonly<Record<Language, string>>]>([
  [
    "a limit of draft 4 that is not allowed itself",
    { $schema: draft4, type: "object", properties: { n: limited } },
    { n: 0 },
    { en: "`n` must be more than 0, but it is 0", zh: "`n` 必须大于 0，实际是 0" },
  ],
  [
    "the other one",
    { $schema: draft4, type: "object", properties: { n: limited } },
    { n: 5 },
    { en: "`n` must be less than 5, but it is 5", zh: "`n` 必须小于 5，实际是 5" },
  ],
  [
    "no form",
    either,
    {},
    {
      en: "The arguments object fits none of its allowed forms: `a` is missing; or `b` is missing",
      zh: "参数对象 不符合任何一种允许的形式：缺少 `a`；或者 缺少 `b`",
    },
  ],
  [
    "several forms",
    either,
    { a: 1, b: 1 },
    {
      en: "The arguments object must fit exactly one of its allowed forms, but it fits several",
      zh: "参数对象 只能符合一种允许的形式，但实际符合多种",
    },
  ],
  [
    "what draft 7 says of properties that need each other",
    { $schema: draft7, type: "object", properties: { e: {}, t: {} }, dependencies: { e: ["t"] } },
    { e: 1 },
    { en: "`t` is missing; it is required because `e` is present", zh: "缺少 `t`：有 `e` 时必须有它" },
  ],
  [
    "what the newest draft says of them",
    { type: "object", properties: { e: {}, t: {} }, dependentRequired: { e: ["t"] } },
    { e: 1 },
    { en: "`t` is missing; it is required because `e` is present", zh: "缺少 `t`：有 `e` 时必须有它" },
  ],
  [
    "a schema that holds beside a property",
    { $schema: draft7, type: "object", properties: { e: {}, t: {} }, dependencies: { e: { required: ["t"] } } },
    { e: 1 },
    { en: "`t` is missing", zh: "缺少 `t`" },
  ],
  [
    "an item that is not there",
    { type: "object", properties: { l: { type: "array", contains: { type: "number" } } } },
    { l: ["a"] },
    {
      en: '`l` must have an item that fits {"type":"number"}, but it has none',
      zh: '`l` 必须有一项符合 {"type":"number"}，实际没有',
    },
  ],
  [
    "nothing at all",
    { type: "object", minProperties: 1 },
    {},
    {
      en: "The arguments object must have at least 1 property, but it has 0",
      zh: "参数对象 至少要有 1 个属性，实际有 0 个",
    },
  ],
])("%s is told in a sentence that can be acted on", (_title, schema, args, told) => {
  const validate = compileJsonSchema(schema);
  expect(validate(args)).toEqual({ ok: false, problems: [told.en] });
  expect(validate(args, "zh")).toEqual({ ok: false, problems: [told.zh] });
});
