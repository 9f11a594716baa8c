import { createAgent, defineMiddleware, tool } from "#engine";
import { scriptedModel } from "#testing";
import { expect, test } from "vitest";
import { z } from "zod";

import { until } from "../engine/promised.ts";

/** Counts in its state how often its tool has called it, and how often its reducer was called for that. */
function counter() {
  let reductions = 0;
  const middleware = defineMiddleware({
    name: "counter",
    state: {
      initial: 0,
      reduce(sum: number, more: number) {
        reductions++;
        return sum + more;
      },
    },
    wrapToolCall:
      (next) =>
      (call, { state }) => {
        for (let i = 0; i < updates; i++) {
          state.update(1);
          if (state.get() !== i + 1) throw new Error(`The state is ${state.get()} after ${i + 1} updates.`);
        }
        return next(call);
      },
  });
  return { middleware, reductions: () => reductions };
}

const updates = 1000;

test("an update of the state does not apply earlier updates of the call again", async () => {
  const { middleware, reductions } = counter();
  const quick = tool({ name: "quick", description: "Quick.", execute: () => "done" });
  const model = scriptedModel([{ calls: [{ name: "quick" }] }, { text: "Done." }]);
  const agent = createAgent({ model, tools: [quick], middleware: [middleware] });
  await agent.thread("t").send("Go.").result;
  expect(await agent.thread("t").state()).toEqual({ counter: updates });
  expect(reductions()).toBe(2 * updates); // at once, and when the result of the call is saved
});

test("a call can set and remove many keys", async () => {
  const keys = Array.from({ length: 20 }, (_, i) => `key ${i}`);
  const set = tool({
    name: "set",
    description: "Sets and removes keys.",
    execute(_: unknown, { state }) {
      for (const key of keys) state.set(key, state.get(key) === undefined ? key : undefined);
      state.set("__proto__", 1);
    },
  });
  const model = scriptedModel([{ calls: [{ name: "set" }] }, { text: "One." }], { loop: true });
  const agent = createAgent({ model, tools: [set] });
  const thread = agent.thread("t");
  await thread.send("Go.").result;
  expect(Object.entries(await thread.state())).toEqual([...keys.map((key) => [key, key]), ["__proto__", 1]]);
  await thread.send("Go.").result;
  expect(Object.entries(await thread.state())).toEqual([["__proto__", 1]]);
});

test("a call sees the changes of a sibling that has ended, and its own", async () => {
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const seen: unknown[] = [];
  const counted = defineMiddleware({
    name: "counted",
    state: { initial: 0, reduce: (sum: number, more: number) => sum + more },
    wrapToolCall:
      (next) =>
      async (call, { state }) => {
        state.update(1);
        seen.push([call.context.callId, "before", state.get()]);
        const result = await next(call);
        state.update(10);
        seen.push([call.context.callId, "after", state.get()]);
        return result;
      },
  });
  const slow = tool({
    name: "slow",
    description: "Slow.",
    input: z.object({ n: z.number() }),
    execute: ({ n }) => (n === 1 ? first.promise : second.promise),
  });
  const calls = [1, 2].map((n) => ({ name: "slow", arguments: { n } }));
  const model = scriptedModel([{ calls }, { text: "Done." }]);
  const agent = createAgent({ model, tools: [slow], middleware: [counted] });
  const run = agent.thread("t").send("Go.");
  await until(() => seen.length === 2);
  first.resolve();
  await until(async () => (await agent.thread("t").state())["counted"] === 11);
  second.resolve();
  await run.result;
  expect(seen).toEqual([
    ["call_1", "before", 1],
    ["call_2", "before", 1],
    ["call_1", "after", 11],
    ["call_2", "after", 22],
  ]);
  expect(await agent.thread("t").state()).toEqual({ counted: 22 });
});
