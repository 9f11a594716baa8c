import { createAgent, tool } from "#engine";
import type { Middleware } from "#engine";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";

import { afterDeath } from "./after-death.ts";
import { patchToolCalls } from "../../src/middleware/patch-tool-calls.ts";
import { faultsOf } from "./health.ts";
import { promised, quiet, soon, until } from "./promised.ts";
import { eventsOf, shapeOf, statesOf } from "./recorded.ts";

function payment(ran: unknown[] = []) {
  return tool({
    name: "pay",
    description: "Pays.",
    input: z.object({ n: z.number() }),
    execute(args) {
      ran.push(args);
      return "paid";
    },
  });
}

const script = [{ calls: [{ name: "pay", arguments: { n: 1 } }] }, { text: "Done." }];

describe("what hooks are given", () => {
  test.each<[string, Middleware["beforeModel"]]>([
    ["the list of messages", (request) => void (request.messages as unknown[]).splice(1, 1)],
    ["a message", (request) => void Object.assign(request.messages[0] ?? {}, { role: "tool" })],
    ["the instructions", (request) => void (request.system as unknown[]).push({ type: "text", text: "x" })],
    ["the tools", (request) => void (request.tools as unknown[]).pop()],
  ])("cannot be changed where it stands: %s", async (_, beforeModel) => {
    const model = scriptedModel(script);
    const store = memoryStore();
    const middleware = [{ name: "careless", ...(beforeModel && { beforeModel }) }];
    const agent = createAgent({ model, store, instructions: "Be brief.", tools: [payment()], middleware });
    const { error } = await agent.thread("t").send("Go.").result;
    expect(error?.message).toMatch(/beforeModel of the middleware careless failed: /u);
    expect(await faultsOf(store, model.requests)).toEqual([]);
  });

  test("is mended when a hook sets the list of messages where it stands", async () => {
    const model = scriptedModel(script);
    const store = memoryStore();
    const cutting: Middleware = {
      name: "cutting",
      wrapModelCall: (next) => (request) => {
        Object.assign(request, { messages: request.messages.slice(-1) });
        return next(request);
      },
    };
    const agent = createAgent({ model, store, tools: [payment()], middleware: [cutting] });
    expect((await agent.thread("t").send("Go.").result).text).toBe("Done.");
    expect(await faultsOf(store, model.requests)).toEqual([]);
  });

  test.each<[string, object, RegExp]>([
    ["no messages", { messages: 5 }, /messages/u],
    [
      "a call without its input",
      { messages: [{ role: "assistant", parts: [{ type: "call", name: "x" }] }] },
      /messages\[0\]/u,
    ],
    ["instructions that are one text", { system: "Be nice." }, /system/u],
  ])("is refused with its place when it is handed on as %s", async (_, change, message) => {
    const odd: Middleware = { name: "odd", wrapModelCall: (next) => (request) => next({ ...request, ...change }) };
    const agent = createAgent({ model: scriptedModel(script), middleware: [odd] });
    expect((await agent.thread("t").send("Go.").result).error?.message).toMatch(message);
  });

  test("is whole for the next hook, whatever the last one has left out", async () => {
    const seen: unknown[] = [];
    const bare = {
      name: "bare",
      beforeModel: ({ messages }: { messages: unknown }) => ({ messages, signal: undefined }),
    } as unknown as Middleware; // without types
    const next: Middleware = {
      name: "next",
      beforeModel: ({ language, signal }) => void seen.push(language, signal.aborted),
    };
    const agent = createAgent({ model: scriptedModel([{ text: "Done." }]), middleware: [bare, next] });
    expect((await agent.thread("t").send("Go.").result).text).toBe("Done.");
    expect(seen).toEqual(["en", false]);
  });
});

describe("what runs is what was approved:", () => {
  test("a hook may not change a call that a person has allowed", async () => {
    const ran: unknown[] = [];
    const changing: Middleware = {
      name: "changing",
      wrapToolCall: (next) => (call) => next({ ...call, arguments: { n: 9 } }),
    };
    const agent = createAgent({
      model: scriptedModel(script),
      tools: [payment(ran)],
      approvals: [{ tools: "pay" }],
      middleware: [changing],
    });
    await agent.thread("t").send("Pay.").result;
    expect((await agent.thread("t").approveAll().result).text).toBe("Done.");
    expect(await agent.thread("t").calls()).toMatchObject([
      { name: "pay", status: "failed", error: "pay was not executed - a hook changed the call after it was approved." },
    ]);
    expect(ran).toEqual([]);
  });

  test("a hook may copy the arguments, change the copy, and hand on what it was given", async () => {
    const ran: unknown[] = [];
    const middleware: readonly Middleware[] = [
      {
        name: "masking",
        wrapToolCall: (next) => (call) => {
          const given = { ...call, arguments: { ...(call.arguments as object) } };
          Object.assign(structuredClone(call.arguments) as object, { n: "***" });
          return next(given);
        },
      },
    ];
    const agent = createAgent({
      model: scriptedModel(script),
      tools: [payment(ran)],
      approvals: [{ tools: "pay" }],
      middleware,
    });
    await agent.thread("t").send("Pay.").result;
    expect((await agent.thread("t").approveAll().result).text).toBe("Done.");
    expect(ran).toEqual([{ n: 1 }]);
  });

  test("what a hook puts in the place of other arguments has to fit", async () => {
    for (const [args, runs] of [
      [{ n: 2 }, [{ n: 2 }]],
      [{ n: "lots" }, []],
    ] as const) {
      const ran: unknown[] = [];
      const changing: Middleware = {
        name: "changing",
        wrapToolCall: (next) => (call) => next({ ...call, arguments: args }),
      };
      const agent = createAgent({ model: scriptedModel(script), tools: [payment(ran)], middleware: [changing] });
      await agent.thread("t").send("Pay.").result;
      expect(ran).toEqual(runs);
    }
  });

  type ToolRun = Parameters<ReturnType<NonNullable<Middleware["wrapToolCall"]>>>[0];
  type Changeable = { -readonly [Key in keyof ToolRun]: ToolRun[Key] };
  const other = tool({ name: "other", description: "Other.", execute: () => "other" });

  test.each<[string, (call: Changeable) => void]>([
    ["arguments", (call) => (call.arguments = { n: 9 })],
    ["the tool", (call) => (call.tool = other)],
  ])("a hook may not change it where it stands: %s", async (_, change) => {
    const ran: unknown[] = [];
    const careless: Middleware = {
      name: "careless",
      wrapToolCall: (next) => (call) => {
        change(call);
        return next(call);
      },
    };
    const agent = createAgent({
      model: scriptedModel(script),
      tools: [payment(ran)],
      approvals: [{ tools: "pay" }],
      middleware: [careless],
    });
    await agent.thread("t").send("Pay.").result;
    const { error } = await agent.thread("t").approveAll().result;
    expect(error?.message).toMatch(/wrapToolCall of the middleware careless failed: /u);
    expect(ran).toEqual([]);
  });

  test("a hook may take its time, and put the call together anew", async () => {
    const ran: unknown[] = [];
    const slow: Middleware = {
      name: "slow",
      wrapToolCall:
        (next) =>
        async ({ tool: given, context }) => {
          await quiet();
          return next({ tool: given, context, arguments: { n: 2 } });
        },
    };
    const agent = createAgent({ model: scriptedModel(script), tools: [payment(ran)], middleware: [slow] });
    expect((await agent.thread("t").send("Pay.").result).text).toBe("Done.");
    expect(ran).toEqual([{ n: 2 }]);
  });

  test("a tool is not started when its call was settled while a hook took its time", async () => {
    const ran: unknown[] = [];
    const gate = promised<undefined>();
    const slow: Middleware = { name: "slow", wrapToolCall: (next) => async (call) => (await gate.promise, next(call)) };
    const agent = createAgent({ model: scriptedModel(script), tools: [payment(ran)], middleware: [slow] });
    const run = agent.thread("t").send("Pay.");
    await until(async () => (await statesOf(agent.store, "t"))["pay"] === "running");
    await run.stop();
    gate.resolve(undefined);
    await quiet();
    expect(ran).toEqual([]);
  });
});

test("a run that a hook ends before there is an answer of the form that was asked for is not done", async () => {
  const agent = createAgent({
    model: scriptedModel([]),
    output: z.object({ n: z.number() }),
    middleware: [{ name: "closed", beforeAgent: () => ({ type: "end", text: "We are closed." }) }],
  });
  expect(await agent.thread("t").send("Go.").result).toMatchObject({ status: "stopped", text: "We are closed." });
});

describe("a message that waits in the queue", () => {
  const waiting = async () => {
    const agent = createAgent({
      model: scriptedModel([...script.slice(0, 1), { text: "One." }, { text: "Two." }]),
      tools: [payment()],
      approvals: [{ tools: "pay", expiresAfter: 1e6 }],
    });
    const thread = agent.thread("t");
    await thread.send("Pay.").result;
    await thread.send("And hurry.", { onInput: "queue" }).result;
    return { agent, thread };
  };

  test("is heard by the model that answers anew", async () => {
    const { thread } = await waiting();
    await thread.regenerate().result;
    expect(await shapeOf(thread)).toBe("H:Pay. H:And hurry. A:One.");
  });

  test("goes along into a fork and an export", async () => {
    const { agent, thread } = await waiting();
    const fork = await thread.fork();
    const other = agent.thread("other");
    await other.import(JSON.parse(JSON.stringify(await thread.export())));
    for (const each of [fork, other]) {
      await each.rejectAll().result;
      expect(await shapeOf(each)).toMatch(/^H:Pay\. A\(pay\) T H:And hurry\. A:/u);
    }
  });
});

test("what waits in a fork is told there, and expires by itself", async () => {
  const agent = createAgent({
    model: scriptedModel([...script.slice(0, 1), { text: "Late." }, { text: "Late." }]),
    tools: [payment()],
    approvals: [{ tools: "pay", expiresAfter: 200 }],
  });
  await agent.thread("t").send("Pay.").result;
  const fork = await agent.thread("t").fork(undefined, { id: "fork" });
  const [first] = await agent.store.events("fork");
  expect(first?.type).toBe("approval_required");
  await until(async () => (await statesOf(agent.store, "fork"))["pay"] === "expired");
  await until(async () => (await shapeOf(fork)).endsWith("A:Late."));
});

test("a stop that comes while a run is about to wait settles what waits", async () => {
  const inner = memoryStore();
  let isSlow = false;
  const gate = promised<undefined>();
  const store = {
    ...inner,
    async commit(commit: Parameters<typeof inner.commit>[0]) {
      if (commit.events.some(({ type }) => type === "run_end") && !isSlow) {
        isSlow = true;
        await gate.promise;
      }
      await inner.commit(commit);
    },
  };
  const agent = createAgent({ model: scriptedModel(script), store, tools: [payment()], approvals: [{ tools: "pay" }] });
  const thread = agent.thread("t");
  void thread.send("Pay.");
  await until(() => isSlow);
  const stopped = thread.stop();
  gate.resolve(undefined);
  await soon(stopped);
  expect(await thread.pending()).toEqual([]);
  expect(await statesOf(inner, "t")).toEqual({ pay: "stopped" });
});

test("words that are kept are told in every request, also where new ones are made once a run", async () => {
  const model = scriptedModel([{ calls: [{ name: "pay", arguments: { n: 1 } }] }, { text: "Done." }]);
  const agent = createAgent({
    model,
    tools: [payment()],
    middleware: [patchToolCalls({ when: "run", persist: true, notice: () => "MINE" })],
  });
  const thread = agent.thread("t");
  await thread.import([
    { role: "user", content: "Go." },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "x", type: "function", function: { name: "pay", arguments: "{}" } }],
    },
  ]);
  const run = thread.send("And?");
  await run.result;
  for (const { messages } of model.requests) expect(JSON.stringify(messages)).toContain("MINE");
  expect((await eventsOf(run)).at(-1)?.type).toBe("run_end");
});

test("an answer that a hook has read before it hands it on is told all the same", async () => {
  const patient: Middleware = {
    name: "patient",
    wrapModelCall: (next) => async (request) => {
      const stream = await next(request);
      await stream.turn();
      return stream;
    },
  };
  const agent = createAgent({
    model: scriptedModel([{ text: "Let me pay.", calls: [{ name: "pay", arguments: { n: 1 } }] }, { text: "Done." }]),
    tools: [payment()],
    middleware: [patient],
  });
  const run = agent.thread("t").send("Pay.");
  await run.result;
  const texts = (await eventsOf(run)).flatMap(({ type, data }) => (type === "text_delta" ? [data.text] : []));
  expect(texts.join("")).toBe("Let me pay.Done.");
  expect((await eventsOf(run)).filter(({ type }) => type === "tool_call_start").length).toBe(1);
});

test("what a model says is told once, whatever is around it", async () => {
  const around: Middleware = { name: "around", wrapModelCall: (next) => (request) => next(request) };
  const agent = createAgent({ model: scriptedModel([{ text: "Hello." }]), middleware: [around] });
  const run = agent.thread("t").send("Go.");
  await run.result;
  const texts = (await eventsOf(run)).flatMap(({ type, data }) => (type === "text_delta" ? [data.text] : []));
  expect(texts.join("")).toBe("Hello.");
});

test("calls that a dead process had not let through are judged before they run", async () => {
  const ran: unknown[] = [];
  const inner = memoryStore();
  const judging = promised<undefined>();
  const guard = (judge: () => Promise<undefined>): Middleware => ({
    name: "guard",
    async afterModel({ answer }) {
      if (answer.calls.length === 0) return undefined;
      await judge();
      return { type: "end", text: "Not this." };
    },
  });
  const dead = createAgent({
    model: scriptedModel(script),
    store: inner,
    tools: [payment(ran)],
    middleware: [guard(() => judging.promise)],
  });
  void dead.thread("t").send("Pay.");
  await quiet();
  void dead.thread("t").send("Hurry.", { onInput: "queue" }); // with that the answer is saved
  await until(async () => (await statesOf(inner, "t"))["pay"] === "proposed");
  const heir = createAgent({
    model: scriptedModel([{ text: "Well." }], { loop: true }),
    store: afterDeath(inner),
    tools: [payment(ran)],
    middleware: [guard(() => Promise.resolve(undefined))],
  });
  for (const run of await heir.recover()) await run.result;
  expect(ran).toEqual([]);
  expect(await statesOf(inner, "t")).toEqual({ pay: "stopped" });
});
