import { tool } from "#engine";
import { describe, expect, test } from "vitest";

import { faultsOf } from "./health.ts";
import { quiet, soon } from "./promised.ts";
import { callsOf, statesOf } from "./recorded.ts";
import { createRunStage } from "./run-stage.ts";

describe("limits settle every open call, and the thread can go on", () => {
  test("steps", async () => {
    const calls = [{ name: "quick" }];
    const stage = createRunStage([], { limits: { steps: 2 } }, [{ calls }, { calls }, { text: "One." }]);
    expect(await stage.thread.send("Go.").result).toMatchObject({
      status: "stopped",
      error: { code: "run/limit", data: { limit: "steps", value: 2 } },
    });
    expect((await callsOf(stage.store, "t")).map(({ state }) => state)).toEqual(["succeeded", "succeeded"]);
    expect((await stage.thread.send("Go on.").result).text).toBe("One.");
    expect(await faultsOf(stage.store, stage.model.requests)).toEqual([]);
  });

  test("calls: those beyond are told that they did not run, and those that wait too", async () => {
    const stage = createRunStage(["quick", "gated", "quick", "quick"], { limits: { calls: 1 } });
    const end = await stage.thread.send("Go.").result;
    const states = (await callsOf(stage.store, "t")).map(({ state, outcome }) => [
      state,
      outcome?.type === "notice" ? outcome.cause : "",
    ]);
    expect(end).toMatchObject({ status: "stopped", error: { code: "run/limit", data: { limit: "calls" } } });
    expect(states).toEqual([
      ["succeeded", ""],
      ["stopped", "limit"],
      ["stopped", "limit"],
      ["stopped", "limit"],
    ]);
    expect((await stage.thread.send("Go on.").result).text).toBe("One.");
    expect(await faultsOf(stage.store, stage.model.requests)).toEqual([]);
  });

  test("time: what runs is stopped, outcome unknown", async () => {
    const stage = createRunStage(["slow", "quick", "gated"], { limits: { time: 300 } });
    expect(await soon(stage.thread.send("Go.").result)).toMatchObject({
      status: "stopped",
      error: { code: "run/limit", data: { limit: "time" } },
    });
    expect(await statesOf(stage.store, "t")).toEqual({ slow: "stopped", quick: "succeeded", gated: "stopped" });
    expect(stage.isAborted()).toBe(true);
    expect((await stage.thread.send("Go on.").result).text).toBe("One.");
    expect(await faultsOf(stage.store, stage.model.requests)).toEqual([]);
  });

  test("time, while the model is silent", async () => {
    const stage = createRunStage([], { limits: { time: 30 } }, [
      () => new Promise<never>(() => undefined),
      { text: "One." },
    ]);
    expect((await soon(stage.thread.send("Go.").result)).status).toBe("stopped");
    expect((await stage.thread.send("Go on.").result).text).toBe("One.");
  });

  test("tokens, of one run", async () => {
    const usage = { prompt_tokens: 60, completion_tokens: 60, total_tokens: 120 };
    const calls = [{ name: "quick" }];
    const stage = createRunStage([], { limits: { tokens: 100 } }, [
      { calls, usage },
      { text: "One.", usage: { total_tokens: 1 } },
    ]);
    const end = await stage.thread.send("Go.").result;
    expect(end).toMatchObject({
      status: "stopped",
      error: { code: "run/limit", data: { limit: "tokens" } },
      usage: { totalTokens: 120 },
    });
    expect(await statesOf(stage.store, "t")).toEqual({ quick: "succeeded" });
    expect(await stage.thread.send("Go on.").result).toMatchObject({
      text: "One.",
      usage: { totalTokens: 1 },
      threadUsage: { totalTokens: 121 },
    });
    expect(await faultsOf(stage.store, stage.model.requests)).toEqual([]);
  });

  test("answers without one call that could run", async () => {
    const bad = { calls: [{ name: "none" }] };
    const stage = createRunStage([], { limits: { faulty: 2 } }, [bad, bad, { text: "One." }]);
    expect(await stage.thread.send("Go.").result).toMatchObject({ status: "failed", error: { code: "model/faulty" } });
    expect(stage.model.calls).toBe(2);
    expect((await stage.thread.send("Go on.").result).text).toBe("One.");
    expect(await faultsOf(stage.store, stage.model.requests)).toEqual([]);
  });

  test("at most so many calls at the same time, and all of them run", async () => {
    let running = 0;
    let most = 0;
    const work = tool({
      name: "work",
      description: "Works.",
      async execute() {
        most = Math.max(most, ++running);
        await quiet(3);
        running--;
      },
    });
    const stage = createRunStage([], { tools: [work], limits: { parallel: 3 } }, [
      { calls: Array.from({ length: 10 }, () => ({ name: "work" })) },
      { text: "One." },
    ]);
    expect((await stage.thread.send("Go.").result).text).toBe("One.");
    expect(most).toBe(3);
    expect((await callsOf(stage.store, "t")).every(({ state }) => state === "succeeded")).toBe(true);
  });

  test.each([
    { parallel: 0 },
    { parallel: 0.5 },
    { steps: -1 },
    { steps: Number.NaN },
    { tokens: "many" },
    { speed: 1 },
  ])("%j is refused when the agent is made", (limits) => {
    expect(() => createRunStage([], { limits: limits as object })).toThrow(/limits/u);
  });

  test("a time that no timer can wait for ends nothing", async () => {
    const stage = createRunStage(["quick"], { limits: { time: 2 ** 33 } });
    expect((await stage.thread.send("Go.").result).text).toBe("One.");
  });
});
