import { describe, expect, test } from "vitest";

import { createAgent, memoryStore } from "../../src/middleware/public-names.ts";
import { scriptedModel } from "../../src/testing/index.ts";

const model = (text: string) => scriptedModel([{ text }], { loop: true });

describe("agent.delete with purge", () => {
  test("removes one thread, marked or not, and no other", async () => {
    const store = memoryStore();
    const agent = createAgent({ model: model("Yes."), store });
    for (const id of ["a", "b", "c"]) await agent.thread(id).send("Hello.").result;
    await agent.delete("b");
    await agent.delete("c");
    expect(await agent.delete("a", { purge: true })).toBe(true);
    expect(await agent.delete("b", { purge: true })).toBe(true);
    expect(await agent.delete("b", { purge: true })).toBe(false);
    expect([await store.load("a"), await store.load("b")]).toEqual([undefined, undefined]);
    expect(await agent.restore("c")).toBe(true);
    await agent.close();
  });

  test("an agent that knew a thread does not mistake its successor of the same version for it", async () => {
    const store = memoryStore();
    let now = 1000;
    const options = { store, now: () => now };
    const first = createAgent({ ...options, model: model("First.") });
    const second = createAgent({ ...options, model: model("Second.") });
    await first.thread("t").send("Hello.").result;
    const { version } = (await store.load("t")) ?? {};
    await second.delete("t", { purge: true });
    now = 2000;
    await second.thread("t").send("Hello.").result;
    expect((await store.load("t"))?.version).toBe(version);
    expect(JSON.stringify(await first.thread("t").history("openai-chat"))).toContain("Second.");
    await first.close();
    await second.close();
  });

  test("options that do not exist are refused", async () => {
    const agent = createAgent({ model: model("Yes.") });
    await expect(agent.delete("t", { purged: true } as object)).rejects.toThrow('Unknown option "purged"');
    await agent.close();
  });
});

test("a fork keeps the title, unless another one is given", async () => {
  const agent = createAgent({ model: model("Yes.") });
  const thread = agent.thread("t");
  await thread.send("Hello.").result;
  await thread.describe({ title: "Invoices" });
  const titleOf = async (id: string) => (await agent.find(id))?.title;
  await thread.fork(undefined, { id: "u" });
  await thread.fork(0, { id: "v", title: "Other" });
  expect([await titleOf("u"), await titleOf("v")]).toEqual(["Invoices", "Other"]);
  await agent.close();
});
