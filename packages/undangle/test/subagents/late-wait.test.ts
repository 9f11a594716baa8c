import { defineMiddleware, tool } from "#engine";
import { memoryStore } from "#store";
import { subagents } from "#middleware";
import { expect, test } from "vitest";

import { promised, until } from "../engine/promised.ts";
import { callsOf } from "../engine/recorded.ts";
import { agentWith, delegating } from "./stage.ts";

test.each(["stopped", "superseded"] as const)(
  "a child that waits while hooks still hold its call is stopped with it: %s",
  async (cause) => {
    const held = promised<void>();
    let isHolding = false;
    const holding = defineMiddleware({
      name: "holding",
      wrapToolCall: (next) => async (call) => {
        try {
          return await next(call);
        } finally {
          isHolding = true;
          await held.promise;
        }
      },
    });
    const pay = tool({ name: "pay", description: "Pays.", approval: true, execute: () => "paid" });
    const store = memoryStore();
    const { agent } = agentWith(
      { go: [delegating("pay it"), { text: "Done." }], "pay it": [{ calls: [{ name: "pay" }] }] },
      { store, tools: [pay], middleware: [holding, subagents()] },
    );
    const thread = agent.thread("t");
    const run = thread.send("go");
    await until(() => isHolding);
    const stopping = thread.stop({ cause });
    await until(async () => (await callsOf(store, "t")).every(({ state }) => state !== "running"));
    held.resolve();
    await stopping;
    expect((await run.result).status).toBe("stopped");
    await until(async () => (await callsOf(store, "t/call_1")).every(({ outcome }) => outcome !== undefined));
    expect((await callsOf(store, "t/call_1")).map(({ name, state }) => [name, state])).toEqual([["pay", cause]]);
    expect(await thread.pending()).toEqual([]);
  },
);
