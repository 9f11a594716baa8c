import { createAgent, tool } from "#engine";
import type { Agent, Run } from "#engine";
import { memoryStore } from "#store";
import type { Store } from "#store";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";

const pay = tool({ name: "pay", description: "Pays.", approval: true, execute: () => "paid" });
const agentOn = (store: Store): Agent =>
  createAgent({ model: scriptedModel([{ calls: [{ name: "pay" }] }, { text: "Done." }]), tools: [pay], store });

/** A store on which another process writes to the thread before every commit of ours. */
function contended(store: Store): Store {
  return {
    ...store,
    async commit(commit) {
      const stored = await store.load(commit.thread);
      const { version = 0, epoch = 0, data = commit.head.data } = stored ?? {};
      const head = { ...commit.head, ...stored, epoch: epoch + 1, data };
      await store.commit({ ...commit, version, head, entries: [], calls: [], events: [] });
      await store.commit(commit);
    },
  };
}

/** A store with a thread in which a call waits. */
async function waiting(): Promise<Store> {
  const store = memoryStore();
  await agentOn(store).thread("t").send("Go.").result;
  return store;
}

describe("where another process is always faster", () => {
  const runs: Readonly<Record<string, (agent: Agent) => Run>> = {
    send: (agent) => agent.thread("t").send("And?"),
    decide: (agent) => agent.thread("t").decide({ call_1: { type: "approve" } }),
    regenerate: (agent) => agent.thread("t").regenerate(),
  };

  test.each(Object.entries(runs))("%s fails as it does while that process runs the thread", async (_, begin) => {
    const store = await waiting();
    const before = {
      entries: await store.entries("t"),
      calls: await store.calls("t"),
      events: await store.events("t"),
    };
    const { status, error } = await begin(agentOn(contended(store))).result;
    expect([status, error?.code]).toEqual(["failed", "thread/owned"]);
    expect(error?.message).toMatch(/is being run by another process .*; try again when its run is over\.$/u);
    const after = { entries: await store.entries("t"), calls: await store.calls("t"), events: await store.events("t") };
    expect(after).toEqual(before); // nothing of it was saved
  });

  const changes: Readonly<Record<string, (agent: Agent) => Promise<unknown>>> = {
    stop: (agent) => agent.thread("t").stop(),
    describe: (agent) => agent.thread("t").describe({ title: "Bills" }),
    import: (agent) => agent.thread("new").import([{ role: "user", content: "Hi." }], { format: "openai-chat" }),
  };

  test.each(Object.entries(changes))("%s is refused in the same way", async (_, change) => {
    await expect(change(agentOn(contended(await waiting())))).rejects.toMatchObject({ code: "thread/owned" });
  });
});
