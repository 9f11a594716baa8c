import type { AssembledTurn } from "#core";
import { createAgent } from "#engine";
import type { Middleware } from "#engine";
import type { Model, ModelRequest, ModelStream } from "#model";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";

/** What a hook or a model of the user did wrong was reported as an error of JavaScript, without a name. */
const odd: readonly (readonly [string, object, RegExp])[] = [
  ["null for a message", { messages: [null] }, /`messages\[0\]` is null/u],
  ["an empty object for a message", { messages: [{}] }, /`messages\[0\]` is an object with nothing in it/u],
  ["a message of another format", { messages: [{ role: "user", content: "Hi." }] }, /an object with role, content/u],
  ["a text for a message", { messages: ["Hi."] }, /`messages\[0\]` is a string/u],
  ["a text for the system", { messages: [], system: "Be brief." }, /`system` is not a list of texts/u],
  ["a tool without a name", { messages: [], tools: [{}] }, /`tools` is not a list of tools/u],
  ["null for a tool", { messages: [], tools: [null] }, /`tools` is not a list of tools/u],
];
const pass: Middleware = {
  name: "pass",
  beforeModel: (request) => request,
  wrapModelCall: (next) => (request) => next(request),
};

describe.each(odd)("a hook that makes a request of %s", (_, change, words) => {
  const made = (request: ModelRequest): ModelRequest => ({ ...request, ...change }); // it breaks its promise
  const hooks: readonly (readonly [string, string, Middleware])[] = [
    ["before the model", "beforeModel", { name: "odd", beforeModel: made }],
    ["before the model, later", "beforeModel", { name: "odd", beforeModel: async (request) => made(request) }],
    ["around the model", "wrapModelCall", { name: "odd", wrapModelCall: (next) => (request) => next(made(request)) }],
    [
      "around the model, later",
      "wrapModelCall",
      { name: "odd", wrapModelCall: (next) => async (request) => next(made(request)) },
    ],
  ];

  test.each(hooks)("is named with what is wrong: %s", async (_where, hook, middleware) => {
    for (const list of [
      [middleware],
      [pass, middleware],
      [middleware, pass],
      [pass, middleware, { ...pass, name: "third" }],
    ]) {
      const model = scriptedModel([{ text: "Done." }]);
      const { status, error } = await createAgent({ model, middleware: list }).thread("t").send("Hi.").result;
      expect([status, error?.code]).toEqual(["failed", "hook/failed"]);
      expect(error?.data).toMatchObject({ middleware: "odd", hook });
      expect(error?.message).toMatch(words);
      expect(model.calls).toBe(0);
    }
  });
});

const turn: AssembledTurn = {
  text: "Hi.",
  reasoning: "",
  complete: true,
  anomalies: [],
  usage: undefined,
  calls: [],
  parts: [{ type: "text", text: "Hi." }],
  finish: "stop",
};

/** A stream that yields what it is given. */
const streamOf = (...parts: readonly unknown[]): ModelStream => ({
  turn: () => Promise.resolve(turn),
  async *[Symbol.asyncIterator]() {
    yield* parts as never[]; // it breaks its promise
  },
});

const oddParts: readonly (readonly [string, unknown, RegExp])[] = [
  ["null", null, /its stream yielded null, and not a part/u],
  ["undefined", undefined, /its stream yielded undefined/u],
  ["a string", "Hi.", /its stream yielded Hi\., and not a part/u],
  ["an object without a type", { text: "Hi." }, /yielded an object without a `type`/u],
  ["a delta without a text", { type: "text-delta", choice: 0 }, /`text-delta` in which `text` is not a text/u],
  [
    "a call without a number",
    { type: "call-start", choice: 0, name: "f" },
    /`call-start` in which `call` is not the number/u,
  ],
  ["a call without a name", { type: "call-start", choice: 0, call: 0 }, /`call-start` in which `name` is not a text/u],
  ["an anomaly without one", { type: "anomaly", choice: 0 }, /`anomaly` in which `anomaly` is not an anomaly/u],
];

describe.each(oddParts)("a stream that yields %s", (_, part, words) => {
  const model: Model = { name: "mine", stream: () => streamOf(part) };

  test.each([
    ["without hooks", []],
    ["within hooks", [pass]],
  ] as const)("names its model: %s", async (_where, middleware) => {
    const { error } = await createAgent({ model, middleware }).thread("t").send("Hi.").result;
    expect(error).toMatchObject({ code: "model/failed", data: { model: "mine" } });
    expect(error?.message).toMatch(words);
    expect(error?.message).toMatch(/^The model mine failed: /u);
  });

  test("names the hook that made it", async () => {
    const middleware = [{ name: "odd", wrapModelCall: () => () => streamOf(part) }];
    const { error } = await createAgent({ model: scriptedModel([]), middleware })
      .thread("t")
      .send("Hi.").result;
    expect(error).toMatchObject({ code: "hook/failed", data: { middleware: "odd", hook: "wrapModelCall" } });
    expect(error?.message).toMatch(words);
  });
});
