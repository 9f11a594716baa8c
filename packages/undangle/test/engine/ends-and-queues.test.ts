import { createAgent, tool } from "#engine";
import type { EndRun, Middleware } from "#engine";
import { UndangleError } from "#core";
import { memoryStore } from "#store";
import type { Store } from "#store";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";

import { afterDeath } from "./after-death.ts";
import { faultsOf } from "./health.ts";
import { promised, until } from "./promised.ts";
import { eventsOf, shapeOf } from "./recorded.ts";
import { watchedStore } from "./watched-store.ts";

const gated = tool({ name: "gated", description: "Gated.", approval: true, execute: () => "ran" });

/** Ends one run, at this hook, when it is told to. */
function ending(
  hook: "beforeAgent" | "beforeModel" | "afterModel",
  end: EndRun,
): { middleware: Middleware; on: () => void } {
  let isOn = false;
  const once = (): EndRun | undefined => {
    if (!isOn) return undefined;
    isOn = false;
    return end;
  };
  return {
    middleware: { name: "ending", [hook]: once },
    on() {
      isOn = true;
    },
  };
}

describe("a message that is queued when a hook ends the run", () => {
  test.each<[EndRun, string]>([
    [{ type: "end" }, "H:Go. A(gated) T H:And? A:Two."],
    [{ type: "end", text: "Enough." }, "H:Go. A(gated) T A:Enough. H:And? A:Two."],
  ])("is answered by a run of its own: while a call waits, %j", async (end, shape) => {
    const { middleware, on } = ending("beforeAgent", end);
    const model = scriptedModel([{ calls: [{ name: "gated" }] }, { text: "Two." }]);
    const store = memoryStore();
    const agent = createAgent({ model, store, tools: [gated], middleware: [middleware] });
    const thread = agent.thread("t");
    await thread.send("Go.").result;
    await thread.send("And?", { onInput: "queue" }).result;
    on();
    expect(await thread.approveAll().result).toMatchObject({ status: "done", text: end.text ?? "" });
    await until(async () => (await shapeOf(thread)).endsWith("A:Two."));
    await agent.close();
    expect(await shapeOf(thread)).toBe(shape);
    expect(await faultsOf(store, model.requests)).toEqual([]);
  });

  test.each<[EndRun, string]>([
    [{ type: "end" }, "H:Go. H:And? A:One."],
    [{ type: "end", text: "Enough." }, "H:Go. A:Enough. H:And? A:One."],
  ])("is answered by a run of its own: before the model is asked, %j", async (end, shape) => {
    const held = promised();
    const asking = promised();
    let isFirst = true;
    const slow: Middleware = {
      name: "slow",
      async beforeModel() {
        if (!isFirst) return undefined;
        isFirst = false;
        asking.resolve(undefined);
        await held.promise;
        return end;
      },
    };
    const model = scriptedModel([{ text: "One." }]);
    const agent = createAgent({ model, middleware: [slow], onInput: "queue" });
    const thread = agent.thread("t");
    const first = thread.send("Go.");
    await asking.promise;
    const second = thread.send("And?");
    await until(() => thread.export().then(({ queue }) => queue.length === 1));
    held.resolve(undefined);
    expect(await first.result).toMatchObject({ status: "done", text: end.text ?? "" });
    expect(await second.result).toMatchObject({ status: "done", text: "One." }); // it is the run that answers it
    expect((await eventsOf(second)).filter(({ type }) => type === "run_end").length).toBe(2);
    await agent.close();
    expect(await shapeOf(thread)).toBe(shape);
  });

  test("is not answered twice by those who speak next", async () => {
    const { middleware, on } = ending("beforeAgent", { type: "end" });
    const model = scriptedModel([{ calls: [{ name: "gated" }] }, { text: "Two." }, { text: "Three." }]);
    const agent = createAgent({ model, tools: [gated], middleware: [middleware] });
    const thread = agent.thread("t");
    await thread.send("Go.").result;
    await thread.send("And?", { onInput: "queue" }).result;
    on();
    const decided = thread.approveAll();
    const next = thread.send("Now?", { onInput: "queue" });
    await Promise.all([decided.result, next.result]);
    await agent.close();
    const shape = await shapeOf(thread);
    expect(shape).toContain("H:And?");
    expect(shape.split("H:Now?").length).toBe(2);
    expect(shape).toMatch(/A:(Two|Three)\.$/u);
  });

  test("is left alone by a hook that ends every run", async () => {
    const model = scriptedModel([{ calls: [{ name: "gated" }] }]);
    let isOn = false;
    const closed: Middleware = { name: "closed", beforeAgent: () => (isOn ? { type: "end" } : undefined) };
    const agent = createAgent({ model, tools: [gated], middleware: [closed] });
    const thread = agent.thread("t");
    await thread.send("Go.").result;
    await thread.send("And?", { onInput: "queue" }).result;
    isOn = true;
    await thread.approveAll().result;
    await agent.close();
    expect(await shapeOf(thread)).toBe("H:Go. A(gated) T H:And?");
  });
});

describe("a message that was queued when a hook ended the run, in a process that died before the next run", () => {
  /** The store that it leaves. */
  async function left({ isStopped = false } = {}): Promise<Store> {
    const store = memoryStore();
    const { middleware, on } = ending("beforeAgent", { type: "end" });
    const [ended, stopped] = [promised(), promised()];
    let isLast = false;
    const slow: Middleware = {
      name: "slow",
      async afterAgent() {
        if (!isLast) return;
        ended.resolve(undefined);
        await stopped.promise;
      },
    };
    const dying = watchedStore(store, {
      after: ({ events }) => (isLast && events.some(({ type }) => type === "run_end") ? never : undefined),
    });
    const model = scriptedModel([{ calls: [{ name: "gated" }] }]);
    const thread = createAgent({ model, store: dying, tools: [gated], middleware: [middleware, slow] }).thread("t");
    await thread.send("Go.").result;
    await thread.send("And?", { onInput: "queue" }).result;
    isLast = true;
    on();
    void thread.approveAll();
    await ended.promise;
    if (isStopped) void thread.stop();
    stopped.resolve(undefined);
    await until(async () => (await store.entries("t")).length === 3);
    return store;
  }
  const never = new Promise<never>(() => undefined);

  test("is answered by whoever recovers its thread", async () => {
    const store = await left();
    const model = scriptedModel([{ text: "Two." }]);
    const agent = createAgent({ model, store: afterDeath(store), tools: [gated] });
    const runs = await agent.recover();
    expect(await Promise.all(runs.map(({ result }) => result))).toMatchObject([{ status: "done", text: "Two." }]);
    expect(await agent.recover()).toEqual([]);
    await agent.close();
    expect(await shapeOf(agent.thread("t"))).toBe("H:Go. A(gated) T H:And? A:Two.");
    expect((await store.load("t"))?.owner).toBeUndefined();
    expect(await faultsOf(store, model.requests)).toEqual([]);
  });

  test("is answered with what is said next", async () => {
    const store = await left();
    const agent = createAgent({ model: scriptedModel([{ text: "Two." }]), store: afterDeath(store), tools: [gated] });
    await agent.thread("t").send("Now?").result;
    expect(await shapeOf(agent.thread("t"))).toBe("H:Go. A(gated) T H:And? H:Now? A:Two.");
    expect((await store.load("t"))?.owner).toBeUndefined();
  });

  test("is left alone when a person had stopped the run", async () => {
    const store = await left({ isStopped: true });
    const agent = createAgent({ model: scriptedModel([]), store: afterDeath(store), tools: [gated] });
    expect(await agent.recover()).toEqual([]);
    expect(await shapeOf(agent.thread("t"))).toBe("H:Go. A(gated) T H:And?");
  });

  test("is left alone when a person stops the thread before it is recovered", async () => {
    const store = await left();
    const agent = createAgent({ model: scriptedModel([]), store: afterDeath(store), tools: [gated] });
    await agent.thread("t").stop();
    expect(await agent.recover()).toEqual([]);
    expect(await store.load("t")).toMatchObject({ owner: undefined, status: "idle" });
  });

  test("is answered by the process itself when the store was away for a moment", async () => {
    const { middleware, on } = ending("beforeAgent", { type: "end" });
    let isAway = false;
    const store = watchedStore(memoryStore(), {
      before({ events }) {
        if (!isAway || !events.some(({ type }) => type === "run_start")) return;
        isAway = false;
        throw new UndangleError("store/full", { path: "x", canRetry: false });
      },
    });
    const model = scriptedModel([{ calls: [{ name: "gated" }] }, { text: "Two." }]);
    const agent = createAgent({ model, store, tools: [gated], middleware: [middleware] });
    const thread = agent.thread("t");
    await thread.send("Go.").result;
    await thread.send("And?", { onInput: "queue" }).result;
    on();
    const run = thread.approveAll();
    for await (const { type } of run) if (type === "run_start") isAway = true;
    await until(async () => (await shapeOf(thread)).endsWith("A:Two."));
    await agent.close();
    expect((await store.load("t"))?.owner).toBeUndefined();
  });
});
