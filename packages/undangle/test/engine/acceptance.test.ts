import { createAgent, tool } from "#engine";
import type { Decision } from "#engine";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";

import { call, createStage } from "./acceptance-stage.ts";
import type { Stage } from "./acceptance-stage.ts";
import { faultsOf } from "./health.ts";
import { until } from "./promised.ts";
import { callsOf, chatOf, shapeOf, statesOf, toldOf } from "./recorded.ts";

describe("pairing", () => {
  test("A14: a call that was cut off is answered as not executed, and the model hears of it", async () => {
    const stage = createStage([
      { calls: [{ id: "call_truncated", name: "free", raw: '{"query": "weath' }] },
      { text: "Again, then." },
      { text: "Hello." },
    ]);
    await stage.thread.send("What is the weather?").result;
    await stage.thread.send("Well?").result;
    const [, second] = stage.model.requests;
    const result = second?.messages.flatMap((message) => (message.role === "tool" ? message.results : []))[0];
    expect(result).toMatchObject({ id: "call_truncated", name: "free", isError: true });
    expect(JSON.stringify(result?.parts)).toMatch(/was not executed - its arguments were (cut off|not valid JSON)/u);
    expect(stage.ran).toEqual([]);
    expect(await faultsOf(stage.store, stage.model.requests)).toEqual([]);
  });

  test("A15: after a rejection the tool never ran, the run goes on, and every result answers a declared call", async () => {
    const stage = createStage([{ calls: [call("gated")] }, { text: "As you wish." }]);
    await stage.thread.send("Pay.").result;
    expect(await stage.thread.rejectAll("no").result).toMatchObject({ status: "done", text: "As you wish." });
    expect(stage.ran).toEqual([]);
    expect(await faultsOf(stage.store, stage.model.requests)).toEqual([]);
  });

  test("A27: a tool that returns nothing has a neutral result", async () => {
    const stage = createStage([{ calls: [call("nothing")] }, { text: "Good." }]);
    await stage.thread.send("Go.").result;
    expect(await toldOf(stage.thread)).toEqual({ nothing: "Done." });
    expect(await statesOf(stage.store, "t")).toEqual({ nothing: "succeeded" });
    expect(await faultsOf(stage.store, stage.model.requests)).toEqual([]);
  });

  test("A27: a tool that only keeps something in the thread's state has one too", async () => {
    const keep = tool({
      name: "keep",
      description: "Keeps.",
      execute: (_: unknown, { state }) => state.set("todo", [1]),
    });
    const stage = createStage([{ calls: [call("keep")] }, { text: "Good." }], { tools: [keep] });
    await stage.thread.send("Go.").result;
    expect(await toldOf(stage.thread)).toEqual({ keep: "Done." });
    expect(await stage.thread.state()).toEqual({ todo: [1] });
  });

  test("A28: an ordinary call beside the final answer is executed and answered", async () => {
    const output = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] } as const;
    const stage = createStage([{ calls: [call("final_answer", { sum: 3 }), call("free"), call("boom")] }], { output });
    expect(await stage.thread.send("Add.").result).toMatchObject({ status: "done", output: { sum: 3 } });
    expect(stage.ran).toEqual(["free {}", "boom {}"]);
    expect(await toldOf(stage.thread)).toMatchObject({ free: "ok", boom: "boom" });
    expect(await faultsOf(stage.store, stage.model.requests)).toEqual([]);
  });

  test("A28: a gated call beside the final answer waits, and the answer is given when it is decided", async () => {
    const output = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] } as const;
    const stage = createStage([{ calls: [call("final_answer", { sum: 3 }), call("gated")] }], { output });
    expect((await stage.thread.send("Add.").result).status).toBe("waiting");
    expect(await stage.thread.rejectAll().result).toMatchObject({ status: "done", output: { sum: 3 } });
    expect(await faultsOf(stage.store, stage.model.requests)).toEqual([]);
  });

  test("A29: with a limit of one call, three calls are all answered", async () => {
    const stage = createStage([{ calls: [call("free"), call("free"), call("free")] }, { text: "More?" }], {
      limits: { calls: 1 },
    });
    expect((await stage.thread.send("Go.").result).status).toBe("stopped");
    expect((await callsOf(stage.store, "t")).map(({ state }) => state)).toEqual(["succeeded", "stopped", "stopped"]);
    await stage.thread.send("Go on.").result;
    expect(await faultsOf(stage.store, stage.model.requests)).toEqual([]);
  });

  test.each([
    ["throws", "failed", /afterModel of the middleware guard failed: not allowed/u],
    ["stops the run", "stopped", /^$/u],
  ])("A30: a hook behind the model that %s leaves no call open", async (how, status, message) => {
    const stage: Stage = createStage([{ calls: [call("free"), call("gated")] }, { text: "Hello." }], {
      middleware: [
        {
          name: "guard",
          afterModel() {
            if (stage.model.calls > 1) return;
            if (how === "throws") throw new Error("not allowed");
            void stage.thread.stop();
          },
        },
      ],
    });
    const end = await stage.thread.send("Go.").result;
    expect(end.status).toBe(status);
    expect(end.error?.message ?? "").toMatch(message);
    expect(stage.ran).toEqual([]);
    for (const told of Object.values(await toldOf(stage.thread))) expect(told).toMatch(/was not executed/u);
    expect((await stage.thread.send("And?").result).text).toBe("Hello.");
    expect(await faultsOf(stage.store, stage.model.requests)).toEqual([]);
  });

  test("A31: a tool that throws beside one that works: both are answered, and the loop goes on", async () => {
    const stage = createStage([{ calls: [call("boom"), call("free")] }, { text: "I see." }]);
    expect((await stage.thread.send("Go.").result).text).toBe("I see.");
    expect(await toldOf(stage.thread)).toEqual({ boom: "boom", free: "ok" });
    expect(await statesOf(stage.store, "t")).toEqual({ boom: "failed", free: "succeeded" });
    expect(await faultsOf(stage.store, stage.model.requests)).toEqual([]);
  });

  test("A32: an abort while one runs and its sibling has finished keeps the real result", async () => {
    const stage = createStage([{ calls: [call("slow"), call("free")] }, { text: "Again." }]);
    const controller = new AbortController();
    const run = stage.thread.send("Go.", { signal: controller.signal });
    await until(async () => (await statesOf(stage.store, "t"))["free"] === "succeeded");
    controller.abort();
    expect((await run.result).status).toBe("stopped");
    expect(await toldOf(stage.thread)).toEqual({
      slow: expect.stringMatching(/outcome is unknown/u) as unknown,
      free: "ok",
    });
    await stage.thread.send("And?").result;
    expect(await faultsOf(stage.store, stage.model.requests)).toEqual([]);
  });

  test("A33: a new message while a call waits: it is answered as superseded, marked as an error", async () => {
    const stage = createStage([{ calls: [call("gated")] }, { text: "Fine." }]);
    await stage.thread.send("Pay.").result;
    await stage.thread.send("No, wait.").result;
    const results = stage.model.requests[1]?.messages.flatMap((message) =>
      message.role === "tool" ? message.results : [],
    );
    expect(results).toMatchObject([{ isError: true }]);
    expect((await toldOf(stage.thread))["gated"]).toMatch(/was cancelled/u);
    expect(await faultsOf(stage.store, stage.model.requests)).toEqual([]);
  });

  test("A34: an answer of only malformed calls goes back to the model, a few times at most", async () => {
    const bad = { calls: [{ name: "free", raw: "{broken" }] };
    const stage = createStage([bad, { text: "Sorry." }]);
    expect(await stage.thread.send("Go.").result).toMatchObject({ status: "done", text: "Sorry." });
    expect(await faultsOf(stage.store, stage.model.requests)).toEqual([]);
    const hopeless = createStage([bad, bad, bad, bad, bad]);
    expect(await hopeless.thread.send("Go.").result).toMatchObject({
      status: "failed",
      error: { code: "model/faulty" },
    });
    expect(hopeless.model.calls).toBe(3);
    expect(await faultsOf(hopeless.store, hopeless.model.requests)).toEqual([]);
  });
});

describe("approvals", () => {
  const pendingOf = async (approval: boolean) => {
    const pay = tool({ name: "pay", description: "Pays.", approval, execute: () => "paid" });
    const stage = createStage([{ calls: [call("pay")] }, { text: "Done." }], { tools: [pay] });
    return (await stage.thread.send("Go.").result).pending;
  };

  test("B1: true allows every decision, false asks nobody, and what is misspelt is refused when the agent is made", async () => {
    expect((await pendingOf(true))[0]?.decisions).toEqual(["approve", "reject", "edit", "respond"]);
    expect(await pendingOf(false)).toEqual([]);
    for (const decisions of [[], ["aprove"], "approve"]) {
      const approvals = [{ tools: "pay", decisions: decisions as "approve"[] }];
      expect(() => createAgent({ model: scriptedModel([]), approvals })).toThrow(/approvals\[0\]\.decisions/u);
    }
  });

  test("B2: without a gated call nothing is interrupted", async () => {
    const stage = createStage([{ calls: [call("free"), call("nothing")] }, { text: "Done." }]);
    expect(await stage.thread.send("Go.").result).toMatchObject({ status: "done", pending: [] });
  });

  test("B3: approve runs it unchanged; edit keeps its id, with another name and other arguments", async () => {
    const stage = createStage([
      {
        calls: [
          { id: "a", ...call("gated", { n: 1 }) },
          { id: "b", ...call("gated", { n: 2 }) },
        ],
      },
      { text: "Done." },
    ]);
    await stage.thread.send("Go.").result;
    await stage.thread.decide({
      call_1: { type: "approve" },
      call_2: { type: "edit", name: "free", arguments: { n: 9 } },
    }).result;
    expect(stage.ran.toSorted()).toEqual(['free {"n":9}', 'gated {"n":1}']);
    const [, answer] = await chatOf(stage.thread);
    expect(answer?.tool_calls?.map(({ id, function: { name, arguments: args } }) => [id, name, args])).toEqual([
      ["a", "gated", '{"n":1}'],
      ["b", "free", '{"n":9}'],
    ]);
    expect(await faultsOf(stage.store, stage.model.requests)).toEqual([]);
  });

  test("B5: respond is a success in the person's words, and the tool does not run; where it is not allowed, it is refused", async () => {
    const stage = createStage([{ calls: [call("gated")] }, { text: "Blue it is." }]);
    await stage.thread.send("Which colour?").result;
    await stage.thread.decide({ call_1: { type: "respond", result: "blue" } }).result;
    expect(await toldOf(stage.thread)).toEqual({ gated: "blue" });
    expect(stage.ran).toEqual([]);
    const ends = (await stage.store.events("t")).filter(({ type }) => type === "tool_call_end");
    expect(ends.map(({ data }) => data)).toMatchObject([{ success: true, status: "responded", result: "blue" }]);
    const strict = createStage([{ calls: [call("gated")] }], {
      approvals: [{ tools: "gated", decisions: ["approve"] }],
    });
    await strict.thread.send("Which colour?").result;
    const { error } = await strict.thread.decide({ call_1: { type: "respond", result: "blue" } }).result;
    expect(error).toMatchObject({ code: "decision/refused" });
  });

  test("B6: approve and respond in one turn: both calls stay, in their order", async () => {
    const stage = createStage([{ calls: [call("gated", { n: 1 }), call("gated", { n: 2 })] }, { text: "Done." }]);
    await stage.thread.send("Go.").result;
    await stage.thread.decide({ call_2: { type: "respond", result: "blue" }, call_1: { type: "approve" } }).result;
    expect((await chatOf(stage.thread)).filter(({ role }) => role === "tool").map(({ content }) => content)).toEqual([
      "gated ok",
      "blue",
    ]);
    expect(stage.ran).toEqual(['gated {"n":1}']);
    expect(await faultsOf(stage.store, stage.model.requests)).toEqual([]);
  });

  test("B8: a decision that is not allowed is an error with its type, the tool and what is allowed", async () => {
    const stage = createStage([{ calls: [call("gated")] }], {
      approvals: [{ tools: "gated", decisions: ["approve", "reject"] }],
    });
    await stage.thread.send("Go.").result;
    for (const type of ["edit", "ignore"]) {
      const decision: unknown = { type, arguments: {} };
      const { error } = await stage.thread.decide({ call_1: decision as Decision }).result; // of a caller without types
      expect(error?.message).toContain(`"${type}" is not allowed for gated; allowed: approve, reject`);
    }
  });

  test("B11: the order of calls is that of the model, whatever becomes of each", async () => {
    const names = ["gated", "free", "gated", "boom", "gated"];
    const stage = createStage([{ calls: names.map((name, n) => call(name, { n })) }, { text: "Done." }]);
    await stage.thread.send("Go.").result;
    await stage.thread.decide({
      call_5: { type: "edit", arguments: { n: 50 } },
      call_3: { type: "reject" },
      call_1: { type: "approve" },
    }).result;
    expect(await shapeOf(stage.thread)).toBe("H:Go. A(gated,free,gated,boom,gated) T T T T T A:Done.");
    expect((await callsOf(stage.store, "t")).map(({ state }) => state)).toEqual([
      "succeeded",
      "succeeded",
      "rejected",
      "failed",
      "succeeded",
    ]);
    expect(await faultsOf(stage.store, stage.model.requests)).toEqual([]);
  });

  test("B12: when says which calls wait", async () => {
    const stage = createStage([{ calls: [call("free", { n: 1 }), call("free", { n: 1000 })] }, { text: "Done." }], {
      approvals: [{ tools: "free", when: ({ arguments: { n } }) => Number(n) > 100 }],
    });
    expect((await stage.thread.send("Go.").result).pending).toMatchObject([{ id: "call_2", arguments: { n: 1000 } }]);
    expect(stage.ran).toEqual(['free {"n":1}']);
  });

  test("B12: when gets the call and its thread, and waits where it fails", async () => {
    const looked: unknown[] = [];
    const stage = createStage([{ calls: [call("free", { n: 1 }), call("free", { n: 2 })] }, { text: "Done." }], {
      approvals: [
        {
          tools: "free",
          when(given) {
            looked.push(given);
            if (given.arguments["n"] === 2) throw new Error("no idea");
            return Promise.resolve(false);
          },
        },
      ],
    });
    expect((await stage.thread.send("Go.").result).pending).toMatchObject([{ id: "call_2", arguments: { n: 2 } }]);
    expect(looked).toEqual([
      { id: "call_1", name: "free", arguments: { n: 1 }, threadId: "t" },
      { id: "call_2", name: "free", arguments: { n: 2 }, threadId: "t" },
    ]);
  });

  test("B13: approve one and reject the other: the first runs, the second is an error", async () => {
    const stage = createStage([{ calls: [call("gated", { n: 1 }), call("gated", { n: 2 })] }, { text: "Done." }]);
    await stage.thread.send("Go.").result;
    await stage.thread.decide({ call_1: { type: "approve" }, call_2: { type: "reject" } }).result;
    expect(stage.ran).toEqual(['gated {"n":1}']);
    expect((await callsOf(stage.store, "t")).map(({ state }) => state)).toEqual(["succeeded", "rejected"]);
    expect(await faultsOf(stage.store, stage.model.requests)).toEqual([]);
  });

  test("B14: an ungated sibling of a rejected call is executed", async () => {
    const stage = createStage([{ calls: [call("gated"), call("free")] }, { text: "Done." }]);
    await stage.thread.send("Go.").result;
    await stage.thread.rejectAll().result;
    expect(stage.ran).toEqual(["free {}"]);
    expect(await statesOf(stage.store, "t")).toEqual({ gated: "rejected", free: "succeeded" });
    expect(await faultsOf(stage.store, stage.model.requests)).toEqual([]);
  });

  test("B15: an edit to a tool that does not exist", async () => {
    const stage = createStage([{ calls: [call("gated")] }, { text: "Done." }]);
    await stage.thread.send("Go.").result;
    const { error } = await stage.thread.decide({ call_1: { type: "edit", name: "nope", arguments: {} } }).result;
    expect(error?.message).toMatch(/call_1: there is no tool "nope"; known: gated, free,/u);
    expect((await stage.thread.pending()).map(({ id }) => id)).toEqual(["call_1"]);
    await stage.thread.approveAll().result;
    expect(await faultsOf(stage.store, stage.model.requests)).toEqual([]);
  });
});
