import { setTimeout as pause } from "node:timers/promises";

import { createAgent, memoryStore } from "undangle/agent";
import type { Agent, Store } from "undangle/agent";
import { scriptedModel } from "undangle/testing";
import { expect, test } from "vitest";

import { createAgentCache } from "./agent-cache.ts";

const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };

const agentOf =
  (delay: number) =>
  (store: Store): Agent =>
    createAgent({ model: scriptedModel([{ text: "Yes.", delay }], { loop: true }), store });

test("an agent that was not used for long is created again; one that runs a thread is kept", async () => {
  const store = memoryStore();
  const cache = createAgentCache(store, logger);
  const idle = cache.get("idle", agentOf(0));
  const busy = cache.get("busy", agentOf(300));
  const run = busy.thread("t").send("Go.");
  await pause(50);
  for (let i = 0; i < 70; i++) cache.get(`other ${i}`, agentOf(0));
  expect(cache.get("idle", agentOf(0)) === idle).toBe(false);
  expect(cache.get("busy", agentOf(0)) === busy).toBe(true);
  expect((await run.result).status).toBe("done");
  await cache.close();
});
