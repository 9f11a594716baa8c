import { createAgent, tool } from "#engine";
import type { EndRun, Middleware } from "#engine";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";

import { faultsOf } from "./health.ts";
import { promised, until } from "./promised.ts";
import { eventsOf, shapeOf } from "./recorded.ts";

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
