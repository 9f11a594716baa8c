import { createAgent, image, tool } from "#engine";
import type { AgentEvent, Thread } from "#engine";
import { memoryStore } from "#store";
import type { Store } from "#store";
import { scriptedModel } from "#testing";
import { expect, test } from "vitest";

import { sqliteStore } from "../../src/store/sqlite.ts";
import { callsOf, eventsOf } from "../engine/recorded.ts";

const long = "A line of a long result.\n".repeat(10_000);
const picture = image(new Uint8Array(150_000).fill(7), "image/png");

const results: Readonly<Record<string, () => unknown>> = {
  text: () => long,
  JSON: () => ({ rows: Array.from({ length: 5000 }, (_, i) => ({ i, name: "a name of some length" })) }),
  image: () => picture,
  error: () => Promise.reject(new Error(long)),
};

const stores: Readonly<Record<string, () => Store>> = { memory: memoryStore, sqlite: () => sqliteStore(":memory:") };

const cases = Object.keys(stores).flatMap((store) => Object.keys(results).map((kind) => [kind, store] as const));

test.each(cases)(
  "a long result (%s) is stored with its call only, and readers get all of it (%s)",
  async (kind, name) => {
    const store = stores[name]?.() ?? memoryStore();
    const execute = results[kind] ?? (() => long);
    const tools = [
      tool({ name: "long", description: "Long.", approval: true, execute }),
      tool({ name: "short", description: "Short.", execute: () => "short" }),
    ];
    const model = scriptedModel([{ calls: [{ name: "long" }, { name: "short" }] }, { text: "Done." }]);
    const thread = createAgent({ model, tools, store }).thread("t");
    await thread.send("Go.").result;
    const run = thread.approveAll({ by: "ann" });
    await run.result;
    const live = (await eventsOf(run)).find(({ type }) => type === "tool_call_end");
    const [, read] = await readTwoRuns(thread);
    expect(read).toEqual(live);
    expect(live?.data).toMatchObject({ id: "call_1", decision: { type: "approve", by: "ann" } });
    expect(JSON.stringify(live).length).toBeGreaterThan(100_000);
    const other = createAgent({ model: scriptedModel([]), store }).thread("t");
    expect((await readTwoRuns(other))[1]).toEqual(live);
    const stored = JSON.stringify(await store.events("t")).length;
    expect(stored).toBeLessThan(10_000);
    expect(JSON.stringify(await callsOf(store, "t")).length).toBeGreaterThan(100_000);
    await store.close();
  },
);

/** The ends of calls, of two runs. */
async function readTwoRuns(thread: Thread): Promise<readonly AgentEvent[]> {
  const found: AgentEvent[] = [];
  let runs = 0;
  for await (const event of thread.events()) {
    if (event.type === "tool_call_end") found.push(event);
    if (event.type === "run_end" && ++runs === 2) break;
  }
  return found;
}
