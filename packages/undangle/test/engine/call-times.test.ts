import { expect, test } from "vitest";

import { createAgent, tool } from "#engine";
import type { AgentEvent, CallView, Thread } from "#engine";
import { subagents } from "#middleware";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";

import { mortalAgent } from "../subagents/processes.ts";
import { delegating, playModel } from "../subagents/stage.ts";

/** A clock that a test moves. */
function clock(): { now: () => number; advance: (ms: number) => void } {
  let at = 1000;
  return { now: () => at, advance: (ms) => void (at += ms) };
}

const timesOf = (calls: readonly CallView[]) =>
  calls.map(({ name, startedAt, endedAt }) => [name, startedAt, endedAt].join(" "));

/** What a page knows of the times of calls that only reads events. */
async function timesInEvents(thread: Thread, last: number): Promise<ReadonlyMap<string, readonly unknown[]>> {
  const times = new Map<string, readonly unknown[]>();
  const note = ({ type, data }: AgentEvent): void => {
    if (type === "tool_call_running") times.set(data.id, [data.startedAt, undefined]);
    if (type === "tool_call_end") times.set(data.id, [times.get(data.id)?.[0], data.endedAt]);
  };
  for await (const event of thread.events()) {
    note(event);
    if (Number(event.id) >= last) break;
  }
  return times;
}

test("calls have the times of their first start and of their end, in views and events", async () => {
  const { now, advance } = clock();
  let attempts = 0;
  const tools = [
    tool({
      name: "flaky",
      description: "Fails once.",
      retries: { times: 1, delay: 0 },
      execute() {
        advance(10);
        if (attempts++ === 0) throw new Error("Not yet.");
        return "done";
      },
    }),
    tool({ name: "gated", description: "Waits.", approval: true, execute: () => advance(5) }),
    tool({ name: "refused", description: "Waits.", approval: true, execute: () => "never" }),
  ];
  const names = ["flaky", "gated", "refused", "unknown"];
  const model = scriptedModel([{ calls: names.map((name) => ({ name })) }, { text: "Done." }]);
  const store = memoryStore();
  const thread = createAgent({ model, tools, store, now }).thread("t");
  await thread.send("Go.").result;
  expect(timesOf(await thread.calls())).toEqual(["flaky 1000 1020", "gated  ", "refused  ", "unknown  1000"]);
  advance(1000);
  await thread.decide({ call_2: { type: "approve" }, call_3: { type: "reject" } }).result;
  const calls = await thread.calls();
  expect(timesOf(calls)).toEqual(["flaky 1000 1020", "gated 2020 2025", "refused  2020", "unknown  1000"]);
  const events = await timesInEvents(thread, Number((await store.load("t"))?.lastEvent));
  for (const { id, startedAt, endedAt } of calls) expect(events.get(id)).toEqual([startedAt, endedAt]);
  expect(timesOf(await (await thread.fork()).calls())).toEqual(timesOf(calls));
});

test("a call of an agent lasts from its first start to its end, with the waits of its child thread", async () => {
  const { now, advance } = clock();
  const gated = tool({ name: "gated", description: "Waits.", approval: true, execute: () => advance(5) });
  const model = playModel({
    go: [delegating("look"), { text: "All done." }],
    look: [{ calls: [{ name: "gated" }] }, { text: "Seen." }],
  });
  const agent = createAgent({ model, tools: [gated], middleware: [subagents()], store: memoryStore(), now });
  const thread = agent.thread("t");
  await thread.send("go").result;
  expect(timesOf(await thread.calls())).toEqual(["task 1000 "]);
  advance(500);
  await thread.approveAll().result;
  expect(timesOf(await thread.calls())).toEqual(["task 1000 1505"]);
  expect(timesOf((await thread.entries({ path: ["call_1"] })).entries.flatMap(({ calls }) => calls))).toEqual([
    "gated 1500 1505",
  ]);
});

test("a call that a crash interrupted has no end, and one that starts again keeps its first start", async () => {
  const { now, advance } = clock();
  const store = memoryStore();
  const started = Promise.withResolvers<void>();
  const options = (isFirst: boolean) => ({
    model: playModel({ Go: [{ calls: [{ name: "once" }, { name: "again" }] }, { text: "Done." }] }),
    tools: ["once", "again"].map((name) =>
      tool({
        name,
        description: "",
        idempotent: name === "again",
        execute() {
          if (name === "again") started.resolve();
          return isFirst ? new Promise(() => undefined) : "done";
        },
      }),
    ),
    store,
    now,
  });
  const first = mortalAgent(options(true));
  void first.agent.thread("t").send("Go");
  await started.promise;
  first.die();
  advance(60_000);
  const { agent } = mortalAgent(options(false));
  const run = await agent.thread("t").recover();
  await run?.result;
  expect(timesOf(await agent.thread("t").calls())).toEqual(["once 1000 ", "again 1000 61000"]);
});
