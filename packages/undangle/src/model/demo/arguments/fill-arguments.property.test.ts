import { tool } from "#engine";
import fc from "fast-check";
import { expect, test } from "vitest";

import { wordsOf } from "../wishes/words.ts";
import { fillArguments } from "./fill-arguments.ts";
import { gather } from "./gathered.ts";
import type { Schema } from "./read-schema.ts";

const names = fc.constantFrom(
  ..."to amount id city query date email url path title body count tags isDone unit invoiceId user_name 金额 收件人 __proto__ toString".split(
    " ",
  ),
);

const text = fc.oneof(
  fc.record(
    { type: fc.constant("string"), minLength: fc.nat(12), maxLength: fc.integer({ min: 12, max: 40 }) },
    { requiredKeys: ["type"] },
  ),
  fc.record({
    type: fc.constant("string"),
    format: fc.constantFrom("email", "uri", "date", "date-time", "uuid", "time", "ipv4", "hostname", "no-such-format"),
  }),
  fc.record({
    type: fc.constant("string"),
    pattern: fc.constantFrom(
      "^[A-Z]{3}-\\d{2,4}$",
      "^\\+?\\d{7,}$",
      "^(?:low|high)$",
      "^[a-z][a-z0-9_]*$",
      ".",
      "^\\S+$",
      "^\\d{4}-\\d{2}-\\d{2}$",
      "^#?[0-9a-fA-F]{6}$",
      "^[^\\s@]+@[^\\s@]+\\.[a-z]+$",
      "\\.md$",
    ),
  }),
);

const number = fc
  .tuple(fc.constantFrom("number", "integer"), fc.integer({ min: -100, max: 100 }), fc.integer({ min: 10, max: 50 }))
  .chain(([type, minimum, width]) =>
    fc.record(
      {
        type: fc.constant(type),
        minimum: fc.constant(minimum),
        maximum: fc.constant(minimum + width),
        multipleOf: fc.constantFrom(1, 2, 5),
      },
      { requiredKeys: ["type"] },
    ),
  );

const scalar: fc.Arbitrary<Schema> = fc.oneof(
  text,
  number,
  fc.constant({ type: "boolean" }),
  fc.record({ enum: fc.constantFrom(["low", "high"], [1, 2, 3], ["北京", "上海"], [null, "x"]) }),
  fc.record({ const: fc.constantFrom<unknown>("fixed", 7, null, true) }),
  fc.constant({ type: ["string", "null"] }),
  fc.constant({ $ref: "#/$defs/name" }),
  fc.constant({ type: "string", default: "as ever" }),
  fc.constant({ allOf: [{ type: "string" }, { minLength: 3 }] }),
);

const { value } = fc.letrec<{ readonly value: Schema; readonly object: Schema }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.record(
      {
        type: fc.constant("array"),
        items: tie("value"),
        minItems: fc.nat(2),
        maxItems: fc.integer({ min: 2, max: 4 }),
      },
      { requiredKeys: ["type", "items"] },
    ),
    fc.record({ anyOf: fc.array(tie("value"), { minLength: 1, maxLength: 2 }) }),
    tie("object"),
  ),
  object: objects(tie("value")),
}));

function objects(inner: fc.Arbitrary<Schema>): fc.Arbitrary<Schema> {
  return fc.dictionary(names, inner, { maxKeys: 4 }).chain((properties) =>
    fc.record({
      type: fc.constant("object"),
      properties: fc.constant(properties),
      required: fc.subarray(Object.keys(properties)),
      additionalProperties: fc.boolean(),
    }),
  );
}

const messages = fc.constantFrom(
  "",
  "Transfer 300 euros to ACME and write to bob@example.com about invoice 12",
  "Set the count to 5, unit high, city Oslo, date 2026-05-03, see https://example.com/a and notes.md",
  'Send "Hello there" to Alice tomorrow at 7pm',
  "给张三转账300元，主题是周会，内容是明天十点见",
  "查一下北京和上海的天气，编号 12",
);

test("arguments fit the schema, whatever it is made of and whatever was said", async () => {
  await fc.assert(
    fc.asyncProperty(objects(value), messages, fc.boolean(), async (given, message, isLetter) => {
      const schema = { ...given, $defs: { name: { type: "string", minLength: 1 } } };
      const now = Date.UTC(2026, 4, 3);
      const results = ['{"id":"m1","amount":3.5}', "Invoice 12: 300 euros"];
      const gathered = gather({
        wish: message,
        message,
        results,
        fresh: 1,
        done: [{ arguments: { count: 7, city: "Rome", unit: "low", date: "2026-01-01", on: true, name: null } }],
        isLetter,
        about: wordsOf(""),
        language: "en",
        now,
      });
      const filling = fillArguments(schema, gathered);
      const any = tool({ name: "any", description: "Any.", input: schema, execute: () => "" });
      // A number that was asked for and does not fit is the one thing that stands in the way.
      const verdict = filling.ok ? await any.validate(filling.arguments) : { ok: typeof filling.said === "number" };
      expect(verdict).toMatchObject({ ok: true });
    }),
  );
});
