import { createAgent, tool } from "#engine";
import type { AgentEvent, AgentOptions, Middleware, Thread } from "#engine";
import { memoryStore } from "#store";
import type { Store } from "#store";
import { scriptedModel } from "#testing";
import type { ScriptedTurn } from "#testing";
import { describe, expect, test } from "vitest";

import { sqliteStore } from "../../src/store/sqlite.ts";
import { afterDeath } from "../engine/after-death.ts";
import { until } from "../engine/promised.ts";
import { eventsOf } from "../engine/recorded.ts";
import { wrongWith } from "../engine/received-events.ts";

/**
 * `model_end` and `tool_call_end` were emitted when they were saved, and the `model_start` after them at once, under a higher id:
 * a live reader dropped the former, and one that resumed after the latter never got them.
 */
interface Case {
  readonly turns: readonly ScriptedTurn[];
  readonly options?: Partial<AgentOptions>;
}

const strict = tool({
  name: "strict",
  description: "Strict.",
  input: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
  execute: () => "done",
});
const done: ScriptedTurn = { text: "One two three four." };
const calling = (call: NonNullable<ScriptedTurn["calls"]>[number]): Case => ({
  turns: [{ text: "Let me see.", calls: [call] }, done],
});
const once = (hook: "afterModel" | "afterAgent"): Middleware => {
  let left = 1;
  return { name: "again", [hook]: () => (left-- > 0 ? { type: "again", message: "Again." } : undefined) };
};
const output = { type: "object", properties: { total: { type: "integer" } }, required: ["total"] } as const;
const answer = (total: unknown): ScriptedTurn => ({ calls: [{ name: "final_answer", arguments: { total } }] });

const cases: Readonly<Record<string, Case>> = {
  "an unknown tool": calling({ name: "none" }),
  "no name of a tool": calling({ name: " " }),
  "arguments that do not fit": calling({ name: "strict", arguments: { n: "one" } }),
  "truncated arguments": calling({ name: "strict", raw: '{"n":' }),
  "malformed arguments": calling({ name: "strict", raw: "{n: 1}" }),
  "unknown tools in two turns": {
    turns: [{ calls: [{ name: "a" }] }, { calls: [{ name: "b" }, { name: "c" }] }, done],
  },
  "a truncated stream": {
    turns: [{ ...done, calls: [{ name: "strict", arguments: { n: 1 } }], finish: "length" }, done],
  },
  "again of afterModel": { turns: [done, done], options: { middleware: [once("afterModel")] } },
  "again of afterModel with an open call": {
    turns: [{ calls: [{ name: "strict", arguments: { n: 1 } }] }, done],
    options: { middleware: [once("afterModel")] },
  },
  "again of afterAgent": { turns: [done, done], options: { middleware: [once("afterAgent")] } },
  "a reminder of the output": { turns: [done, answer(3)], options: { output } },
  "an unfit final answer": { turns: [answer("three"), answer(3)], options: { output } },
  "the end of a run by a hook": {
    turns: [{ calls: [{ name: "none" }] }],
    options: { middleware: [{ name: "end", afterModel: () => ({ type: "end", text: "That is all." }) }] },
  },
};

/** Reads up to the end of a run, `size` events at a time. */
async function read(thread: Thread, after = "0", size = Infinity): Promise<readonly AgentEvent[]> {
  const all: AgentEvent[] = [];
  for (;;) {
    let left = size;
    for await (const event of thread.events({ after: all.at(-1)?.id ?? after })) {
      all.push(event);
      if (event.type === "run_end") return all;
      if (--left === 0) break;
    }
  }
}

const stores: Readonly<Record<string, () => Store>> = { memory: memoryStore, sqlite: () => sqliteStore(":memory:") };

describe.each(Object.entries(stores))("on %s", (_, open) => {
  test.each(Object.entries(cases))("readers get every event once and in order: %s", async (_name, given) => {
    const store = open();
    const model = scriptedModel(given.turns.map((turn) => ({ ...turn, pace: 1 })));
    const thread = createAgent({ model, tools: [strict], store, ...given.options }).thread("t");
    const reading = [read(thread), read(thread, "0", 1), read(thread, "0", 3)];
    const run = thread.send("Go.");
    const live = await eventsOf(run);
    expect((await run.result).status).toBe("done");
    const stored = await store.events("t");
    expect(stored.filter(({ type }) => type === "model_end").length).toBeGreaterThan(0);
    const wrong = [live, await eventsOf(run), ...(await Promise.all(reading))].flatMap((each) =>
      wrongWith(each, stored),
    );
    for (const { id } of live.slice(0, -1)) wrong.push(...wrongWith(await read(thread, id), stored, id));
    expect(wrong).toEqual([]);
  });
});

/** Reads until the loop is left, and judges what was received. */
function follow(thread: Thread): { readonly end: (store: Store) => Promise<readonly AgentEvent[]> } {
  const received: AgentEvent[] = [];
  const left = new AbortController();
  const reading = (async () => {
    for await (const event of thread.events({ signal: left.signal })) received.push(event);
  })();
  return {
    async end(store) {
      const { lastEvent } = (await store.load("t")) ?? {};
      await until(() => received.at(-1)?.id === String(lastEvent));
      left.abort();
      await reading;
      return received;
    },
  };
}

test("a reader gets what another process did between two runs of its own", async () => {
  const store = memoryStore();
  const [own, other] = [0, 1].map(() =>
    createAgent({ model: scriptedModel([done], { loop: true }), store }).thread("t"),
  );
  if (own === undefined || other === undefined) throw new Error("There are two.");
  await own.send("One.").result;
  const received: AgentEvent[] = [];
  for await (const event of own.events()) {
    received.push(event);
    const { length } = received.filter(({ type }) => type === "run_end");
    if (length === 3) break;
    if (length !== 1 || event.type !== "run_end") continue;
    await other.send("Two.").result;
    await own.send("Three.").result; // the reader has not looked since the first run
  }
  expect(wrongWith(received, await store.events("t"))).toEqual([]);
});

test("a reader gets what took the place of events that its process could not save", async () => {
  const shared = memoryStore();
  const own = createAgent({ model: scriptedModel([{ ...done, pace: 5 }]), store: shared }).thread("t");
  const reader = follow(own);
  const run = own.send("One.");
  for await (const { type } of run) if (type === "text_delta") break;
  const other = createAgent({ model: scriptedModel([done]), store: afterDeath(shared) }).thread("t");
  await other.send("Two.").result; // for it, the process that runs the thread is dead
  expect(await run.result).toMatchObject({ status: "failed", error: { code: "store/conflict" } });
  const received = await reader.end(shared);
  const from = received.findIndex(({ type }) => type === "model_discarded");
  const [first] = received.slice(from);
  expect(wrongWith(received.slice(from), await shared.events("t"), String(Number(first?.id) - 1))).toEqual([]);
  expect(received[from - 1]?.id).toMatch(/^3:/u); // which are none of those that are stored under that number
});
