import { createAgent, tool } from "#engine";
import type { AgentOptions, AskModel, Middleware } from "#engine";
import type { ModelRequest } from "#model";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";

import { afterDeath } from "../engine/after-death.ts";
import { until } from "../engine/promised.ts";
import { callsOf, toldOf } from "../engine/recorded.ts";

const without =
  (...names: readonly string[]) =>
  (request: ModelRequest): ModelRequest => ({
    ...request,
    tools: request.tools.filter(({ name }) => !names.includes(name)),
  });
const hide = without("wipe");
const named = (name: string) => tool({ name, description: name, execute: () => "by hand" });

/** An agent with the tools `look` and `wipe`, whose model calls them by these names, and what ran. */
function stage(middleware: readonly Middleware[], more: Partial<AgentOptions> = {}, calls = ["wipe", "look"]) {
  const ran: string[] = [];
  const tools = ["look", "wipe"].map((name) =>
    tool({ name, description: name, execute: () => (ran.push(name), `${name} done`) }),
  );
  const slow = tool({ name: "slow", description: "Slow.", execute: async () => new Promise(() => undefined) });
  const model = scriptedModel([{ calls: calls.map((name) => ({ name })) }, { text: "Done." }], { loop: true });
  const agent = createAgent({ model, tools: calls.includes("slow") ? [...tools, slow] : tools, middleware, ...more });
  return { agent, ran };
}

const wraps = (name: string, change: (next: AskModel, request: ModelRequest) => ReturnType<AskModel>): Middleware => ({
  name,
  wrapModelCall: (next) => (request) => change(next, request),
});

const refused = "wipe is not a valid tool, try one of [look].";

describe("a tool that a hook removes from a request cannot be called in the response:", () => {
  test.each<readonly [string, readonly Middleware[]]>([
    ["beforeModel", [{ name: "m", beforeModel: hide }]],
    [
      "beforeModel that takes its time",
      [{ name: "m", beforeModel: async (request) => Promise.resolve(hide(request)) }],
    ],
    ["wrapModelCall", [wraps("m", (next, request) => next(hide(request)))]],
    [
      "the outermost of several",
      [wraps("m", (next, request) => next(hide(request))), wraps("n", (next, r) => next(r))],
    ],
    [
      "the innermost of several",
      [wraps("n", (next, r) => next(r)), wraps("m", (next, request) => next(hide(request)))],
    ],
    [
      "a hook that sets the list where it stands",
      [wraps("m", (next, request) => next(Object.assign(request, { tools: hide(request).tools })))],
    ],
    [
      "a hook that gives a stream of its own",
      [
        wraps("m", async (next, request) => {
          const stream = await next(hide(request));
          const turn = await stream.turn();
          return { turn: async () => Promise.resolve({ ...turn }), async *[Symbol.asyncIterator]() {} };
        }),
      ],
    ],
    [
      "a hook that asks twice, and gives the response to the request without the tool",
      [
        wraps("m", async (next, request) => {
          await (await next({ ...request, messages: request.messages.slice(-1) })).turn();
          await (await next(request)).turn();
          return next(hide(request));
        }),
      ],
    ],
    [
      "a hook that makes the response itself, behind one that hides the tool",
      [
        wraps("m", (next, request) => next(hide(request))),
        wraps("cache", (_, request) =>
          scriptedModel([{ calls: [{ name: "wipe" }, { name: "look" }] }]).stream(request),
        ),
      ],
    ],
  ])("by %s", async (_, middleware) => {
    const { agent, ran } = stage(middleware, { limits: { steps: 1 } });
    const thread = agent.thread("t");
    await thread.send("Go.").result;
    expect(ran).toEqual(["look"]);
    expect(await thread.calls()).toMatchObject([
      { name: "wipe", status: "failed", error: refused },
      { name: "look", status: "succeeded" },
    ]);
    expect((await callsOf(agent.store, "t"))[0]?.attempts).toBe(0);
    expect((await toldOf(thread))["wipe"]).toBe(refused);
  });

  test("and it is not listed for a call of an unknown tool", async () => {
    const { agent } = stage([{ name: "m", beforeModel: hide }], {}, ["wpie"]);
    await agent.thread("t").send("Go.").result;
    expect((await toldOf(agent.thread("t")))["wpie"]).toBe("wpie is not a valid tool, try one of [look].");
  });

  test("also where it needs an approval, so that nobody is asked", async () => {
    const { agent, ran } = stage([{ name: "m", beforeModel: hide }], { approvals: [{ tools: "*" }] });
    const { pending } = await agent.thread("t").send("Go.").result;
    expect(pending.map(({ name }) => name)).toEqual(["look"]);
    await agent.thread("t").approveAll().result;
    expect(ran).toEqual(["look"]);
  });

  test("also where all tools are removed", async () => {
    const { agent, ran } = stage([{ name: "m", beforeModel: without("look", "wipe") }]);
    await agent.thread("t").send("Go.").result;
    expect(ran).toEqual([]);
    expect((await toldOf(agent.thread("t")))["look"]).toBe("look is not a valid tool, and there are none.");
  });

  test("in the request of that response only", async () => {
    let step = 0;
    const { agent, ran } = stage(
      [{ name: "m", beforeModel: (request) => (step++ === 0 ? hide(request) : request) }],
      {},
      ["wipe"],
    );
    await agent.thread("t").send("Go.").result;
    expect(ran).toEqual([]);
    await agent.thread("t").send("Again.").result;
    expect(ran).toEqual(["wipe"]);
  });

  test("by an edit of a sibling, also after a restart", async () => {
    const store = memoryStore();
    const rules = { approvals: [{ tools: "look" }], store };
    const first = stage([{ name: "m", beforeModel: hide }], rules);
    await first.agent.thread("t").send("Go.").result;
    const second = stage([], { ...rules, store: afterDeath(store), model: scriptedModel([{ text: "Done." }]) });
    const thread = second.agent.thread("t");
    const { error } = await thread.decide({ call_2: { type: "edit", name: "wipe", arguments: {} } }).result;
    expect(error?.message).toMatch(/there is no tool "wipe"; known: look/u);
    await thread.approveAll().result;
    expect([...first.ran, ...second.ran]).toEqual(["look"]);
  });

  test("by a hook that hands a sibling on to it, also in a process that goes on after a crash", async () => {
    const handing: Middleware = {
      name: "handing",
      wrapToolCall: (next) => (call) => next(call.tool.name === "look" ? { ...call, tool: named("wipe") } : call),
    };
    const store = memoryStore();
    const more = { limits: { parallel: 1 }, store };
    const first = stage([{ name: "m", beforeModel: hide }], more, ["slow", "look"]);
    void first.agent.thread("t").send("Go.");
    await until(async () => (await callsOf(store, "t")).some(({ state }) => state === "running"));
    const model = scriptedModel([{ text: "Done." }]);
    const second = stage([handing], { ...more, store: afterDeath(store), model }, ["slow", "look"]);
    await (
      await second.agent.thread("t").recover()
    )?.result;
    expect([...first.ran, ...second.ran]).toEqual([]);
    expect(await second.agent.thread("t").calls()).toMatchObject([
      { name: "slow", status: "lost" },
      { name: "look", status: "failed", error: "wipe is not a valid tool, try one of [look, slow]." },
    ]);
  });
});

describe("a tool that was offered can be called:", () => {
  test.each<readonly [string, Middleware]>([
    [
      "after a side question without tools",
      wraps("m", async (next, request) => {
        await (await next({ ...request, tools: [] })).turn();
        return next(request);
      }),
    ],
    [
      "before a side question without tools, in a stream of the hook's own",
      wraps("m", async (next, request) => {
        const turn = await (await next(request)).turn();
        await (await next({ ...request, tools: [] })).turn();
        return { turn: async () => Promise.resolve(turn), async *[Symbol.asyncIterator]() {} };
      }),
    ],
    [
      "under a new description",
      { name: "m", beforeModel: (r) => ({ ...r, tools: r.tools.map((each) => ({ ...each })) }) },
    ],
    ["in a request that only has other messages", { name: "m", beforeModel: (r) => ({ ...r, messages: r.messages }) }],
  ])("%s", async (_, middleware) => {
    const ran: string[] = [];
    const look = tool({ name: "look", description: "Looks.", execute: () => (ran.push("look"), "seen") });
    let asked = 0;
    const model = scriptedModel([]);
    const answers = [{ calls: [{ name: "look" }] }, { text: "A side answer." }];
    const asking = {
      ...model,
      stream: (request: ModelRequest) =>
        scriptedModel([
          request.tools.length === 0 ? (answers[1] ?? {}) : asked++ === 0 ? (answers[0] ?? {}) : { text: "Done." },
        ]).stream(request),
    };
    const agent = createAgent({ model: asking, tools: [look], middleware: [middleware] });
    expect((await agent.thread("t").send("Go.").result).text).toBe("Done.");
    expect(ran).toEqual(["look"]);
  });

  test("the final answer, whatever tools a hook leaves", async () => {
    const output = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const;
    const model = scriptedModel([{ calls: [{ name: "final_answer", arguments: { n: 1 } }] }]);
    const none: Middleware = { name: "none", beforeModel: (request) => ({ ...request, tools: [] }) };
    const agent = createAgent({ model, output, middleware: [none] });
    expect((await agent.thread("t").send("Go.").result).output).toEqual({ n: 1 });
  });
});

test("tools that are no list of tools are refused with the name of the hook", async () => {
  const odd: Middleware = wraps("odd", (next, request) => next({ ...request, tools: "none" as never }));
  const { error } = await stage([odd]).agent.thread("t").send("Go.").result;
  expect(error?.message).toMatch(/tools/u);
});
