import { createAgent, tool } from "#engine";
import type { AgentEvent, Thread } from "#engine";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";

import { eventsOf } from "./recorded.ts";
import { createRunStage } from "./run-stage.ts";

const pay = tool({
  name: "pay",
  description: "Pays.",
  input: { type: "object", properties: { card: { type: "string" } } },
  approval: true,
  execute: () => "paid",
});
const script = [{ calls: [{ name: "pay", arguments: { card: "1234" } }] }, { text: "Done." }];

/** The first events behind a place, up to the end of a run. */
async function readUntilEnd(thread: Thread, after?: string | number): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of thread.events({ after })) {
    events.push(event);
    if (event.type === "run_end") break;
  }
  return events;
}

describe("a reader of events", () => {
  test("hears what another process does, also behind a run of its own", async () => {
    const store = memoryStore();
    const [own, other] = ["One.", "Two."].map((text) => createAgent({ model: scriptedModel([{ text }]), store }));
    const left = new AbortController();
    const texts: string[] = [];
    const reading = (async () => {
      for await (const { type, data } of own?.thread("t").events({ signal: left.signal }) ?? []) {
        if (type === "text_delta") texts.push(data.text);
        if (texts.includes("Two.")) break;
      }
    })();
    await own?.thread("t").send("One?").result;
    await other?.thread("t").send("Two?").result;
    await reading;
    expect(texts).toEqual(["One.", "Two."]);
    left.abort();
  });

  test("may change what they get: neither the store nor other readers see it", async () => {
    const store = memoryStore();
    const thread = createAgent({ model: scriptedModel(script), tools: [pay], store }).thread("t");
    const run = thread.send("Go.");
    const mask = async (events: AsyncIterable<AgentEvent>): Promise<void> => {
      for await (const { type, data } of events) {
        if (type === "tool_call_ready") Object.assign(data.arguments as object, { card: "***" }); // it has such
        if (type === "run_end") break;
      }
    };
    await Promise.all([mask(run), mask(thread.events())]);
    await mask(thread.events());
    const shown = (events: readonly { readonly type: string; readonly data: unknown }[]): readonly unknown[] =>
      events.flatMap(({ type, data }) => (type === "tool_call_ready" ? [data] : []));
    const whole = [{ id: "call_1", name: "pay", arguments: { card: "1234" } }];
    expect(shown(await eventsOf(run))).toEqual(whole);
    expect(shown(await readUntilEnd(thread))).toEqual(whole);
    expect(shown(await store.events("t"))).toEqual(whole);
  });

  test.each(["abc", "1:", "-1", "", "1.5", NaN, -1, 1.5, {}, null, "9".repeat(40)])(
    "is refused at a place that is none: %j",
    (after) => {
      const thread = createAgent({ model: scriptedModel([]) }).thread("t");
      expect(() => thread.events({ after: after as string })).toThrow(/not a value of the option after/u); // or anything else
    },
  );

  test("is refused with an option that does not exist", () => {
    const thread = createAgent({ model: scriptedModel([]) }).thread("t");
    expect(() => thread.events({ afer: 3 } as object)).toThrow(/Unknown option "afer".*after, signal/u);
  });

  test("at a place beyond the last event hears what comes from now on", async () => {
    const agent = createAgent({ model: scriptedModel([{ text: "Yes." }], { loop: true }) });
    const thread = agent.thread("t");
    await thread.send("Go.").result;
    for (const after of [1e9, "7000:3"]) {
      const reading = readUntilEnd(thread, after);
      await thread.send("And?").result;
      expect((await reading)[0]?.type).toBe("run_start");
    }
  });

  test("of a thread that is not there yet hears it from its beginning, whatever place it had in another", async () => {
    const thread = createAgent({ model: scriptedModel([{ text: "Hello." }]) }).thread("t");
    const reading = readUntilEnd(thread, "57");
    await new Promise((resolve) => setTimeout(resolve, 20));
    await thread.send("Go.").result;
    expect((await reading).map(({ type }) => type)).toEqual([
      "run_start",
      "model_start",
      "text_delta",
      "model_end",
      "run_end",
    ]);
  });
});

describe("a run that could not begin", () => {
  const cases: Readonly<Record<string, (thread: Thread) => AsyncIterable<AgentEvent>>> = {
    "input/value": (thread) => thread.send(""),
    "decision/none": (thread) => thread.approveAll(),
    "decision/refused": (thread) => thread.decide({ call_9: { type: "approve" } }),
  };

  test.each(Object.entries(cases))("has an end with its error: %s", async (code, begin) => {
    const thread = createAgent({ model: scriptedModel([]) }).thread("t");
    const events: AgentEvent[] = [];
    for await (const event of begin(thread)) events.push(event);
    expect(events).toMatchObject([
      { type: "run_end", data: { status: "failed", error: { code: code === "input/value" ? "options/value" : code } } },
    ]);
  });

  test("because it was stopped before has an end, and nothing of it is in the thread", async () => {
    const thread = createAgent({ model: scriptedModel([]) }).thread("t");
    const run = thread.send("Go.", { signal: AbortSignal.abort() });
    expect(await eventsOf(run)).toMatchObject([{ type: "run_end", data: { runId: run.id, status: "stopped" } }]);
    expect(await eventsOf(run)).toHaveLength(1);
  });

  test("because it waits behind calls that a person has to decide about has an end", async () => {
    const thread = createAgent({ model: scriptedModel(script), tools: [pay] }).thread("t");
    await thread.send("Go.").result;
    const queued = thread.send("And then?", { onInput: "queue" });
    expect(await eventsOf(queued)).toMatchObject([{ type: "run_end", data: { runId: queued.id, status: "waiting" } }]);
  });

  test("because it was taken back while it waited for another has an end, and the other goes on", async () => {
    const { thread, slow } = createRunStage(["slow"]);
    const first = thread.send("Go.");
    const queued = thread.send("And then?", { onInput: "queue" });
    const reading = eventsOf(queued);
    expect((await queued.stop()).status).toBe("stopped");
    expect((await reading).at(-1)).toMatchObject({ type: "run_end", data: { runId: queued.id, status: "stopped" } });
    slow.resolve("ok");
    expect((await first.result).status).toBe("done");
  });
});
