import { createAgent, tool } from "#engine";
import type { Middleware } from "#engine";
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

const quick = tool({ name: "quick", description: "Quick.", execute: () => "quick result" });
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

  test("what wraps a tool may answer in its place, change its result, or throw", async () => {
    const outcomes: readonly (readonly [Middleware["wrapToolCall"], string, string])[] = [
      [() => () => "from outside", "succeeded", "from outside"],
      [(next) => async (call) => `${String(await next(call))}, and more`, "succeeded", "quick result, and more"],
      [() => () => Promise.reject(new Error("not today")), "failed", "not today"],
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

  test("what wraps the model and throws fails the run as the model would", async () => {
    const store = memoryStore();
    const wrapModelCall: Middleware["wrapModelCall"] = () => () => Promise.reject(new Error("no quota"));
    const agent = createAgent({ model: scriptedModel(script), store, middleware: [{ name: "m", wrapModelCall }] });
    const { status, error } = await agent.thread("t").send("Go.").result;
    expect(status).toBe("failed");
    expect(error?.message).toContain("no quota");
  });
});
