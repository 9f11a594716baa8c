import { createAgent, tool } from "#engine";
import type { AgentEvent, Thread } from "#engine";
import { memoryStore } from "#store";
import type { Store } from "#store";
import { scriptedModel } from "#testing";
import type { ScriptedTurn } from "#testing";
import { describe, expect, test } from "vitest";

import { sqliteStore } from "../../src/store/sqlite.ts";
import { afterDeath } from "../engine/after-death.ts";
import { until } from "../engine/promised.ts";
import { wrongWith } from "../engine/received-events.ts";

/** The events that settle a crash are stored with the start of the next run: readers get the end of the dead run before that start. */
const never = new Promise<never>(() => undefined);
const slow = tool({ name: "slow", description: "Slow.", execute: () => never });
const done: ScriptedTurn = { text: "Done." };

/** Where a process dies: what its model does, and the last event before that. */
const deaths: Readonly<Record<string, { readonly turn: ScriptedTurn; readonly last: AgentEvent["type"] }>> = {
  "before the model responds": { turn: { ...done, delay: 60_000 }, last: "model_start" },
  "in the middle of a text": { turn: { text: "One two three four. ".repeat(500), pace: 20 }, last: "text_delta" },
  "in a tool": { turn: { calls: [{ name: "slow" }] }, last: "tool_call_running" },
};

/** What another process does then. */
const continuations: Readonly<Record<string, (thread: Thread, agent: ReturnType<typeof createAgent>) => unknown>> = {
  "recovers the thread": (thread) => thread.recover(),
  "recovers all threads": (_, agent) => agent.recover(),
  "gets a message": (thread) => thread.send("Next."),
  "gets a message to queue": (thread) => thread.send("Next.", { onInput: "queue" }),
  "regenerates the response": (thread) => thread.regenerate(),
  "describes the thread": (thread) => thread.describe({ title: "T" }),
  "stops the thread": (thread) => thread.stop(),
};

const stores: Readonly<Record<string, () => Store>> = { memory: memoryStore, sqlite: () => sqliteStore(":memory:") };
const cases = Object.keys(deaths).flatMap((death) => Object.keys(continuations).map((name) => [death, name] as const));

describe.each(Object.entries(stores))("on %s", (_, open) => {
  test.each(cases)(
    "a process dies %s, and the next one %s: readers get each event once, in order",
    async (death, name) => {
      const store = open();
      const { turn, last } = deaths[death] ?? { turn: done, last: "run_end" };
      const dying = createAgent({ model: scriptedModel([turn]), store, tools: [slow] }).thread("t");
      for await (const { type } of dying.send("Go.")) if (type === last) break;

      const fast = [{ ...slow, execute: () => "ran" }];
      const late = afterDeath(store);
      const agent = createAgent({ model: scriptedModel([done], { loop: true }), store: late, tools: fast });
      const thread = agent.thread("t");
      const left = new AbortController();
      const received: AgentEvent[][] = [[], [], []];
      const readers = received.map(async (events, i) => {
        const other = createAgent({ model: scriptedModel([done]), store: late }).thread("t");
        for await (const event of (i === 0 ? other : thread).events({ signal: left.signal })) events.push(event);
      });
      await until(() => received.every((events) => events.length > 0));
      await continuations[name]?.(thread, agent);
      await until(async () => (await store.load("t"))?.owner === undefined);
      const stored = await store.events("t");
      await until(() => received.every((events) => events.at(-1)?.id === String(stored.at(-1)?.seq)));
      left.abort();
      await Promise.all(readers);
      expect(received.flatMap((events) => wrongWith(events, stored))).toEqual([]);
      const runs = stored.filter(({ type }) => type === "run_start" || type === "run_end").map(({ type }) => type);
      expect(runs).toEqual(runs.map((__, i) => (i % 2 === 0 ? "run_start" : "run_end")));
      expect(runs.length).toBeGreaterThan(1);
    },
  );
});
