import { setTimeout as pause } from "node:timers/promises";

import { createAgent, memoryStore } from "undangle/agent";
import type { Agent, Store } from "undangle/agent";
import { scriptedModel } from "undangle/testing";
import { expect, test } from "vitest";

import { createSeats } from "./seats.ts";

const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };

const agentOf =
  (delay: number) =>
  (store: Store): Agent =>
    createAgent({ model: scriptedModel([{ text: "Yes.", delay }], { loop: true }), store });

test("an agent that was needed by nobody for long is made anew, one that runs something is kept", async () => {
  const store = memoryStore();
  const seats = createSeats(store, logger);
  const idle = seats.take("idle", agentOf(0));
  const busy = seats.take("busy", agentOf(300));
  const run = busy.thread("t").send("Go.");
  await pause(50);
  for (let i = 0; i < 70; i++) seats.take(`other ${i}`, agentOf(0));
  expect(seats.take("idle", agentOf(0)) === idle).toBe(false);
  expect(seats.take("busy", agentOf(0)) === busy).toBe(true);
  expect((await run.result).status).toBe("done");
  await seats.close();
});
