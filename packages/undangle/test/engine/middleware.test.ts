import { UndangleError } from "#core";
import { createAgent, tool } from "#engine";
import type { Middleware } from "#engine";
import type { Model } from "#model";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";

import { faultsOf } from "./health.ts";
import { statesOf, toldOf } from "./recorded.ts";

/** Middleware that notes when each of its hooks runs. */
function noting(name: string, notes: string[]): Middleware {
  const note = (hook: string): void => void notes.push(`${name} ${hook}`);
  return {
    name,
    beforeAgent: () => note("beforeAgent"),
    beforeModel: (request) => {
      note("beforeModel");
      return request;
    },
    afterModel: () => note("afterModel"),
    afterAgent: ({ status }) => note(`afterAgent ${status}`),
    wrapModelCall: (next) => (request) => {
      note("asks");
      return next(request);
    },
    wrapToolCall: (next) => (call) => {
      note(`runs ${call.tool.name}`);
      return next(call);
    },
  };
}

/** Throws, or rejects, when it is told to. */
const quick = tool({
  name: "quick",
  description: "Quick.",
  input: { type: "object", properties: { fault: { type: "string" } } },
  execute(args: { readonly fault?: string }) {
    if (args.fault === "thrown") throw new Error("thrown");
    if (args.fault === "text") return throwing("text");
    return args.fault === "rejected" ? Promise.reject(new Error("rejected")) : "quick result";
  },
});

/** People throw anything. */
function throwing(thrown: unknown): never {
  throw thrown as Error; // or not
}

const script = [{ calls: [{ name: "quick" }] }, { text: "Done." }];

describe("middleware", () => {
  test("the first is the outermost: before in order, after in reverse", async () => {
    const notes: string[] = [];
    const middleware = [noting("a", notes), noting("b", notes)];
    const agent = createAgent({ model: scriptedModel(script), tools: [quick], middleware });
    expect((await agent.thread("t").send("Go.").result).text).toBe("Done.");
    const asking = ["a beforeModel", "b beforeModel", "a asks", "b asks", "b afterModel", "a afterModel"];
    expect(notes).toEqual([
      "a beforeAgent",
      "b beforeAgent",
      ...asking,
      "a runs quick",
      "b runs quick",
      ...asking,
      "b afterAgent done",
      "a afterAgent done",
    ]);
  });

  test("a hook may warn, and reads the language, as tools do", async () => {
    const languages: string[] = [];
    const speak = tool({ name: "speak", description: "Speaks.", execute: (_, { language }) => language });
    const warns: Middleware = {
      name: "warns",
      wrapToolCall:
        (next) =>
        (call, { language, warn }) => {
          languages.push(language);
          warn("Something is off.", call.context.callId);
          return next(call);
        },
    };
    const model = scriptedModel([{ calls: [{ name: "speak" }] }, { text: "Done." }]);
    const agent = createAgent({ model, tools: [speak], middleware: [warns], language: "zh" });
    const thread = agent.thread("t");
    const warnings: unknown[] = [];
    for await (const { type, data } of thread.send("Go.")) if (type === "warning") warnings.push(data);
    expect(languages).toEqual(["zh"]);
    expect((await thread.calls())[0]?.result).toBe("zh");
    expect(warnings).toMatchObject([{ message: "Something is off.", id: "call_1" }]);
  });

  test("a hook may change what the model is asked; the thread stays as it is", async () => {
    const model = scriptedModel([{ text: "Hello." }]);
    const shorten: Middleware = {
      name: "shorten",
      beforeModel: (request) => ({ ...request, messages: request.messages.slice(-1), toolChoice: "none" }),
    };
    const agent = createAgent({ model, tools: [quick], middleware: [shorten] });
    await agent.thread("t").send("Go.").result;
    expect(model.requests[0]).toMatchObject({ toolChoice: "none" });
  });

  test("what wraps a tool may answer in its place, change its result, refuse it, or pass on what it threw", async () => {
    const outcomes: readonly (readonly [NonNullable<Middleware["wrapToolCall"]>, string, string])[] = [
      [() => () => "from outside", "succeeded", "from outside"],
      [(next) => async (call) => `${String(await next(call))}, and more`, "succeeded", "quick result, and more"],
      [() => () => ({ content: [{ type: "text", text: "not today" }], isError: true }), "failed", "not today"],
      [(next) => (call) => next({ ...call, arguments: { fault: "thrown" } }), "failed", "thrown"],
      [(next) => async (call) => await next({ ...call, arguments: { fault: "rejected" } }), "failed", "rejected"],
      [(next) => (call) => next({ ...call, arguments: { fault: "text" } }), "failed", "text"],
    ];
    for (const [wrapToolCall, state, told] of outcomes) {
      const store = memoryStore();
      const model = scriptedModel(script);
      const agent = createAgent({ model, store, tools: [quick], middleware: [{ name: "m", wrapToolCall }] });
      expect((await agent.thread("t").send("Go.").result).text).toBe("Done.");
      expect(await statesOf(store, "t")).toEqual({ quick: state });
      expect(await toldOf(agent.thread("t"))).toEqual({ quick: told });
      expect(await faultsOf(store, model.requests)).toEqual([]);
    }
  });

  test("its tools are tools of the agent", async () => {
    const agent = createAgent({ model: scriptedModel(script), middleware: [{ name: "m", tools: [quick] }] });
    await agent.thread("t").send("Go.").result;
    expect(await toldOf(agent.thread("t"))).toEqual({ quick: "quick result" });
  });

  const hooks = ["beforeAgent", "beforeModel", "afterModel", "afterAgent"] as const;

  test.each(hooks)("%s that throws fails the run with its name, and no call is left open", async (hook) => {
    const store = memoryStore();
    const model = scriptedModel([{ calls: [{ name: "quick" }, { name: "gated" }] }, { text: "Here." }]);
    let isBroken = true;
    const bad: Middleware = {
      name: "bad",
      [hook]() {
        if (isBroken) throw new Error("boom");
      },
    };
    const gated = tool({ name: "gated", description: "Gated.", approval: true, execute: () => 1 });
    const agent = createAgent({ model, store, tools: [quick, gated], middleware: [bad] });
    const { status, error } = await agent.thread("t").send("Go.").result;
    expect([status, error]).toMatchObject([
      "failed",
      { code: "hook/failed", data: { middleware: "bad", hook, message: "boom" } },
    ]);
    isBroken = false;
    await agent.thread("t").send("And?").result;
    await agent.thread("t").stop();
    expect(await faultsOf(store, model.requests)).toEqual([]);
    expect(Object.values(await statesOf(store, "t"))).not.toContain("awaiting");
  });

  const wrapping = ["wrapModelCall", "wrapToolCall"] as const;
  const ways = {
    "throws at once": () => {
      throw new Error("boom");
    },
    rejects: () => Promise.reject(new Error("boom")),
    "throws a text": () => throwing("boom"),
  };

  test.each(wrapping.flatMap((hook) => Object.keys(ways).map((way) => [hook, way as keyof typeof ways] as const)))(
    "%s that %s fails the run with its name, and no call is left open",
    async (hook, way) => {
      const store = memoryStore();
      const model = scriptedModel([{ calls: [{ name: "quick" }, { name: "gated" }] }, { text: "Here." }], {
        loop: true,
      });
      let isBroken = true;
      const around = (name: string, before: () => unknown): Middleware =>
        hook === "wrapToolCall"
          ? { name, wrapToolCall: (next) => (call) => before() ?? next(call) }
          : { name, wrapModelCall: (next) => async (request) => (await before(), next(request)) };
      const outer = around("outer", () => undefined);
      const bad = around("bad", () => (isBroken ? ways[way]() : undefined));
      const gated = tool({ name: "gated", description: "Gated.", approval: true, execute: () => 1 });
      const agent = createAgent({ model, store, tools: [quick, gated], middleware: [outer, bad] });
      const run = agent.thread("t").send("Go.");
      expect(await run.result).toMatchObject({
        status: "failed",
        error: { code: "hook/failed", data: { middleware: "bad", hook, message: "boom" } },
      });
      expect(Object.values(await statesOf(store, "t")).filter((state) => state !== "stopped")).toEqual([]);
      isBroken = false;
      await agent.thread("t").send("And?").result;
      await agent.thread("t").stop();
      expect(await faultsOf(store, model.requests)).toEqual([]);
    },
  );

  test("a hook that throws something else than what the tool threw is named, and its tool is not tried again", async () => {
    let starts = 0;
    const failing = tool({
      name: "quick",
      description: "Fails.",
      retries: 3,
      execute() {
        starts++;
        throw new Error("of the tool");
      },
    });
    const wrapToolCall: Middleware["wrapToolCall"] = (next) => (call) => {
      try {
        return next(call);
      } catch (error) {
        throw new Error("of the hook", { cause: error });
      }
    };
    const agent = createAgent({
      model: scriptedModel(script),
      tools: [failing],
      middleware: [{ name: "m", wrapToolCall }],
    });
    const { error } = await agent.thread("t").send("Go.").result;
    expect(error?.message).toBe("The hook wrapToolCall of the middleware m failed: of the hook");
    expect(starts).toBe(1);
  });

  test("a tool may pass on how a run of its own failed: that is its own failure", async () => {
    const inner = createAgent({
      model: scriptedModel([{ text: "Hi." }]),
      middleware: [{ name: "inner", beforeAgent: () => Promise.reject(new Error("boom")) }],
    });
    const task = tool({
      name: "quick",
      description: "Runs another agent.",
      async execute() {
        const { error } = await inner.thread().send("Go.").result;
        return throwing(error);
      },
    });
    const wrapToolCall: Middleware["wrapToolCall"] = (next) => (call) => next(call);
    const agent = createAgent({
      model: scriptedModel(script),
      tools: [task],
      middleware: [{ name: "m", wrapToolCall }],
    });
    expect((await agent.thread("t").send("Go.").result).status).toBe("done");
    expect(Object.values(await toldOf(agent.thread("t")))).toEqual([
      expect.stringContaining("of the middleware inner failed: boom"),
    ]);
  });

  test.each(["thrown", "rejected"])("what a tool has %s stays its own, however many hand it on", async (fault) => {
    const handing = ["a", "b", "c"].map((name): Middleware => ({ name, wrapToolCall: (next) => (call) => next(call) }));
    const calls = [{ name: "quick", arguments: { fault } }];
    const agent = createAgent({
      model: scriptedModel([{ calls }, { text: "Done." }]),
      tools: [quick],
      middleware: handing,
    });
    expect((await agent.thread("t").send("Go.").result).text).toBe("Done.");
    expect(await toldOf(agent.thread("t"))).toEqual({ quick: fault });
  });

  test("what the model throws stays the model's, whatever is around it", async () => {
    const wrapModelCall: Middleware["wrapModelCall"] = (next) => async (request) => await next(request);
    const model = {
      name: "away",
      stream: () => {
        throw new Error("no quota");
      },
    };
    const agent = createAgent({ model, middleware: [{ name: "m", wrapModelCall }] });
    const { status, error } = await agent.thread("t").send("Go.").result;
    expect([status, error?.code, error?.message]).toEqual([
      "failed",
      "model/failed",
      "The model away failed: no quota",
    ]);
  });

  /** Streams that break off after their first part. */
  async function* breaking<Part>(stream: AsyncIterable<Part>, error: Error): AsyncGenerator<Part, void, undefined> {
    for await (const part of stream) {
      yield part;
      throw error;
    }
  }

  test.each<readonly [string, NonNullable<Middleware["wrapModelCall"]>, string]>([
    [
      "waits for the whole turn",
      (next) => async (request) => {
        const stream = await next(request);
        await stream.turn();
        return stream;
      },
      "The model away failed: cut off",
    ],
    [
      "reads the stream in a stream of its own",
      (next) => async (request) => {
        const stream = await next(request);
        return {
          turn: () => stream.turn(),
          async *[Symbol.asyncIterator]() {
            yield* stream;
          },
        };
      },
      "The model away failed: cut off",
    ],
    [
      "breaks in a stream of its own",
      (next) => async (request) => {
        const stream = await next(request);
        return { ...stream, [Symbol.asyncIterator]: () => breaking(stream, new Error("boom")) };
      },
      "The hook wrapModelCall of the middleware m failed: boom",
    ],
    [
      "gives nothing",
      () => () => undefined as never, // as callers without types do
      "The hook wrapModelCall of the middleware m failed: it gave no stream",
    ],
  ])("a stream that fails is told apart when what wraps it %s", async (_, wrapModelCall, message) => {
    const healthy = scriptedModel([{ text: "One two three." }], { loop: true });
    const away: Model = {
      name: "away",
      stream(request) {
        const stream = healthy.stream(request);
        const fault = new Error("cut off");
        return {
          turn: () => Promise.reject(fault),
          [Symbol.asyncIterator]: () => breaking(stream, fault),
        };
      },
    };
    const outer: Middleware = { name: "outer", wrapModelCall: (next) => (request) => next(request) };
    const agent = createAgent({ model: away, middleware: [outer, { name: "m", wrapModelCall }] });
    expect((await agent.thread("t").send("Go.").result).error?.message).toBe(message);
  });

  test.each<readonly [string, unknown, RegExp]>([
    ["nothing", null, /middleware\[0\]/u],
    ["a function", () => undefined, /middleware\[0\]/u],
    ["no name", {}, /middleware\[0\]\.name/u],
    ["an empty name", { name: "" }, /middleware\[0\]\.name/u],
    ["a misspelt hook", { name: "m", beforeAgen: () => undefined }, /middleware\[0\]\.beforeAgen.*beforeAgent/u],
    ["a hook that is no function", { name: "m", beforeAgent: "yes" }, /middleware\[0\]\.beforeAgent/u],
    ["tools that are no list", { name: "m", tools: quick }, /middleware\[0\]\.tools/u],
  ])("%s is refused when the agent is made", (_, given, message) => {
    const middleware = [given as Middleware]; // what callers without types give
    expect(() => createAgent({ model: scriptedModel(script), middleware })).toThrow(message);
    expect(() => createAgent({ model: scriptedModel(script), middleware })).toThrow(UndangleError);
  });

  test("two of one name are refused with the places of both", () => {
    const middleware = [{ name: "m" }, { name: "other" }, { name: "m" }];
    expect(() => createAgent({ model: scriptedModel(script), middleware })).toThrow(
      /Two middleware are called m: middleware\[0\] and middleware\[2\]/u,
    );
  });

  test("an instance of a class keeps what it needs, and its hooks know it", async () => {
    class Counting implements Middleware {
      readonly name = "counting";
      count = 0;
      beforeAgent(): void {
        this.count++;
      }
      wrapToolCall(
        next: Parameters<NonNullable<Middleware["wrapToolCall"]>>[0],
      ): ReturnType<NonNullable<Middleware["wrapToolCall"]>> {
        return (call) => {
          this.count++;
          return next(call);
        };
      }
    }
    const counting = new Counting();
    const agent = createAgent({ model: scriptedModel(script), tools: [quick], middleware: [counting] });
    expect((await agent.thread("t").send("Go.").result).status).toBe("done");
    expect(counting.count).toBe(2);
  });
});

test("hooks read why a run started, like the event run_start", async () => {
  const reasons: string[] = [];
  const asking = tool({ name: "asking", description: "", execute: () => "", approval: true });
  const agent = createAgent({
    model: scriptedModel([{ calls: [{ name: "asking" }] }, { text: "One." }, { text: "Two." }]),
    tools: [asking],
    middleware: [{ name: "reasons", beforeAgent: ({ reason }) => void reasons.push(reason) }],
  });
  const thread = agent.thread("t");
  const started: string[] = [];
  for (const begin of [() => thread.send("Go."), () => thread.approveAll(), () => thread.regenerate()])
    for await (const event of begin()) if (event.type === "run_start") started.push(event.data.reason);
  expect(reasons).toEqual(["message", "decision", "regenerate"]);
  expect(started).toEqual(reasons);
});
