import type { AgentOptions, Thread } from "#engine";
import { describe, expect, test } from "vitest";

import { faultsOf } from "./health.ts";
import { promised, quiet, soon, until } from "./promised.ts";
import { callsOf, shapeOf, statesOf, toldOf } from "./recorded.ts";
import { createRunStage, settleTools } from "./run-stage.ts";
import { everythingOf } from "./watched-store.ts";

describe("stop", () => {
  const ways = ["run.stop()", "thread.stop()", "an AbortSignal"] as const;

  const begin = (thread: Thread, way: (typeof ways)[number]) => {
    const controller = new AbortController();
    const run = thread.send("Go.", way === "an AbortSignal" ? { signal: controller.signal } : {});
    const stop = async (): Promise<void> => {
      if (way === "run.stop()") await run.stop();
      else if (way === "thread.stop()") await thread.stop();
      else controller.abort();
    };
    return { run, stop };
  };

  test.each(ways)("%s before the run has begun", async (way) => {
    const { thread } = createRunStage([]);
    const { run, stop } = begin(thread, way);
    await soon(stop());
    expect(["stopped", "done"]).toContain((await soon(run.result)).status);
    expect((await thread.send("Again.").result).status).toBe("done");
  });

  test.each(ways)("%s while the model is silent", async (way) => {
    const wait = promised<never>();
    const { thread, model } = createRunStage([], {}, [() => wait.promise, { text: "Two." }]);
    const { run, stop } = begin(thread, way);
    await until(() => model.calls === 1);
    await soon(stop());
    expect(await soon(run.result)).toMatchObject({ status: "stopped", text: "" });
    expect((await thread.send("Again.").result).text).toBe("Two.");
    expect(await shapeOf(thread)).toBe("H:Go. H:Again. A:Two.");
  });

  test.each(ways)(
    "%s while the model speaks: what was heard stays, and calls that it was about to make do not",
    async (way) => {
      const { thread, store } = createRunStage([], {}, [
        { text: "abcdefghij".repeat(20), calls: [{ name: "quick" }], pace: 2 },
        { text: "Two." },
      ]);
      const { run, stop } = begin(thread, way);
      for await (const { type } of run) if (type === "text_delta") break;
      await stop();
      expect((await run.result).status).toBe("stopped");
      expect(await callsOf(store, "t")).toEqual([]);
      expect(await shapeOf(thread)).toMatch(/^H:Go. A:(abcdefghij)*[a-j]*$/u);
      expect((await thread.send("Again.").result).text).toBe("Two.");
    },
  );

  test.each(ways)("%s while tools run: what is finished stays, what waits and what runs is settled", async (way) => {
    const stage = createRunStage(["quick", "gated", "slow"]);
    const { run, stop } = begin(stage.thread, way);
    await settleTools(stage, ["quick", "gated", "slow"]);
    await soon(stop());
    expect((await soon(run.result)).status).toBe("stopped");
    expect(stage.isAborted()).toBe(true);
    expect(await statesOf(stage.store, "t")).toEqual({ quick: "succeeded", gated: "stopped", slow: "stopped" });
    expect(await toldOf(stage.thread)).toEqual({
      quick: "quick result",
      gated: expect.stringMatching(/was not executed - the run was stopped before it began/u) as unknown,
      slow: expect.stringMatching(/was running when the run was stopped. Its outcome is unknown/u) as unknown,
    });
    expect(stage.model.calls).toBe(1);
    expect((await stage.thread.send("Again.").result).text).toBe("One.");
    expect(await faultsOf(stage.store, stage.model.requests)).toEqual([]);
  });

  test("thread.stop() while calls wait for a person settles them, and the model is not asked", async () => {
    const stage = createRunStage(["gated", "quick"]);
    await stage.thread.send("Go.").result;
    await stage.thread.stop();
    expect(await stage.thread.pending()).toEqual([]);
    expect(await statesOf(stage.store, "t")).toEqual({ gated: "stopped", quick: "succeeded" });
    expect(stage.model.calls).toBe(1);
    expect((await stage.thread.send("Again.").result).text).toBe("One.");
    expect(await faultsOf(stage.store, stage.model.requests)).toEqual([]);
  });

  test("a stop when all is over changes nothing, and hits no other run", async () => {
    const stage = createRunStage(["slow"], {}, [{ text: "One." }, { calls: [{ name: "slow" }] }, { text: "Two." }]);
    const first = stage.thread.send("Go.");
    await first.result;
    const before = await everythingOf(stage.store, "t");
    await stage.thread.stop();
    expect((await first.stop()).status).toBe("done");
    expect((await everythingOf(stage.store, "t")) as object).toMatchObject({
      entries: (before as { entries: unknown }).entries,
    });
    const second = stage.thread.send("More.");
    await settleTools(stage, ["slow"]);
    await first.stop();
    stage.slow.resolve("ok");
    expect((await second.result).text).toBe("Two.");
  });

  test("a signal that is aborted already: nothing is said, and the run is stopped", async () => {
    const stage = createRunStage([]);
    expect((await stage.thread.send("Go.", { signal: AbortSignal.abort() }).result).status).toBe("stopped");
    expect(stage.model.calls).toBe(0);
    expect(await stage.store.load("t")).toBeUndefined();
  });

  const never = new Promise<never>(() => undefined);
  const hanging: readonly (readonly [name: string, options: Partial<AgentOptions>])[] = [
    ["a tool that does not heed its signal", {}],
    ["a predicate", { approvals: [{ tools: "*", when: () => never }] }],
    ["beforeAgent", { middleware: [{ name: "m", beforeAgent: () => never }] }],
    ["beforeModel", { middleware: [{ name: "m", beforeModel: () => never }] }],
    ["afterModel", { middleware: [{ name: "m", afterModel: () => never }] }],
    ["wrapToolCall", { middleware: [{ name: "m", wrapToolCall: () => () => never }] }],
    ["wrapModelCall", { middleware: [{ name: "m", wrapModelCall: () => () => never }] }],
  ];

  test.each(hanging)("%s that never answers does not hold it up", async (_, options) => {
    const { thread } = createRunStage(["slow"], options);
    const run = thread.send("Go.");
    await quiet();
    expect((await soon(run.stop(), 3000)).status).toBe("stopped");
  });

  test("many stops at once are one", async () => {
    const stage = createRunStage(["slow", "gated"]);
    const run = stage.thread.send("Go.");
    await settleTools(stage, ["slow", "gated"]);
    await soon(Promise.all([run.stop(), stage.thread.stop(), run.stop(), stage.thread.stop()]));
    expect(await faultsOf(stage.store, stage.model.requests)).toEqual([]);
  });
});
