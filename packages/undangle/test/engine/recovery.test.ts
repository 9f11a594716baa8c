import { setTimeout as pause } from "node:timers/promises";

import { createAgent, tool } from "#engine";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";

import { afterDeath } from "./after-death.ts";
import { leaveDead } from "./dead-threads.ts";
import { promised, quiet, until } from "./promised.ts";
import { callsOf, endsOf, shapeOf, statesOf } from "./recorded.ts";

describe("recovery", () => {
  test("a thread that waits for its turn is not forgotten, and what is said there meanwhile is answered", async () => {
    const store = memoryStore();
    const ids = Array.from({ length: 40 }, (_, i) => `dead ${i}`);
    await leaveDead(store, ids);
    const { promise: room, resolve: makeRoom } = Promise.withResolvers<undefined>();
    const { promise: answer, resolve: letAnswer } = Promise.withResolvers<undefined>();
    const model = scriptedModel(
      [
        async ({ messages }) => {
          const isSaid = JSON.stringify(messages).includes("Said meanwhile.");
          await (isSaid ? answer : room);
          return { text: isSaid ? "Heard." : "On." };
        },
      ],
      { loop: true },
    );
    const agent = createAgent({ model, store: afterDeath(store) });
    const runs = await agent.recover();
    const long = [{ role: "user", content: "x".repeat(1_000_000) }];
    for (let i = 0; i < 80; i++) await agent.thread(`other ${i}`).import(long, { format: "openai-chat" }); // more than are kept at rest
    await pause(110);
    const said = ids.map((id) => agent.thread(id).send("Said meanwhile."));
    await quiet();
    makeRoom(undefined);
    await quiet();
    letAnswer(undefined);
    const ends = await Promise.all(said.map(({ result }) => result));
    expect(ends.map(({ status, text }) => `${status} ${text}`)).toEqual(ids.map(() => "done Heard."));
    await Promise.all(runs.map(({ result }) => result));
  });

  test("of two that recover at the same time each thread has one, and neither fails", async () => {
    const store = memoryStore();
    const ids = ["a", "b", "c", "d"];
    await leaveDead(store, ids);
    const left = afterDeath(store);
    const make = () => createAgent({ model: scriptedModel([{ text: "On." }], { loop: true }), store: left });
    const runs = (await Promise.all([make().recover(), make().recover(), make().recover()])).flat();
    expect((await Promise.all(runs.map(({ result }) => result))).map(({ text }) => text)).toEqual(ids.map(() => "On."));
    for (const id of ids) expect((await callsOf(store, id)).map(({ state }) => state)).toEqual(["lost"]);
  });

  test.each(["pending", "history", "decide", "send"])(
    "looking at a dead thread, or being refused there, does not keep it from being recovered (%s)",
    async (touch) => {
      const store = memoryStore();
      const never = new Promise<never>(() => undefined);
      const tools = [
        tool({ name: "slow", description: "Slow.", execute: () => never }),
        tool({ name: "quick", description: "Quick.", idempotent: true, execute: () => never }),
      ];
      void createAgent({ model: scriptedModel([{ calls: [{ name: "slow" }, { name: "quick" }] }]), store, tools })
        .thread("t")
        .send("Go.");
      await until(async () => (await statesOf(store, "t"))["slow"] === "running");
      const model = scriptedModel([{ text: "On." }]);
      const agent = createAgent({
        model,
        store: afterDeath(store),
        tools: [tool({ name: "quick", description: "Quick.", idempotent: true, execute: () => "done" })],
      });
      const thread = agent.thread("t");
      if (touch === "pending") await thread.pending();
      if (touch === "history") await thread.history("gemini");
      if (touch === "decide") await thread.decide({ call_9: { type: "approve" } }).result;
      if (touch === "send") await thread.send("Me.", { onInput: "refuse" }).result;
      const [run] = await agent.recover();
      expect((await run?.result)?.text).toBe("On.");
      expect(await statesOf(store, "t")).toEqual({ slow: "lost", quick: "succeeded" });
    },
  );

  test("a message that was waiting in the queue is answered by whoever recovers the thread", async () => {
    const store = memoryStore();
    const never = new Promise<never>(() => undefined);
    const dead = createAgent({
      model: scriptedModel([{ calls: [{ name: "slow" }] }]),
      store,
      onInput: "queue",
      tools: [tool({ name: "slow", description: "Slow.", execute: () => never })],
    });
    void dead.thread("t").send("Go.");
    await until(async () => (await statesOf(store, "t"))["slow"] === "running");
    void dead.thread("t").send("And this.");
    await quiet();
    const agent = createAgent({ model: scriptedModel([{ text: "Both." }]), store: afterDeath(store) });
    const [run] = await agent.recover();
    expect((await run?.result)?.text).toBe("Both.");
    expect(await shapeOf(agent.thread("t"))).toBe("H:Go. A(slow) T H:And this. A:Both.");
  });

  test("an answer that was being streamed is asked for again, and those who watch are told", async () => {
    const store = memoryStore();
    const wait = promised<never>();
    const dead = createAgent({ model: scriptedModel([() => wait.promise]), store });
    void dead.thread("t").send("Go.");
    await until(async () => (await store.load("t"))?.owner !== undefined);
    const agent = createAgent({ model: scriptedModel([{ text: "Once more." }]), store: afterDeath(store) });
    const [run] = await agent.recover();
    expect((await run?.result)?.text).toBe("Once more.");
    const types = (await store.events("t")).map(({ type }) => type);
    expect(types.filter((type) => ["run_start", "model_discarded", "run_end"].includes(type))).toEqual(
      "run_start model_discarded run_end run_start run_end".split(" "),
    );
  });

  test("a turn of which some calls had ended, some had begun and some wait: each goes on from where it was", async () => {
    const store = memoryStore();
    const never = new Promise<never>(() => undefined);
    const starts: string[] = [];
    const tools = (result: () => unknown) =>
      ["quick", "slow", "fetch", "gated"].map((name) =>
        tool({
          name,
          description: `Does ${name}.`,
          approval: name === "gated",
          idempotent: name === "fetch",
          execute() {
            starts.push(name);
            return name === "quick" ? "quick" : result();
          },
        }),
      );
    const calls = ["quick", "slow", "fetch", "gated"].map((name) => ({ name }));
    void createAgent({ model: scriptedModel([{ calls }]), store, tools: tools(() => never) })
      .thread("t")
      .send("Go.");
    await until(async () => (await statesOf(store, "t"))["quick"] === "succeeded");
    const model = scriptedModel([{ text: "On." }]);
    const agent = createAgent({ model, store: afterDeath(store), tools: tools(() => "again") });
    const [run] = await agent.recover();
    expect(await run?.result).toMatchObject({ status: "waiting", pending: [{ name: "gated" }] });
    expect(await statesOf(store, "t")).toEqual({
      quick: "succeeded",
      slow: "lost",
      fetch: "succeeded",
      gated: "awaiting",
    });
    expect((await agent.thread("t").approveAll().result).text).toBe("On.");
    expect(starts).toEqual(["quick", "slow", "fetch", "fetch", "gated"]);
    expect([...(await endsOf(store, "t")).values()]).toEqual([1, 1, 1, 1]);
  });

  test("the next message does what recovery would, without being asked to", async () => {
    const store = memoryStore();
    const never = new Promise<never>(() => undefined);
    const slow = tool({ name: "slow", description: "Slow.", execute: () => never });
    void createAgent({ model: scriptedModel([{ calls: [{ name: "slow" }] }]), store, tools: [slow] })
      .thread("t")
      .send("Go.");
    await until(async () => (await statesOf(store, "t"))["slow"] === "running");
    const agent = createAgent({ model: scriptedModel([{ text: "Here." }]), store: afterDeath(store), tools: [slow] });
    expect((await agent.thread("t").send("Are you there?").result).text).toBe("Here.");
    expect(await statesOf(store, "t")).toEqual({ slow: "lost" });
    expect(await agent.recover()).toEqual([]);
  });

  test("a thread whose owner is alive is left alone", async () => {
    const store = memoryStore();
    const slow = promised();
    const make = () =>
      createAgent({
        model: scriptedModel([{ calls: [{ name: "slow" }] }, { text: "Done." }]),
        store,
        tools: [tool({ name: "slow", description: "Slow.", execute: () => slow.promise })],
      });
    const run = make().thread("t").send("Go.");
    await until(async () => (await statesOf(store, "t"))["slow"] === "running");
    expect(await make().recover()).toEqual([]);
    slow.resolve("ok");
    expect((await run.result).text).toBe("Done.");
  });
});
