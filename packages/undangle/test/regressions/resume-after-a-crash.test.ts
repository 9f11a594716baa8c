import { createAgent, tool } from "#engine";
import type { AgentEvent, Run, Thread } from "#engine";
import { memoryStore } from "#store";
import type { Store } from "#store";
import { scriptedModel } from "#testing";
import type { ScriptedTurn } from "#testing";
import { describe, expect, test } from "vitest";

import { sqliteStore } from "../../src/store/sqlite.ts";
import { afterDeath } from "../engine/after-death.ts";
import { until } from "../engine/promised.ts";
import { eventsOf } from "../engine/recorded.ts";
import { placeOf, wrongWith } from "../engine/received-events.ts";

/**
 * A process emits live events before it saves them. When it dies, other events get their numbers: a reader that resumes after one
 * of them gets the events that settle the crash.
 */
const never = new Promise<never>(() => undefined);
const slow = tool({ name: "slow", description: "Slow.", execute: () => never });
const done: ScriptedTurn = { text: "Done.", reasoning: "Well.", calls: [{ name: "none" }] };
const words = "One two three four. ".repeat(500);

/** Where a process dies: what its model does, and the last event before that. */
const deaths: Readonly<Record<string, { readonly turn: ScriptedTurn; readonly last: AgentEvent["type"] }>> = {
  "before the model responds": { turn: { ...done, delay: 60_000 }, last: "model_start" },
  "in the middle of a text": { turn: { reasoning: "Hm.", text: words, pace: 20 }, last: "text_delta" },
  "in the arguments of a call": {
    turn: { reasoning: "Hm.", text: "Yes.", calls: [{ name: "slow", arguments: { words } }], pace: 20 },
    last: "tool_call_delta",
  },
  "in a tool": { turn: { text: "Yes.", calls: [{ name: "slow" }] }, last: "tool_call_running" },
};

/** What another process does then. */
const continuations: Readonly<Record<string, (thread: Thread) => Run | Promise<Run | undefined | void>>> = {
  "recovers the thread": (thread) => thread.recover(),
  "gets a message": (thread) => thread.send("Next."),
  "regenerates the response": (thread) => thread.regenerate(),
  "stops the thread": (thread) => thread.stop(),
};

const stores: Readonly<Record<string, () => Store>> = { memory: memoryStore, sqlite: () => sqliteStore(":memory:") };
const cases = Object.keys(deaths).flatMap((death) => Object.keys(continuations).map((name) => [death, name] as const));

interface Reader {
  /** The last event that it has and that is stored. */
  readonly after: string;
  readonly received: AgentEvent[];
}

describe.each(Object.entries(stores))("on %s", (_, open) => {
  test.each(cases)("a process dies %s, and the next one %s", async (death, name) => {
    const store = open();
    const { turn, last } = deaths[death] ?? { turn: done, last: "run_end" };
    const dying = createAgent({ model: scriptedModel([turn]), store, tools: [slow] }).thread("t");
    const ids = ["0"];
    for await (const { id, type } of dying.send("Go.")) {
      ids.push(id);
      if (type === last) break;
    }
    const { lastEvent: saved } = (await store.load("t")) ?? { lastEvent: 0 };

    const late = afterDeath(store);
    const model = (): ReturnType<typeof scriptedModel> => scriptedModel([done, { text: "Done." }], { loop: true });
    const agents = [0, 1].map(() =>
      createAgent({ model: model(), store: late, tools: [{ ...slow, execute: () => 1 }] }),
    );
    const [here, elsewhere] = agents.map((agent) => agent.thread("t"));
    if (here === undefined || elsewhere === undefined) throw new Error("There are two.");
    const left = new AbortController();
    const readers: Promise<void>[] = [];
    const resumed = (): readonly Reader[] =>
      [here, elsewhere].flatMap((thread) =>
        ids.map((id) => {
          const received: AgentEvent[] = [];
          const read = async (): Promise<void> => {
            for await (const event of thread.events({ after: id, signal: left.signal })) received.push(event);
          };
          readers.push(read());
          return { received, after: placeOf(id).number > saved ? String(saved) : id };
        }),
      );
    const early = resumed();
    const run = await continuations[name]?.(here);
    await until(async () => (await store.load("t"))?.owner === undefined);
    const all = [...early, ...resumed()];
    const stored = await store.events("t");
    const end = String(stored.at(-1)?.seq);
    await until(() => all.every(({ received, after }) => (received.at(-1)?.id ?? after) === end)).catch(
      () => undefined,
    ); // named below
    left.abort();
    await Promise.all(readers);
    expect(all.flatMap(({ received, after }) => wrongWith(received, stored, after))).toEqual([]);
    if (run === undefined) return;
    const [first, ...rest] = await eventsOf(run);
    expect(first).toMatchObject({ type: "run_start", data: { runId: run.id } });
    expect(rest.filter(({ type }) => type === "run_end")).toHaveLength(1);
  });
});

test("what expired before a run is part of that run", async () => {
  let now = 1000;
  const pay = tool({ name: "pay", description: "Pays.", execute: () => "paid" });
  const model = scriptedModel([{ calls: [{ name: "pay" }] }, { text: "Late." }]);
  const agent = createAgent({
    model,
    tools: [pay],
    approvals: [{ tools: "pay", expiresAfter: 60_000 }],
    now: () => now,
  });
  const thread = agent.thread("t");
  await thread.send("Pay.").result;
  now += 60_000;
  const types = (await eventsOf(thread.send("Well?"))).map(({ type }) => type);
  expect(types.slice(0, 3)).toEqual(["run_start", "tool_call_end", "model_start"]);
});
