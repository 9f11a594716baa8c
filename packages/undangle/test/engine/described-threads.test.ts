import { createAgent, tool } from "#engine";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";

import { afterDeath } from "./after-death.ts";
import { statesOf } from "./recorded.ts";
import { until } from "./promised.ts";

describe("what is noted of a thread", () => {
  const answering = () => createAgent({ model: scriptedModel([{ text: "Yes." }], { loop: true }) });

  test("is found with it, before anybody has spoken and afterwards", async () => {
    const agent = answering();
    const thread = agent.thread("t");
    await thread.describe({ title: "Taxes", meta: { persona: "clerk", tags: ["a"] } });
    await thread.send("Hello.").result;
    expect(await agent.find("t")).toMatchObject({ title: "Taxes", meta: { persona: "clerk", tags: ["a"] } });
    expect((await agent.threads({ search: "Taxes" })).map(({ id, meta }) => [id, meta])).toEqual([
      ["t", { persona: "clerk", tags: ["a"] }],
    ]);
    expect(await agent.find("other")).toBeUndefined();
  });

  test("changes name by name, and null takes one away", async () => {
    const agent = answering();
    const thread = agent.thread("t");
    await thread.send("Hello there.").result;
    await thread.describe({ meta: { one: 1, two: 2 } });
    await thread.describe({ meta: { one: null, three: 3 } });
    expect(await agent.find("t")).toMatchObject({ title: "Hello there.", meta: { two: 2, three: 3 } });
    expect((await agent.find("t"))?.meta).not.toHaveProperty("one");
  });

  test("can be changed while a run goes on, and stands in forks and exports", async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const wait = tool({ name: "wait", description: "Waits.", execute: () => promise });
    const model = scriptedModel([{ calls: [{ name: "wait" }] }, { text: "Done." }]);
    const agent = createAgent({ model, tools: [wait] });
    const thread = agent.thread("t");
    const run = thread.send("Go.");
    await until(async () => (await statesOf(agent.store, "t"))["wait"] === "running");
    await thread.describe({ title: "Waiting", meta: { persona: "clerk" } });
    resolve("now");
    expect((await run.result).text).toBe("Done.");
    expect(await agent.find("t")).toMatchObject({ title: "Waiting", meta: { persona: "clerk" } });
    const fork = await thread.fork();
    const copy = agent.thread("copy");
    await copy.import(await thread.export());
    for (const { id } of [fork, copy]) expect((await agent.find(id))?.meta).toEqual({ persona: "clerk" });
  });

  test.each([
    ["an empty title", { title: "" }],
    ["a title that is no text", { title: 7 }],
    ["notes that are no object", { meta: [] }],
    ["something else", { tilte: "x" }],
  ])("is refused when it is %s, and nothing has changed", async (_, about) => {
    const agent = answering();
    await expect(agent.thread("t").describe(about as object)).rejects.toThrow(/option/iu);
    expect(await agent.find("t")).toBeUndefined();
  });
});

test("one thread that a dead process left is gone on with, and no other", async () => {
  const store = memoryStore();
  const never = new Promise<never>(() => undefined);
  const dead = createAgent({
    model: scriptedModel([{ calls: [{ name: "slow" }] }], { loop: true }),
    store,
    tools: [tool({ name: "slow", description: "Slow.", execute: () => never })],
  });
  for (const id of ["a", "b"]) void dead.thread(id).send("Go.");
  await until(async () => (await statesOf(store, "b"))["slow"] === "running");
  const agent = createAgent({ model: scriptedModel([{ text: "On." }]), store: afterDeath(store) });
  const run = await agent.thread("a").recover();
  expect((await run?.result)?.text).toBe("On.");
  expect(await agent.thread("a").recover()).toBeUndefined();
  expect([await statesOf(store, "a"), await statesOf(store, "b")]).toEqual([{ slow: "lost" }, { slow: "running" }]);
});
