import * as api from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base";
import { createAgent, tool } from "#engine";
import type { AgentOptions } from "#engine";
import { telemetry } from "#middleware";
import type { TelemetryOptions } from "#middleware";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";
import type { ScriptedAnswer } from "#testing";
import { describe, expect, test } from "vitest";

import { recordSpans } from "./recorded-spans.ts";

const weather = tool({
  name: "weather",
  description: "Tells the weather.",
  input: { type: "object", properties: { city: { type: "string" } } },
  execute: async ({ city }) => Promise.resolve(`rain in ${String(city)}`),
});

function stage(
  turns: readonly ScriptedAnswer[],
  more: Partial<AgentOptions> = {},
  options: Partial<TelemetryOptions> = {},
) {
  const spans = recordSpans();
  const model = { ...scriptedModel(turns), name: "gemini/gemini-3-pro" };
  const agent = createAgent({
    name: "clerk",
    model,
    tools: [weather],
    store: memoryStore(),
    middleware: [telemetry({ api, ...options })],
    ...more,
  });
  const named = (name: string): ReadableSpan => {
    const found = spans().find((span) => span.name === name);
    if (found === undefined)
      throw new Error(
        `There is no span ${name} among ${spans()
          .map((each) => each.name)
          .join(", ")}.`,
      );
    return found;
  };
  return { agent, spans, named };
}

const rain: readonly ScriptedAnswer[] = [
  { text: "I look.", calls: [{ name: "weather", arguments: { city: "Lisbon" } }] },
  { text: "It rains.", usage: { input_tokens: 10, output_tokens: 3 } },
];

describe("a run", () => {
  test("is a span with those of the model and of the tools inside of it", async () => {
    const { agent, spans, named } = stage(rain);
    await agent.thread("t").send("How is it in Lisbon?").result;
    const all = ["chat gemini-3-pro", "execute_tool weather", "chat gemini-3-pro", "invoke_agent clerk"];
    expect(spans().map(({ name }) => name)).toEqual(all);
    const run = named("invoke_agent clerk");
    expect(new Set(spans().map((span) => span.spanContext().traceId)).size).toBe(1);
    expect(spans().map((span) => span.parentSpanContext?.spanId)).toEqual([
      run.spanContext().spanId,
      run.spanContext().spanId,
      run.spanContext().spanId,
      undefined,
    ]);
    expect(run.attributes).toMatchObject({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.provider.name": "gcp.gemini",
      "gen_ai.request.model": "gemini-3-pro",
      "gen_ai.agent.name": "clerk",
      "gen_ai.conversation.id": "t",
      "gen_ai.usage.input_tokens": 10,
      "gen_ai.usage.output_tokens": 3,
      "undangle.run.status": "done",
    });
    expect(spans()[2]?.attributes).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "gcp.gemini",
      "gen_ai.request.model": "gemini-3-pro",
      "gen_ai.response.model": "gemini-3-pro",
      "gen_ai.response.finish_reasons": ["stop"],
      "gen_ai.usage.input_tokens": 10,
      "gen_ai.usage.output_tokens": 3,
      "gen_ai.conversation.id": "t",
    });
    expect(spans()[2]?.kind).toBe(api.SpanKind.CLIENT);
    expect(named("execute_tool weather").attributes).toMatchObject({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "weather",
      "gen_ai.tool.type": "function",
      "gen_ai.tool.call.id": "call_1",
    });
  });

  test("is inside of what asked for it, and what a tool does is inside of the tool", async () => {
    const inner = tool({
      name: "inner",
      description: "Has a span of its own.",
      execute: async () => {
        await Promise.resolve();
        api.trace.getTracer("test").startSpan("query").end();
        return "done";
      },
    });
    const { agent, named } = stage([{ calls: [{ name: "inner" }] }, { text: "Done." }], { tools: [inner] });
    await api.trace.getTracer("test").startActiveSpan("request", async (span) => {
      await agent.thread("t").send("Go.").result;
      span.end();
    });
    expect(named("invoke_agent clerk").parentSpanContext?.spanId).toBe(named("request").spanContext().spanId);
    expect(named("query").parentSpanContext?.spanId).toBe(named("execute_tool inner").spanContext().spanId);
  });

  test("that waits ends, and the one that goes on is linked to it, also in another process", async () => {
    const pay = tool({ name: "pay", description: "Pays.", approval: true, execute: () => "paid" });
    const store = memoryStore();
    const options = { tools: [pay], store, middleware: [telemetry({ api })] };
    const { agent, spans } = stage([{ calls: [{ name: "pay" }] }], options);
    await agent.thread("t").send("Pay.").result;
    await agent.close();
    const model = scriptedModel([{ text: "Paid." }, { text: "Bye." }]);
    const later = createAgent({ ...options, name: "clerk", model });
    await later.thread("t").approveAll().result;
    await later.thread("t").send("Bye.").result;
    const runs = spans().filter(({ name }) => name === "invoke_agent clerk");
    expect(runs.map(({ attributes }) => attributes["undangle.run.status"])).toEqual(["waiting", "done", "done"]);
    expect(runs.map(({ links }) => links.map((link) => link.context.spanId))).toEqual([
      [],
      [runs[0]?.spanContext().spanId],
      [],
    ]);
    expect(await later.thread("t").state()).toEqual({ telemetry: { waiting: null } });
  });

  test("says what else is wanted of it", async () => {
    const { agent, named } = stage([{ text: "Hi." }], {}, { attributes: () => ({ tenant: "shop" }) });
    await agent.thread("t").send("Hi.").result;
    expect(named("invoke_agent clerk").attributes["tenant"]).toBe("shop");
  });
});

describe("a failure", () => {
  test("of the model is on its span and on that of the run", async () => {
    const { agent, named } = stage([{ error: { status: 429, message: "slow down, Ada" } }]);
    const { status } = await agent.thread("t").send("Hi.").result;
    expect(status).toBe("failed");
    const [chat, run] = [named("chat gemini-3-pro"), named("invoke_agent clerk")];
    expect([chat, run].map((span) => span.status)).toEqual([{ code: 2 }, { code: 2 }]);
    expect(run.attributes["error.type"]).toBe("model/failed");
    expect(chat.attributes["error.type"]).toBeTypeOf("string");
    expect(run.attributes["undangle.run.status"]).toBe("failed");
  });

  test.each([
    ["that is thrown", { execute: () => Promise.reject(new RangeError("too far")) }, "RangeError"],
    [
      "that is thrown at once",
      {
        execute: () => {
          throw new TypeError("no");
        },
      },
      "TypeError",
    ],
    ["of its time", { timeout: 5, execute: () => new Promise(() => {}) }, "timeout"],
  ])("of a tool %s is on its span, and not on that of the run", async (_, options, type) => {
    const bad = tool({ name: "bad", description: "Fails.", ...options });
    const { agent, named } = stage([{ calls: [{ name: "bad" }] }, { text: "Sorry." }], { tools: [bad] });
    await agent.thread("t").send("Go.").result;
    expect(named("execute_tool bad")).toMatchObject({ status: { code: 2 }, attributes: { "error.type": type } });
    expect(named("invoke_agent clerk").status).toEqual({ code: 0 });
  });

  test("that is a limit is on the span of the run", async () => {
    const again = () => ({ calls: [{ name: "weather", arguments: {} }] });
    const { agent, named } = stage([again(), again()], { limits: { steps: 1 } });
    await agent.thread("t").send("Go.").result;
    expect(named("invoke_agent clerk").attributes).toMatchObject({
      "error.type": "run/limit",
      "undangle.run.status": "stopped",
    });
  });
});

test("a model that does not heed that the run was stopped leaves no span open", async () => {
  const silent = {
    name: "openai/gpt-5.1",
    stream: () => ({
      turn: () => new Promise<never>(() => {}),
      async *[Symbol.asyncIterator]() {
        await new Promise(() => {});
        yield* [];
      },
    }),
  };
  const { agent, spans } = stage([], { model: silent });
  const run = agent.thread("t").send("Hi.");
  for await (const { type } of run) if (type === "model_start") void run.stop();
  await run.result;
  expect(spans().map(({ name, attributes }) => [name, attributes["undangle.stopped"]])).toEqual([
    ["chat gpt-5.1", true],
    ["invoke_agent clerk", undefined],
  ]);
});

describe("what was said", () => {
  const secret = /Lisbon|It rains|I look|Be brief/u;
  const said = async (content: boolean): Promise<string> => {
    const { agent, spans } = stage(rain, { instructions: "Be brief." }, { content });
    await agent.thread("t").send("How is it in Lisbon?").result;
    return JSON.stringify(spans().map(({ attributes, status, events }) => ({ attributes, status, events })));
  };

  test("stands in no span", async () => {
    expect(await said(false)).not.toMatch(secret);
  });

  test("stands in the spans where that is wanted, in the form of the conventions", async () => {
    const { agent, spans, named } = stage(rain, { instructions: "Be brief." }, { content: true });
    await agent.thread("t").send("How is it in Lisbon?").result;
    const read = (span: ReadableSpan | undefined, key: string): unknown => JSON.parse(String(span?.attributes[key]));
    expect(read(spans()[2], "gen_ai.system_instructions")).toEqual([{ type: "text", content: "Be brief." }]);
    expect(read(spans()[2], "gen_ai.input.messages")).toEqual([
      { role: "user", parts: [{ type: "text", content: "How is it in Lisbon?" }] },
      {
        role: "assistant",
        parts: [
          { type: "text", content: "I look." },
          { type: "tool_call", id: "call_1_0", name: "weather", arguments: { city: "Lisbon" } },
        ],
      },
      { role: "tool", parts: [{ type: "tool_call_response", id: "call_1_0", response: "rain in Lisbon" }] },
    ]);
    expect(read(spans()[2], "gen_ai.output.messages")).toEqual([
      { role: "assistant", parts: [{ type: "text", content: "It rains." }], finish_reason: "stop" },
    ]);
    expect(read(named("execute_tool weather"), "gen_ai.tool.call.arguments")).toEqual({ city: "Lisbon" });
    expect(read(named("execute_tool weather"), "gen_ai.tool.call.result")).toBe("rain in Lisbon");
  });
});

test("where nobody records anything, everything is as it was", async () => {
  const agent = createAgent({
    model: scriptedModel(rain),
    tools: [weather],
    middleware: [telemetry({ api })],
  });
  const { text } = await agent.thread("t").send("How is it in Lisbon?").result;
  expect(text).toBe("It rains.");
});

test.each([
  [{}, "api"],
  [{ api: {} }, "api"],
  [{ api, content: "yes" }, "content"],
  [{ api, attributes: {} }, "attributes"],
  [{ api, spans: true }, "spans"],
])("options that mean nothing are refused: %#", (options, option) => {
  expect(() => telemetry(options as unknown as TelemetryOptions)).toThrow(option);
});
