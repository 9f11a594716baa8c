import { setTimeout as pause } from "node:timers/promises";

import { createAgent, tool } from "#engine";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";

import { afterDeath } from "./after-death.ts";
import { leaveDead } from "./dead-threads.ts";
import { promised, quiet, soon, until } from "./promised.ts";
import { callsOf, shapeOf, statesOf } from "./recorded.ts";

const pay = (answer: () => Promise<boolean>) =>
  tool({
    name: "pay",
    description: "Pays.",
    approval: true,
    input: z.object({ n: z.number().refine((n) => (n < 5 ? true : answer())) }),
    execute: ({ n }) => `paid ${n}`,
  });

describe("an edit that is looked at for long", () => {
  test("keeps nobody from reading, and a stop ends it", async () => {
    const never = promised<boolean>();
    const agent = createAgent({
      model: scriptedModel([{ calls: [{ name: "pay", arguments: { n: 1 } }] }, { text: "Done." }]),
      tools: [pay(() => never.promise)],
    });
    const thread = agent.thread("t");
    await thread.send("Go.").result;
    const decided = thread.decide({ call_1: { type: "edit", arguments: { n: 9 } } });
    expect((await soon(thread.pending(), 1000)).map(({ id }) => id)).toEqual(["call_1"]);
    expect(await soon(thread.history("gemini"), 1000)).toBeDefined();
    await soon(thread.stop(), 1000);
    expect((await soon(decided.result, 1000)).status).toBe("stopped");
    expect(await statesOf(agent.store, "t")).toEqual({ pay: "stopped" });
  });

  test.each(["run.stop()", "the signal"])("is taken back by %s, and the call waits as before", async (how) => {
    const never = promised<boolean>();
    const agent = createAgent({
      model: scriptedModel([{ calls: [{ name: "pay", arguments: { n: 1 } }] }, { text: "Done." }]),
      tools: [pay(() => never.promise)],
    });
    const thread = agent.thread("t");
    await thread.send("Go.").result;
    const controller = new AbortController();
    const decided = thread.decide({ call_1: { type: "edit", arguments: { n: 9 } } }, { signal: controller.signal });
    await quiet();
    if (how === "the signal") controller.abort();
    else await soon(decided.stop(), 1000);
    expect((await soon(decided.result, 1000)).status).toBe("stopped");
    expect((await soon(thread.approveAll().result, 1000)).text).toBe("Done.");
    expect((await callsOf(agent.store, "t")).map(({ raw, state }) => [raw, state])).toEqual([['{"n":1}', "succeeded"]]);
  });
});

test("a message that waits in the queue is taken back by its own run, and the run before it goes on", async () => {
  const slow = promised<string>();
  const model = scriptedModel([{ calls: [{ name: "slow" }] }, { text: "Done." }]);
  const agent = createAgent({
    model,
    onInput: "queue",
    tools: [tool({ name: "slow", description: "Slow.", execute: () => slow.promise })],
  });
  const thread = agent.thread("t");
  const first = thread.send("Go.");
  await until(async () => (await statesOf(agent.store, "t"))["slow"] === "running");
  const second = thread.send("And this.");
  await quiet();
  expect((await soon(second.stop(), 1000)).status).toBe("stopped");
  slow.resolve("slow");
  expect(await first.result).toMatchObject({ status: "done", text: "Done." });
  expect(await shapeOf(thread)).toBe("H:Go. A(slow) T A:Done.");
});

test("deleting a thread stops what goes on in it, and leaves what waits for a person as it is", async () => {
  const slow = promised<string>();
  let isTold = false;
  const agent = createAgent({
    model: scriptedModel([{ calls: [{ name: "slow" }] }], { loop: true }),
    tools: [
      tool({
        name: "slow",
        description: "Slow.",
        execute(_: unknown, { signal }) {
          signal.addEventListener("abort", () => {
            isTold = true;
          });
          return slow.promise;
        },
      }),
    ],
  });
  const run = agent.thread("t").send("Go.");
  await until(async () => (await statesOf(agent.store, "t"))["slow"] === "running");
  expect(await soon(agent.delete("t"), 3000)).toBe(true);
  expect((await run.result).status).toBe("stopped");
  expect(isTold).toBe(true);
  expect((await agent.store.load("t"))?.deletedAt).toBeDefined();
  const gated = createAgent({
    model: scriptedModel([{ calls: [{ name: "slow" }] }, { text: "Done." }]),
    approvals: [{ tools: "slow" }],
    tools: [tool({ name: "slow", description: "Slow.", execute: () => "slow" })],
  });
  await gated.thread("w").send("Go.").result;
  await gated.delete("w");
  expect((await gated.thread("w").approveAll().result).error?.message).toMatch(/deleted/u);
  await gated.restore("w");
  expect((await gated.thread("w").approveAll().result).text).toBe("Done.");
});

test("threads that wait for an approval which expires are not kept in memory for it, and still expire", async () => {
  const store = memoryStore();
  let loads = 0;
  const agent = createAgent({
    model: scriptedModel(
      [({ messages }) => (messages.length > 1 ? { text: "Late." } : { calls: [{ name: "pay", arguments: { n: 1 } }] })],
      {
        loop: true,
      },
    ),
    store: {
      ...store,
      entries(id, range) {
        loads++;
        return store.entries(id, range);
      },
    },
    approvals: [{ tools: "pay", expiresAfter: 1500 }],
    tools: [pay(() => Promise.resolve(true))],
  });
  const ids = Array.from({ length: 300 }, (_, i) => `t${i}`);
  const long = `Go. ${"x".repeat(400_000)}`; // so that there are more of them than are kept at rest
  await Promise.all(ids.map((id) => agent.thread(id).send(long).result));
  expect((await store.list({ status: "waiting", limit: 1000 })).length).toBe(300);
  expect(loads).toBe(0);
  await pause(110);
  await agent.thread("another").pending(); // those that rest are forgotten for it
  await agent.thread("t0").pending();
  expect(loads).toBeGreaterThan(0);
  await until(async () => (await store.list({ status: "idle", limit: 1000 })).length === 300);
  expect(await statesOf(store, "t0")).toEqual({ pay: "expired" });
});

test("of many threads that a dead process left a few are gone on with at a time, and all of them in the end", async () => {
  const store = memoryStore();
  const ids = Array.from({ length: 80 }, (_, i) => `t${i}`);
  await leaveDead(store, ids);
  let asked = 0;
  let most = 0;
  const answer = async () => {
    most = Math.max(most, ++asked);
    await quiet(3);
    asked--;
    return { text: "On." };
  };
  const agent = createAgent({ model: scriptedModel([answer], { loop: true }), store: afterDeath(store) });
  const runs = await agent.recover();
  expect(runs.length).toBe(80);
  const last = runs.at(-1);
  const stopped = last?.stop(); // one that has not begun
  expect((await stopped)?.status).toBe("stopped");
  const ends = await Promise.all(runs.slice(0, -1).map(({ result }) => result));
  expect(new Set(ends.map(({ text }) => text))).toEqual(new Set(["On."]));
  expect(most).toBeLessThanOrEqual(32);
  expect(most).toBeGreaterThan(1);
});

test("what could not be saved when a run ended is saved by itself when the store is back", async () => {
  const inner = memoryStore();
  let isAway = false;
  const { UndangleError } = await import("#core");
  const store = {
    ...inner,
    commit: (commit: Parameters<typeof inner.commit>[0]) =>
      isAway ? Promise.reject(new UndangleError("store/busy", { path: "x", canRetry: true })) : inner.commit(commit),
  };
  const slow = promised<string>();
  const agent = createAgent({
    model: scriptedModel([{ calls: [{ name: "slow" }] }]),
    store,
    limits: { storeWait: 30 },
    tools: [tool({ name: "slow", description: "Slow.", execute: () => slow.promise })],
  });
  const run = agent.thread("t").send("Go.");
  await until(async () => (await statesOf(inner, "t"))["slow"] === "running");
  isAway = true;
  slow.resolve("paid 300");
  expect((await run.result).status).toBe("failed");
  isAway = false;
  await until(async () => (await statesOf(inner, "t"))["slow"] === "succeeded");
  expect((await inner.load("t"))?.owner).toBeUndefined();
});

test("a rule that is new holds for calls which a dead process had not started", async () => {
  const store = memoryStore();
  const never = new Promise<never>(() => undefined);
  const ran: string[] = [];
  const tools = (slow: () => unknown) => [
    tool({ name: "slow", description: "Slow.", idempotent: true, execute: slow }),
    tool({ name: "wipe", description: "Wipes.", execute: () => void ran.push("wipe") }),
  ];
  const script = [{ calls: [{ name: "slow" }, { name: "wipe" }] }];
  void createAgent({ model: scriptedModel(script), store, tools: tools(() => never), limits: { parallel: 1 } })
    .thread("t")
    .send("Go.");
  await until(async () => (await statesOf(store, "t"))["slow"] === "running");
  const agent = createAgent({
    model: scriptedModel([{ text: "Done." }]),
    store: afterDeath(store),
    tools: tools(() => "slow"),
    approvals: [{ tools: "wipe" }],
  });
  const [run] = await agent.recover();
  expect(await run?.result).toMatchObject({ status: "waiting", pending: [{ id: "call_2", name: "wipe" }] });
  expect(ran).toEqual([]);
  expect((await agent.thread("t").approveAll().result).text).toBe("Done.");
  expect(ran).toEqual(["wipe"]);
});
