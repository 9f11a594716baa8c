import { createAgent, tool } from "#engine";
import type { AgentEvent, Thread } from "#engine";
import { memoryStore } from "#store";
import { scriptedModel } from "undangle/testing";
import { describe, expect, test } from "vitest";

const text = Array.from({ length: 60 }, (_, i) => `word ${i} `).join("");

/** Reads a run with so many events at a time, going on behind the last one that it saw. */
async function readInBits(thread: Thread, size: number): Promise<readonly AgentEvent[]> {
  const all: AgentEvent[] = [];
  for (;;) {
    const after = all.at(-1)?.id ?? 0;
    let left = size;
    for await (const event of thread.events({ after })) {
      all.push(event);
      if (event.type === "run_end") return all;
      if (--left === 0) break;
    }
  }
}

const spoken = (events: readonly AgentEvent[]): string =>
  events.map((event) => (event.type === "text_delta" ? event.data.text : "")).join("");

describe("a reader that is cut off again and again", () => {
  test.each([1, 2, 3, 7])("hears every word once, %i events at a time, in the same process", async (size) => {
    const agent = createAgent({ model: scriptedModel([{ text, pace: 1 }]) });
    const thread = agent.thread("t");
    const run = thread.send("Go.");
    expect(spoken(await readInBits(thread, size))).toBe(text);
    await run.result;
  });

  test("hears every word once, beside the process that speaks", async () => {
    const store = memoryStore();
    const speaking = createAgent({ model: scriptedModel([{ text, pace: 1 }]), store });
    const thread = speaking.thread("t");
    const run = thread.send("Go.");
    const first: AgentEvent[] = [];
    for await (const event of thread.events()) {
      first.push(event);
      if (spoken(first).length > 40) break;
    }
    const other = createAgent({ model: scriptedModel([]), store }).thread("t");
    const rest: AgentEvent[] = [];
    for await (const event of other.events({ after: first.at(-1)?.id ?? 0 })) {
      rest.push(event);
      if (event.type === "run_end") break;
    }
    expect(spoken([...first, ...rest])).toBe(text);
    await run.result;
  });

  test("misses nothing behind the progress of a tool", async () => {
    const quick = tool({ name: "quick", description: "Quick.", execute: () => "quick" });
    const slow = tool({
      name: "slow",
      description: "Slow.",
      async execute(_: unknown, context) {
        for (let step = 0; step < 20; step++) {
          context.progress(step);
          await Promise.resolve();
        }
        return "slow";
      },
    });
    const model = scriptedModel([{ calls: [{ name: "quick" }, { name: "slow" }] }, { text: "Done." }]);
    const thread = createAgent({ model, tools: [quick, slow] }).thread("t");
    const run = thread.send("Go.");
    const events = await readInBits(thread, 1);
    await run.result;
    expect(events.filter(({ type }) => type === "tool_call_end")).toHaveLength(2);
  });
});
