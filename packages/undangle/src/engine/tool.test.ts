import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { UndangleError } from "#core";
import type { JsonObject } from "#core";

import type { Validation } from "./schema/validation.ts";
import { tool } from "./tool.ts";
import type { Tool, ToolContext } from "./tool.ts";
import { toolTable } from "./toolbox.ts";

const context: ToolContext = {
  threadId: "t",
  callId: "c",
  agent: { name: undefined, model: "m" },
  idempotencyKey: "t/c",
  attempt: 1,
  signal: new AbortController().signal,
  language: "en",
  progress: () => undefined,
  depth: 0,
  runChild: async () => {
    throw new Error("The tool of this test has no agent.");
  },
  state: { get: () => undefined, set: () => undefined },
  files: {
    list: async () => [],
    read: async () => undefined,
    write: async () => undefined,
    transact: async () => {
      throw new Error("The tool of this test writes no files.");
    },
  },
};

const named = { name: "pay", description: "Pays." };

function errorOf(make: () => unknown): UndangleError {
  try {
    make();
  } catch (error) {
    if (error instanceof UndangleError) return error;
    throw error;
  }
  throw new Error("Nothing was thrown.");
}

const problemsOf = async (given: Pick<Tool, "validate">, args: JsonObject): Promise<readonly string[]> => {
  const validation = await given.validate(args);
  return validation.ok ? [] : validation.problems;
};

describe("a tool", () => {
  test("is a value with everything said, which nobody changes", async () => {
    const pay = tool({ ...named, input: z.object({ amount: z.number() }), execute: ({ amount }) => amount * 2 });
    expect(pay).toMatchObject({ ...named, approval: false, idempotent: false, timeout: undefined });
    expect(pay.retries).toEqual({ times: 0, delay: 0 });
    expect(Object.isFrozen(pay) && Object.isFrozen(pay.schema) && Object.isFrozen(pay.schema["properties"])).toBe(true);
    expect(await pay.execute({ amount: 2 }, context)).toBe(4);
  });

  test("keeps what its options say", () => {
    const when = (): boolean => true;
    const approval = { decisions: ["approve", "reject"], expiresAfter: 1000, when } as const;
    const options = { ...named, execute: () => 1, approval, idempotent: true, timeout: 50, retries: 2 };
    expect(tool(options)).toMatchObject({ approval, idempotent: true, timeout: 50, retries: { times: 2, delay: 0 } });
    expect(tool({ ...options, retries: { times: 1, delay: 5 } }).retries).toEqual({ times: 1, delay: 5 });
  });

  test("without input takes no arguments", async () => {
    const clock = tool({ name: "clock", description: "", execute: () => "noon" });
    expect(clock.schema).toEqual({ type: "object", properties: {}, additionalProperties: false });
    expect(await problemsOf(clock, {})).toEqual([]);
    expect(await problemsOf(clock, { zone: "UTC" })).toEqual(["`zone` is not allowed; there are no properties here"]);
  });

  test.each([
    ["zod", z.object({ city: z.string(), days: z.int().optional() })],
    ["arktype", type({ city: "string", "days?": "number.integer" })],
    [
      "valibot",
      toStandardJsonSchema(v.object({ city: v.string(), days: v.optional(v.pipe(v.number(), v.integer())) })),
    ],
    [
      "JSON Schema",
      {
        type: "object",
        properties: { city: { type: "string" }, days: { type: "integer" } },
        required: ["city"],
      } as const,
    ],
  ])("takes a schema of %s", async (_, input) => {
    const weather = tool({ name: "weather", description: "", input, execute: () => 1 });
    const { type: kind, properties, required } = weather.schema;
    expect([kind, required]).toEqual(["object", ["city"]]);
    expect(properties).toMatchObject({ city: { type: "string" }, days: { type: "integer" } });
    expect("$schema" in weather.schema).toBe(false);
    const good = { city: "Lisbon", days: 3 };
    expect(await weather.validate(good)).toEqual({ ok: true, value: good });
    const problems = await problemsOf(weather, { city: 1, days: 1.5 });
    expect(problems).toHaveLength(2);
    expect(problems[0]).toMatch(/^`city`.*string/u);
    expect(problems[1]).toMatch(/^`days`/u);
  });

  test("gets what its schema makes of the arguments, also when that takes time", async () => {
    const input = z.object({ amount: z.string().transform(Number), to: z.string().default("me") });
    const transform = tool({ ...named, input, execute: (args) => args });
    expect(transform.validate({ amount: "12" })).toEqual({ ok: true, value: { amount: 12, to: "me" } });
    expect(transform.schema["required"]).toEqual(["amount"]);
    const slow = z.object({ id: z.string().refine(async (id) => id === "a", "there is no such id") });
    const refined = tool({ ...named, input: slow, execute: () => 1 });
    expect(await refined.validate({ id: "a" })).toEqual({ ok: true, value: { id: "a" } });
    expect(await problemsOf(refined, { id: "b" })).toEqual(["`id`: there is no such id"]);
  });

  test.each([
    [
      "at once",
      () => {
        throw new Error("no database");
      },
    ],
    ["later", () => Promise.reject(new Error("no database"))],
  ])("says so when a schema throws %s", async (_, check) => {
    const jsonSchema = { input: () => ({ type: "object" }) };
    const input = { "~standard": { version: 1, vendor: "words", jsonSchema, validate: check } } as const;
    const broken = tool({ ...named, input, execute: () => 1 });
    expect(await problemsOf(broken, { id: "a" })).toEqual(["The arguments could not be checked: no database"]);
  });

  test("says that arguments do not fit, also when their schema does not say why", async () => {
    const { "~standard": standard } = z.object({});
    const input = { "~standard": { ...standard, validate: () => ({ issues: [] }) } };
    const silent = tool({ ...named, input, execute: () => 1 });
    expect(await problemsOf(silent, {})).toEqual(["The arguments do not fit"]);
  });

  test("takes a library that describes and does not check at its description", async () => {
    const input = {
      "~standard": {
        version: 1,
        vendor: "words",
        jsonSchema: { input: () => ({ properties: { a: { type: "string" } }, required: ["a"] }) },
      },
    } as const;
    const described = tool({ ...named, input: input as never, execute: () => 1 });
    expect(described.schema["type"]).toBe("object");
    expect(await problemsOf(described, {})).toEqual(["`a` is missing"]);
  });
});

describe("the problems of arguments", () => {
  const properties = {
    amount: { type: "number", exclusiveMinimum: 0, maximum: 100, multipleOf: 0.5 },
    name: { type: "string", minLength: 2, maxLength: 4, pattern: "^[a-z]+$" },
    day: { type: "string", format: "date" },
    unit: { enum: ["c", "f", null] },
    mode: { const: "fast" },
    tags: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 2, uniqueItems: true },
    either: { anyOf: [{ type: "string" }, { type: "null" }] },
    shape: {
      oneOf: [
        { type: "object", properties: { r: { type: "number" } }, required: ["r"] },
        { type: "string", minLength: 2 },
      ],
    },
    twice: { oneOf: [{ type: "string" }, { minLength: 0 }] },
    node: { $ref: "#/$defs/node" },
    "odd key": { type: "integer" },
    map: { type: "object", additionalProperties: { type: "integer" }, minProperties: 1, maxProperties: 2 },
    pair: { type: "array", prefixItems: [{ type: "integer" }, { type: "string" }] },
    never: { not: { type: "string" } },
  };
  const node = {
    type: "object",
    properties: { next: { $ref: "#/$defs/node" }, value: { type: "integer" } },
    additionalProperties: false,
  };
  const checked = tool({ ...named, input: { type: "object", properties, $defs: { node } }, execute: () => 1 });

  test.each<[JsonObject, string]>([
    [{ amount: "3" }, "`amount` must be a number, but it is a string"],
    [{ amount: 0 }, "`amount` must be more than 0, but it is 0"],
    [{ amount: 200 }, "`amount` must be at most 100, but it is 200"],
    [{ amount: 0.7 }, "`amount` must be a multiple of 0.5, but it is 0.7"],
    [{ name: "a" }, "`name` must have at least 2 characters, but it has 1"],
    [{ name: "abcde" }, "`name` must have at most 4 characters, but it has 5"],
    [{ name: "A1" }, '`name` must match the pattern ^[a-z]+$, but it is "A1"'],
    [{ day: "tomorrow" }, '`day` must be a string of the format date, but it is "tomorrow"'],
    [{ unit: "k" }, '`unit` must be "c", "f" or null, but it is "k"'],
    [{ mode: "slow" }, '`mode` must be "fast", but it is "slow"'],
    [{ tags: [] }, "`tags` must have at least 1 item, but it has 0"],
    [{ tags: ["a", "b", "c"] }, "`tags` must have at most 2 items, but it has 3"],
    [{ tags: ["a", 1] }, "`tags[1]` must be a string, but it is the number 1"],
    [{ tags: ["a", "a"] }, "`tags` must not have the same item twice"],
    [{ either: 1 }, "`either` must be a string or null, but it is the number 1"],
    [
      { shape: { r: "x" } },
      "`shape` fits none of its allowed forms: `shape.r` must be a number, but it is a string; or `shape` must be a string, but it is an object",
    ],
    [{ twice: "a" }, "`twice` must fit exactly one of its allowed forms, but it fits several"],
    [{ node: { next: { value: "x" } } }, "`node.next.value` must be an integer, but it is a string"],
    [{ node: { next: { vlaue: 1 } } }, "`node.next.vlaue` is not allowed; allowed are `next`, `value`"],
    [{ "odd key": 1.5 }, '`["odd key"]` must be an integer, but it is the number 1.5'],
    [{ map: { "a/b~c%": "x" } }, '`map["a/b~c%"]` must be an integer, but it is a string'],
    [{ map: {} }, "`map` must have at least 1 property, but it has 0"],
    [{ map: { a: 1, b: 2, c: 3 } }, "`map` must have at most 2 properties, but it has 3"],
    [{ pair: ["x", "y"] }, "`pair[0]` must be an integer, but it is a string"],
    [{ never: "x" }, '`never` must not fit {"type":"string"}, but it does'],
    [{ amount: undefined }, 'The arguments could not be checked: Instances of "undefined" type are not supported.'],
  ])("of %j: %s", async (args, sentence) => {
    expect(await problemsOf(checked, args)).toEqual([sentence]);
  });

  test("are ten at most", async () => {
    const many = { type: "object", properties: {}, additionalProperties: { type: "string" } };
    const list = tool({ ...named, input: many, execute: () => 1 });
    const args = Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`k${i}`, i]));
    const problems = await problemsOf(list, args);
    expect(problems).toHaveLength(10);
    expect(problems.at(-1)).toBe("There are more problems");
  });

  test("are found in arguments of any size and depth, without a throw", async () => {
    const list = { type: "object", properties: { a: { type: "array", items: { type: "string", minLength: 1 } } } };
    const wide = tool({ ...named, input: list, execute: () => 1 });
    const wrong = await problemsOf(wide, { a: Array.from({ length: 300_000 }, () => 1) });
    expect(wrong[0]).toBe("`a[0]` must be a string, but it is the number 1");
    const recursive = { type: "object", properties: { node: { $ref: "#/$defs/node" } }, $defs: { node } };
    const deep = tool({ ...named, input: recursive, execute: () => 1 });
    let args: JsonObject = {};
    for (let i = 0; i < 20_000; i++) args = { next: args };
    expect(await problemsOf(deep, { node: args })).toEqual(["The arguments are nested too deeply to be checked"]);
  });

  test("follow the draft that the schema names", async () => {
    const input = {
      $schema: "http://json-schema.org/draft-07/schema#",
      properties: { pair: { items: [{ type: "integer" }, { type: "string" }], additionalItems: false } },
    };
    const old = tool({ ...named, input, execute: () => 1 });
    expect(await problemsOf(old, { pair: [1, "a"] })).toEqual([]);
    expect(await problemsOf(old, { pair: [1, "a", 2] })).toEqual(["`pair[2]` is not allowed"]);
  });
});

describe("tool() refuses", () => {
  test.each(["", "two words", "a.b", "支付", "x".repeat(65), 7, undefined])("%j as a name", (name) => {
    const error = errorOf(() => tool({ name: name as string, description: "", execute: () => 1 }));
    expect(error.is("tool/name") && error.data.name).toBe(name);
  });

  test.each<[string, unknown, string]>([
    ["text", "string", "it is neither a Standard Schema nor a JSON Schema"],
    ["an array", [], "it is neither a Standard Schema nor a JSON Schema"],
    ["a schema of something else", z.string(), 'it describes "string", but the arguments of a tool must be an object'],
    ["a list of arguments", { type: "array" }, 'it describes "array", but the arguments of a tool must be an object'],
    ["what JSON Schema has no words for", z.object({ at: z.date() }), "Date cannot be represented in JSON Schema"],
    [
      "a library without JSON Schema",
      z3.object({}),
      "the schema of zod cannot be converted to JSON Schema; use zod 4.2",
    ],
    ["bare valibot", v.object({}), "the schema of valibot cannot be converted to JSON Schema"],
    [
      "a reference that leads nowhere",
      { properties: { a: { $ref: "#/$defs/a" } } },
      "there is nothing at its $ref #/$defs/a",
    ],
    ["a circle", { $ref: "#" }, "Maximum call stack size exceeded"],
    ["a pattern that is none", { properties: { a: { pattern: "(" } } }, 'its pattern "(" is not a regular expression'],
    ["a type that does not exist", { properties: { a: { type: "int" } } }, '"int" is not a type of JSON Schema'],
    ["required as a flag", { properties: { a: { required: true } } }, "its required is not a list of names"],
    ["properties as a list", { properties: ["a"] }, "its properties are not an object"],
    ["what is not JSON", { properties: { a: { const: 10n } } }, "BigInt"],
  ])("%s as input", (_, input, reason) => {
    const error = errorOf(() => tool({ ...named, input: input as object as never, execute: () => 1 }));
    expect(error.is("tool/schema") ? error.data : error).toMatchObject({
      tool: "pay",
      reason: expect.stringContaining(reason) as string,
    });
  });

  test.each([
    [{ parameters: {} }, 'Unknown option "pay.parameters"'],
    [{ description: undefined }, "undefined is not a value of the option pay.description"],
    [{ execute: "rm" }, '"rm" is not a value of the option pay.execute'],
    [{ idempotent: 1 }, "1 is not a value of the option pay.idempotent"],
    [{ timeout: 0 }, "0 is not a value of the option pay.timeout"],
    [{ timeout: Infinity }, "Infinity is not a value of the option pay.timeout"],
    [{ retries: -1 }, "-1 is not a value of the option pay.retries"],
    [{ retries: { times: 1, delay: "1s" } }, '"1s" is not a value of the option pay.retries.delay'],
    [{ retries: { times: 1, delay: 1, factor: 2 } }, 'Unknown option "pay.retries.factor"'],
    [{ approval: "always" }, '"always" is not a value of the option pay.approval'],
    [{ approval: { decisions: ["allow"] } }, "pay.approval.decisions"],
  ])("the options %j", (options, sentence) => {
    const given = { ...named, execute: () => 1, ...options };
    expect(errorOf(() => tool(given as never)).message).toContain(sentence);
  });

  test("something that is no options at all", () => {
    expect(errorOf(() => tool("pay" as never)).code).toBe("options/value");
  });
});

describe("a table of tools", () => {
  const make = (name: string): Tool => tool({ name, description: "", execute: () => 1 });

  test("finds them by name", () => {
    const pay = make("pay");
    expect(toolTable([make("search"), pay]).get("pay")).toBe(pay);
  });

  test("refuses two of one name, and says where both are", () => {
    const error = errorOf(() => toolTable([make("a"), make("pay"), make("b"), make("pay")]));
    expect(error.message).toContain("Two tools are called pay: tools[1] and tools[3].");
    const places = ["tools[0]", "middleware todos"];
    const named = errorOf(() => toolTable([make("pay"), make("pay")], (index) => places[index] ?? ""));
    expect(named.is("tool/duplicate") && named.data.places).toEqual(places);
  });

  test("refuses what tool() has not made", () => {
    const other: unknown = { name: "pay" };
    expect(errorOf(() => toolTable([other as Tool])).message).toContain("tools[0]");
  });

  test("refuses one that was made by hand and lacks something, and takes one that is whole", () => {
    const whole = { ...make("pay") };
    expect(toolTable([whole]).get("pay")).toBe(whole);
    for (const key of ["name", "description", "schema", "validate", "execute", "retries"]) {
      const { message } = errorOf(() => toolTable([{ ...whole, [key]: undefined }]));
      expect(message).toContain("an object is not a value of the option tools[0]. Allowed: the result of tool().");
    }
  });
});

describe("the types of arguments", () => {
  test("are those of a schema of a library", () => {
    tool({
      ...named,
      input: z.object({ amount: z.string().transform(Number), to: z.array(z.string()).optional() }),
      execute: (args) => expectTypeOf(args).toEqualTypeOf<{ amount: number; to?: string[] | undefined }>(),
    });
    tool({
      ...named,
      input: type({ city: "string", "days?": "number" }),
      execute: (args) => expectTypeOf(args).toEqualTypeOf<{ city: string; days?: number }>(),
    });
    tool({
      ...named,
      input: toStandardJsonSchema(v.object({ city: v.string() })),
      execute: (args) => expectTypeOf(args).toEqualTypeOf<{ city: string }>(),
    });
  });

  test("are read from plain JSON Schema", () => {
    tool({
      ...named,
      input: {
        type: "object",
        properties: {
          amount: { type: "number" },
          count: { type: "integer" },
          unit: { enum: ["c", "f"] },
          mode: { const: "fast" },
          tags: { type: "array", items: { type: "string" } },
          place: { type: "object", properties: { street: { type: "string" } }, required: ["street"] },
          note: { type: ["string", "null"] },
          sure: { type: "boolean" },
          any: {},
        },
        required: ["amount", "unit"],
      },
      execute: (args) =>
        expectTypeOf(args).toEqualTypeOf<{
          amount: number;
          unit: "c" | "f";
          count?: number;
          mode?: "fast";
          tags?: string[];
          place?: { street: string };
          note?: string | null;
          sure?: boolean;
          any?: unknown;
        }>(),
    });
  });

  test("are a record where nothing is known, and nothing where there are none", () => {
    const input: JsonObject = { type: "object" };
    tool({ ...named, input, execute: (args) => expectTypeOf(args).toEqualTypeOf<Record<string, unknown>>() });
    tool({ ...named, execute: (args) => expectTypeOf(args).toEqualTypeOf<Readonly<Record<string, never>>>() });
    const made = tool({ ...named, input: z.object({ amount: z.number() }), execute: () => 1 });
    expectTypeOf(made.validate({})).toEqualTypeOf<
      Validation<{ amount: number }> | Promise<Validation<{ amount: number }>>
    >();
    expectTypeOf(made).toExtend<Tool>();
  });
});
