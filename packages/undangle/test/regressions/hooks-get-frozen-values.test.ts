import { createAgent, tool } from "#engine";
import type { Middleware, RunOne } from "#engine";
import type { ToolInput } from "../../src/engine/schema/input-schema.ts";
import type { ModelRequest } from "#model";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";

type ToolRun = Parameters<RunOne>[0];
type Loose = { arguments: Record<string, unknown> & { list: unknown[]; inner: { n: number } }; tool: object };

const script = [{ calls: [{ name: "pay", arguments: { n: 1, list: [1], inner: { n: 1 } } }] }, { text: "Done." }];
const given = { n: 1, list: [1], inner: { n: 1 } };

function stage(middleware: Middleware, input: ToolInput = { type: "object" }) {
  const ran: unknown[] = [];
  const pay = tool({ name: "pay", description: "Pays.", input, execute: (args) => (ran.push(args), "paid") });
  const model = scriptedModel(script);
  return { thread: createAgent({ model, tools: [pay], middleware: [middleware] }).thread("t"), ran, model };
}

describe("what a hook around a tool changes in place never runs:", () => {
  test.each<readonly [string, (call: Loose) => void]>([
    ["an argument", ({ arguments: args }) => (args["n"] = 9)],
    ["a new argument", ({ arguments: args }) => (args["more"] = 9)],
    ["an argument that is taken away", ({ arguments: args }) => delete args["n"]],
    ["an argument of an argument", ({ arguments: args }) => (args.inner.n = 9)],
    ["a list", ({ arguments: args }) => args.list.push(9)],
    ["all arguments", (call) => Object.assign(call, { arguments: { n: 9 } })],
    ["the tool", ({ tool: each }) => Object.assign(each, { execute: () => "stolen" })],
    ["the id of the call", (call) => Object.assign((call as never as ToolRun).context, { callId: "call_9" })],
  ])("%s", async (_, change) => {
    const hook = (next: RunOne) => (call: ToolRun) => {
      change(call as unknown as Loose); // a program without types
      return next(call);
    };
    const { thread, ran } = stage({ name: "careless", wrapToolCall: hook });
    const { error } = await thread.send("Go.").result;
    expect(error?.message).toMatch(/wrapToolCall of the middleware careless failed: /u);
    expect(ran).toEqual([]);
  });

  test("also where the change is made without strict mode", async () => {
    // oxlint-disable-next-line typescript/no-implied-eval -- the only way to get code that is not strict in a module
    const change = new Function("call", "call.arguments.n = 9; call.arguments.inner.n = 9;") as (call: ToolRun) => void;
    const hook = (next: RunOne) => (call: ToolRun) => (change(call), next(call));
    const { thread, ran } = stage({ name: "sloppy", wrapToolCall: hook });
    await thread.send("Go.").result;
    expect(ran).toEqual([given]);
  });

  test.each<readonly [string, ToolInput]>([
    ["what cannot be frozen", z.looseObject({}).transform(() => ({ when: new Date(1), map: new Map([["a", 1]]) }))],
    [
      "what cannot be copied",
      z.looseObject({}).transform(() => ({ when: new Date(1), map: new Map([["a", 1]]), run: () => 1 })),
    ],
  ])("%s", async (_, output) => {
    const hook = (next: RunOne) => (call: ToolRun) => {
      const { when, map } = call.arguments as { when: Date; map: Map<string, number> };
      when.setTime(5);
      map.set("a", 5);
      return next({ ...call });
    };
    const { thread, ran } = stage({ name: "careless", wrapToolCall: hook }, output);
    await thread.send("Go.").result;
    expect(ran).toMatchObject([{ when: new Date(1), map: new Map([["a", 1]]) }]);
  });
});

describe("what a hook around the model changes in place changes nothing:", () => {
  test.each<readonly [string, (request: ModelRequest) => unknown]>([
    ["the description of a tool", ({ tools }) => Object.assign(tools[0] ?? {}, { description: "Wipes." })],
    ["the schema of a tool", ({ tools }) => Object.assign(tools[0]?.schema ?? {}, { type: "string" })],
  ])("%s", async (_, change) => {
    const { thread, model } = stage({ name: "careless", beforeModel: (request) => void change(request) });
    expect((await thread.send("Go.").result).error?.code).toBe("hook/failed");
    expect(model.requests).toEqual([]);
  });

  test("the ids that the thread knows", async () => {
    const seen: unknown[] = [];
    const clear: Middleware = {
      name: "clear",
      beforeModel(request) {
        (request.knownIds as Partial<Set<string>>).clear?.(); // hooks can only iterate over them
        seen.push(null);
      },
    };
    const agent = createAgent({ model: scriptedModel([...script, ...script]), middleware: [clear] });
    const thread = agent.thread("t");
    await thread.send("Go.").result;
    await thread.send("Go.").result;
    const text = JSON.stringify(await thread.history("openai-chat"));
    const ids = [...text.matchAll(/"tool_calls":\[\{"id":"([^"]+)"/gu)].map(([, id]) => id);
    expect([ids.length, new Set(ids).size]).toEqual([2, 2]);
  });

  test("the schema of a tool that was made by hand stays the program's own", async () => {
    const made = tool({ name: "pay", description: "Pays.", execute: () => "paid" });
    const schema: Record<string, unknown> = { type: "object", properties: {} };
    const looking: Middleware = { name: "looking", beforeModel: (request) => ({ ...request }) };
    const agent = createAgent({ model: scriptedModel(script), tools: [{ ...made, schema }], middleware: [looking] });
    await agent.thread("t").send("Go.").result;
    schema["title"] = "still mine";
    expect(Object.isFrozen(schema)).toBe(false);
  });
});
