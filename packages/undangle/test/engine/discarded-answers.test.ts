import { createAgent, tool } from "#engine";
import type { AgentEvent, Middleware } from "#engine";
import type { Model, ModelPart, ModelStream } from "#model";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";

import { faultsOf } from "./health.ts";
import { eventsOf } from "./recorded.ts";

const ran: unknown[] = [];
const pay = tool({
  name: "pay",
  description: "Pays.",
  input: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
  execute(args: { readonly to: string }) {
    ran.push(args);
    return `paid ${args.to}`;
  },
});

/** An answer that is broken off in the middle of a call, and the one that takes its place. */
const script = [
  { reasoning: "Hm, hm.", text: "I pay B", calls: [{ name: "pay", raw: '{"to":"Bo' }] },
  { discard: "the connection broke" },
  {
    text: "I pay Ann.",
    calls: [{ name: "pay", arguments: { to: "Ann" } }],
    usage: { prompt_tokens: 3, completion_tokens: 4 },
  },
  { text: "Done.", usage: { prompt_tokens: 5, completion_tokens: 6 } },
];

/** Events in few words, with pieces of one text as one. */
function short(events: readonly AgentEvent[]): readonly string[] {
  const words: string[] = [];
  let before = "";
  for (const { type, data } of events) {
    const id = "id" in data ? ` ${data.id}` : "";
    const isMore = type.endsWith("_delta") && `${type}${id}` === before;
    const more = "text" in data ? ` ${data.text}` : "reason" in data ? ` ${data.reason}` : "";
    if (isMore) words.push(`${words.pop() ?? ""}${"text" in data ? data.text : ""}`);
    else words.push(`${type}${id}${more}`);
    before = `${type}${id}`;
  }
  return words;
}

const told = [
  "run_start message",
  "model_start",
  "reasoning_delta Hm, hm.",
  "text_delta I pay B",
  "tool_call_start call_1",
  'tool_call_delta call_1 {"to":"Bo',
  "model_discarded the connection broke",
  "text_delta I pay Ann.",
  "tool_call_start call_2",
  'tool_call_delta call_2 {"to":"Ann"}',
  "model_end",
  "tool_call_ready call_2",
  "tool_call_running call_2",
  "tool_call_end call_2",
  "model_start",
  "text_delta Done.",
  "model_end",
  "run_end",
];

describe("an answer that the model takes back", () => {
  test("is told and discarded, and nothing of it is kept", async () => {
    ran.length = 0;
    const store = memoryStore();
    const model = scriptedModel(script);
    const thread = createAgent({ model, tools: [pay], store }).thread("t");
    const run = thread.send("Pay Ann.");
    expect(await run.result).toMatchObject({
      status: "done",
      text: "Done.",
      usage: { inputTokens: 8, outputTokens: 10, totalTokens: 18, cachedTokens: 0 },
    });
    expect(short(await eventsOf(run))).toEqual(told);
    expect(ran).toEqual([{ to: "Ann" }]);
    expect(model.calls).toBe(2);
    expect(await thread.calls()).toMatchObject([{ id: "call_2", name: "pay", status: "succeeded" }]);
    const history = JSON.stringify(await thread.history("openai-chat"));
    expect(history).not.toMatch(/I pay B|Hm, hm|Bo/u);
    expect(history).toContain("I pay Ann.");
    expect(await faultsOf(store, model.requests)).toEqual([]);
  });

  test("is read again as it was told, also by another process", async () => {
    const store = memoryStore();
    await createAgent({ model: scriptedModel(script), tools: [pay], store })
      .thread("t")
      .send("Pay Ann.").result;
    const reader = createAgent({ model: scriptedModel([]), tools: [pay], store }).thread("t");
    const read: AgentEvent[] = [];
    for await (const event of reader.events()) {
      read.push(event);
      if (event.type === "run_end") break;
    }
    expect(short(read)).toEqual(told);
  });

  test("leaves what the person saw of the new one when they stop it", async () => {
    const slow = { text: "A new beginning of a long answer", pace: 5 };
    const model = scriptedModel([{ text: "Old words." }, { discard: "again" }, slow]);
    const thread = createAgent({ model }).thread("t");
    const run = thread.send("Go.");
    let isNew = false;
    for await (const { type } of run) {
      if (type === "model_discarded") isNew = true;
      if (isNew && type === "text_delta") void run.stop();
    }
    expect(await run.result).toMatchObject({ status: "stopped" });
    const history = JSON.stringify(await thread.history("openai-chat"));
    expect(history).toContain("A new");
    expect(history).not.toContain("Old words.");
  });

  test("may be discarded more than once, and before anything was said", async () => {
    const error = { status: 503, message: "down" };
    const model = scriptedModel([
      { error },
      { discard: "one" },
      { text: "Half" },
      { discard: "two" },
      { text: "Whole." },
    ]);
    const run = createAgent({ model }).thread("t").send("Go.");
    expect((await run.result).text).toBe("Whole.");
    expect(short(await eventsOf(run)).slice(2, -2)).toEqual([
      "model_discarded one",
      "text_delta Half",
      "model_discarded two",
      "text_delta Whole.",
    ]);
  });

  test("is logged, and does not count as the first byte of an answer", async () => {
    const lines: string[] = [];
    const note = (_: unknown, message: string): void => void lines.push(message);
    const logger = { info: note, warn: note, error: note };
    const model = scriptedModel([{ error: { status: 503, message: "down" } }, { discard: "one" }, { text: "Whole." }]);
    await createAgent({ model, logger }).thread("t").send("Go.").result;
    expect(lines).toEqual(["Response discarded", "First byte"]);
  });
});

describe("hooks around a model that takes an answer back", () => {
  const partsOf = async (stream: ModelStream): Promise<readonly ModelPart[]> => {
    const parts: ModelPart[] = [];
    for await (const part of stream) parts.push(part);
    return parts;
  };

  const hooks: Readonly<Record<string, NonNullable<Middleware["wrapModelCall"]>>> = {
    "pass it on": (next) => (request) => next(request),
    "wrap it": (next) => async (request) => {
      const stream = await next(request);
      return {
        turn: () => stream.turn(),
        async *[Symbol.asyncIterator]() {
          yield* stream;
        },
      };
    },
    "read its parts and give them again": (next) => async (request) => {
      const stream = await next(request);
      const parts = await partsOf(stream);
      return {
        turn: () => stream.turn(),
        async *[Symbol.asyncIterator]() {
          yield* parts;
        },
      };
    },
  };

  test.each(Object.entries(hooks))("may %s: the events are the same", async (_, wrapModelCall) => {
    const middleware: readonly Middleware[] = [{ name: "around", wrapModelCall }];
    const thread = createAgent({ model: scriptedModel(script), tools: [pay], middleware }).thread("t");
    const run = thread.send("Pay Ann.");
    expect((await run.result).status).toBe("done");
    expect(short(await eventsOf(run))).toEqual(told);
  });

  test("may read all of it: then the answer is told at once, and nothing of what was taken back", async () => {
    const reads: Middleware = {
      name: "reads",
      wrapModelCall: (next) => async (request) => {
        const stream = await next(request);
        await partsOf(stream);
        return stream;
      },
    };
    const thread = createAgent({ model: scriptedModel(script.slice(0, 3)), tools: [], middleware: [reads] }).thread(
      "t",
    );
    const run = thread.send("Pay Ann.");
    await run.result;
    const events = short(await eventsOf(run));
    expect(events.slice(2, 5)).toEqual([
      "text_delta I pay Ann.",
      "tool_call_start call_1",
      'tool_call_delta call_1 {"to":"Ann"}',
    ]);
  });
});

describe("a model that says who answers", () => {
  const named = (model: Model, name: string): Model => ({
    name: "the one that was asked",
    stream(request) {
      const stream = model.stream(request);
      return { model: name, turn: () => stream.turn(), [Symbol.asyncIterator]: () => stream[Symbol.asyncIterator]() };
    },
  });

  test.each<readonly [string, readonly Middleware[]]>([
    ["no hook", []],
    ["a hook that passes it on", [{ name: "around", wrapModelCall: (next) => (request) => next(request) }]],
  ])("is named by the end of the answer, with %s", async (_, middleware) => {
    const model = named(scriptedModel([{ text: "Hello." }]), "another");
    const thread = createAgent({ model, middleware }).thread("t");
    const run = thread.send("Go.");
    await run.result;
    const events = await eventsOf(run);
    expect(events.find(({ type }) => type === "model_start")?.data).toMatchObject({ model: "the one that was asked" });
    expect(events.find(({ type }) => type === "model_end")?.data).toMatchObject({ model: "another" });
    expect(JSON.stringify(await thread.export())).toContain('"model":"another"');
  });

  test("is not named where it is the one that was asked", async () => {
    const run = createAgent({ model: scriptedModel([{ text: "Hello." }]) })
      .thread("t")
      .send("Go.");
    await run.result;
    expect((await eventsOf(run)).find(({ type }) => type === "model_end")?.data).not.toHaveProperty("model");
  });
});
