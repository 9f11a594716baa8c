import { createAgent } from "#engine";
import type { InputPolicy } from "#engine";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";
import type { ScriptedAnswer } from "#testing";
import { describe, expect, test } from "vitest";

import { refusals } from "./all-formats.ts";
import { faultsOf } from "./health.ts";
import { promised, quiet, soon, until } from "./promised.ts";
import type { Promised } from "./promised.ts";
import { callsOf, shapeOf, statesOf, toldOf } from "./recorded.ts";
import { createRunStage, settleTools, texts } from "./run-stage.ts";
import { everythingOf, watchedStore } from "./watched-store.ts";

/** Turns with open calls of every kind, and what a message that supersedes them makes of each. */
const turns: readonly (readonly [calls: readonly string[], superseded: Readonly<Record<string, string>>])[] = [
  [["gated"], { gated: "superseded" }],
  [["slow"], { slow: "stopped" }],
  [["gated", "slow"], { gated: "superseded", slow: "stopped" }],
  [["gated", "quick"], { gated: "superseded", quick: "succeeded" }],
  [["quick", "slow"], { quick: "succeeded", slow: "stopped" }],
  [["gated", "quick", "slow"], { gated: "superseded", quick: "succeeded", slow: "stopped" }],
];

describe("a message while calls are open", () => {
  test.each(turns)(
    "supersede: of %j what is finished stays, the rest is settled, and the model answers",
    async (calls, states) => {
      const stage = createRunStage(calls);
      const { thread, store, slow } = stage;
      const first = thread.send("Go.");
      await settleTools(stage, calls);
      const end = await thread.send("Wait, something else.").result;
      expect(end).toMatchObject({ status: "done", text: "One.", pending: [] });
      expect((await first.result).status).toBe(calls.includes("slow") ? "stopped" : "waiting");
      expect(await statesOf(store, "t")).toEqual(states);
      const told = await toldOf(thread);
      expect(told["gated"] ?? "was cancelled").toMatch(/was cancelled/u);
      expect(told["slow"] ?? "outcome is unknown").toMatch(/outcome is unknown/u);
      expect(told["quick"] ?? "quick result").toBe("quick result");
      expect(stage.isAborted()).toBe(calls.includes("slow"));
      slow.resolve("too late");
      await quiet();
      expect(await statesOf(store, "t")).toEqual(states);
      expect(await shapeOf(thread)).toBe(
        `H:Go. A(${calls.join(",")}) ${calls.map(() => "T").join(" ")} H:Wait, something else. A:One.`,
      );
      expect(await faultsOf(stage.store, stage.model.requests)).toEqual([]);
    },
  );

  test.each(turns)("queue: of %j nothing is touched, and the message follows the results", async (calls) => {
    const stage = createRunStage(calls, { onInput: "queue" });
    const { thread, store, slow, model } = stage;
    void thread.send("Go.");
    await settleTools(stage, calls);
    const before = await callsOf(store, "t");
    const queued = thread.send("And this.");
    const again = thread.send("And that.");
    await quiet();
    expect(await callsOf(store, "t")).toEqual(before);
    expect(model.calls).toBe(1);
    slow.resolve("slow result");
    await until(async () => (await store.load("t"))?.owner === undefined);
    if (calls.includes("gated")) await thread.approveAll().result;
    await Promise.all([queued.result, again.result]);
    expect(model.calls).toBe(2);
    for (const state of Object.values(await statesOf(store, "t"))) expect(state).toBe("succeeded");
    expect(await shapeOf(thread)).toBe(
      `H:Go. A(${calls.join(",")}) ${calls.map(() => "T").join(" ")} H:And this. H:And that. A:One.`,
    );
    expect(await faultsOf(stage.store, stage.model.requests)).toEqual([]);
  });

  test.each(turns)("refuse: of %j nothing is touched, and the error says which calls are open", async (calls) => {
    const stage = createRunStage(calls, { onInput: "refuse" });
    const { thread, store, slow } = stage;
    void thread.send("Go.");
    await settleTools(stage, calls);
    const before = await everythingOf(store, "t");
    const { status, error } = await thread.send("And this.").result;
    const open = calls.flatMap((name, i) => (name === "quick" ? [] : [`call_${i + 1}`]));
    expect([status, error]).toMatchObject(["failed", { code: "thread/busy", data: { threadId: "t", calls: open } }]);
    expect(await everythingOf(store, "t")).toEqual(before);
    slow.resolve("slow result");
    if (calls.includes("gated")) void thread.rejectAll();
    await until(async () => (await store.load("t"))?.status === "idle");
    expect((await thread.send("And this.").result).status).toBe("done");
    expect(await faultsOf(stage.store, stage.model.requests)).toEqual([]);
  });

  test("one message may ask for another policy than the agent's", async () => {
    const stage = createRunStage(["gated"], { onInput: "refuse" });
    await stage.thread.send("Go.").result;
    expect((await stage.thread.send("Now!", { onInput: "supersede" }).result).text).toBe("One.");
  });

  test("a decision for a call that a message has superseded is refused, and its tool does not run", async () => {
    const stage = createRunStage(["gated"]);
    const { pending } = await stage.thread.send("Go.").result;
    await stage.thread.send("Never mind.").result;
    const before = await everythingOf(stage.store, "t");
    const { error } = await stage.thread.decide({ [pending[0]?.id ?? ""]: { type: "approve" } }).result;
    expect(error?.message).toMatch(/call_1: it is settled: superseded/u);
    expect(await everythingOf(stage.store, "t")).toEqual(before);
  });

  test("a queued message survives the process", async () => {
    const stage = createRunStage(["gated"], { onInput: "queue" });
    await stage.thread.send("Go.").result;
    expect((await stage.thread.send("And this.").result).status).toBe("waiting");
    const model = scriptedModel([{ text: "Both." }]);
    const heir = createAgent({ model, store: stage.store, tools: [] });
    expect((await heir.thread("t").rejectAll().result).text).toBe("Both.");
    expect(await shapeOf(heir.thread("t"))).toBe("H:Go. A(gated) T H:And this. A:Both.");
  });

  test("a message or a decision that comes while a run is ending is not forgotten", async () => {
    const held = promised();
    let isHeld = true;
    const model = scriptedModel([{ calls: [{ name: "quick" }, { name: "gated" }] }, ...texts]);
    const store = watchedStore(memoryStore(), {
      before: ({ events }) => (isHeld && events.some(({ type }) => type === "run_end") ? held.promise : undefined),
    });
    const stage = createRunStage([], { store, model, onInput: "queue" });
    const { thread } = stage;
    void thread.send("Go.");
    await until(async () => (await thread.pending()).length === 1);
    const queued = thread.send("And this.");
    const decided = thread.approveAll();
    await quiet();
    isHeld = false;
    held.resolve(undefined);
    const ends = await soon(Promise.all([queued.result, decided.result]));
    expect(ends.map(({ status }) => status)).toContain("done");
    await until(async () => (await store.load("t"))?.status === "idle");
    expect(await shapeOf(thread)).toBe("H:Go. A(quick,gated) T T H:And this. A:One.");
    expect(await toldOf(thread)).toEqual({ quick: "quick result", gated: "gated result" });
  });
});

describe("a message while the model speaks", () => {
  /** A model that waits before it answers, and one that is in the middle of its answer. */
  const speaking = (wait: Promised): readonly ScriptedAnswer[] => [
    async () => {
      await wait.promise;
      return { text: "One." };
    },
    { text: "Two." },
  ];

  test("supersede: its answer is given up, and the new message is answered", async () => {
    const wait = promised();
    const { thread, model, store } = createRunStage([], {}, speaking(wait));
    const first = thread.send("Go.");
    await until(() => model.calls === 1);
    expect((await soon(thread.send("Stop, this.").result)).text).toBe("Two.");
    wait.resolve(undefined);
    expect((await first.result).status).toBe("stopped");
    await quiet();
    expect(await shapeOf(thread)).toBe("H:Go. H:Stop, this. A:Two.");
    expect((await store.load("t"))?.status).toBe("idle");
  });

  test("supersede in the middle of a text: what was heard of it stays", async () => {
    const { thread, model } = createRunStage([], {}, [{ text: "abcdefghij".repeat(20), pace: 2 }, { text: "Two." }]);
    const first = thread.send("Go.");
    let heard = "";
    for await (const event of first) {
      if (event.type === "text_delta") heard += event.data.text;
      if (heard.length > 20) break;
    }
    expect((await thread.send("Enough.").result).text).toBe("Two.");
    const [, kept] = (await thread.history("openai-chat")) as readonly { readonly content: string }[];
    expect("abcdefghij".repeat(20).startsWith(kept?.content ?? "?")).toBe(true);
    expect(kept?.content.length).toBeGreaterThanOrEqual(heard.length);
    expect(model.requests.flatMap(refusals)).toEqual([]);
  });

  test("queue: it finishes first, and then answers the message", async () => {
    const wait = promised();
    const { thread, model } = createRunStage([], { onInput: "queue" }, speaking(wait));
    const first = thread.send("Go.");
    await until(() => model.calls === 1);
    const second = thread.send("And this.");
    await quiet();
    wait.resolve(undefined);
    expect((await second.result).text).toBe("Two.");
    expect((await first.result).text).toBe("Two.");
    expect(await shapeOf(thread)).toBe("H:Go. A:One. H:And this. A:Two.");
  });

  test("refuse: nothing is disturbed", async () => {
    const wait = promised();
    const { thread, model } = createRunStage([], { onInput: "refuse" }, speaking(wait));
    const first = thread.send("Go.");
    await until(() => model.calls === 1);
    expect(await thread.send("And this.").result).toMatchObject({ status: "failed", error: { code: "thread/busy" } });
    wait.resolve(undefined);
    expect((await first.result).text).toBe("One.");
  });
});

test("an unknown policy is refused", () => {
  expect(() => createRunStage([], { onInput: "drop" as InputPolicy })).toThrow(/supersede, queue, refuse/u);
});
