import { createAgent, tool } from "#engine";
import type { AgentEvent } from "#engine";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";

import { eventsOf } from "./recorded.ts";

const tools = [
  tool({ name: "gated", description: "Gated.", approval: true, execute: () => "gated result" }),
  tool({ name: "quick", description: "Quick.", execute: () => "quick result" }),
  tool({ name: "boom", description: "Throws.", execute: () => Promise.reject(new Error("boom")) }),
];

/** Events in few words; pieces of a text as one. */
function short(events: readonly AgentEvent[]): readonly string[] {
  const words = events.map(({ type, data }) => ("id" in data ? `${type} ${data.id}` : type));
  return words.filter((word, i) => !(word.includes("_delta") && word === words[i - 1]));
}

describe("the events of a run", () => {
  test("tell everything, in the order in which it happens", async () => {
    const calls = ["gated", "quick", "boom", "none"].map((name) => ({ name }));
    const model = scriptedModel([
      { text: "I will do that.", reasoning: "Let me think about it.", calls },
      { text: "Done.", usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 } },
    ]);
    const thread = createAgent({ model, tools }).thread("t");
    const first = thread.send("Go.");
    expect(await first.result).toMatchObject({ status: "waiting", text: "I will do that." });
    const told = short(await eventsOf(first));
    expect(told.slice(0, 4)).toEqual(["run_start", "model_start", "reasoning_delta", "text_delta"]);
    const place = (word: string): number => told.indexOf(word);
    expect(place("model_end")).toBeGreaterThan(place("tool_call_start call_1"));
    expect(place("approval_required call_1")).toBeGreaterThan(place("tool_call_ready call_1"));
    expect(place("tool_call_running call_2")).toBeGreaterThan(place("tool_call_ready call_2"));
    expect(place("tool_call_end call_2")).toBeGreaterThan(place("tool_call_running call_2"));
    expect(place("tool_call_end call_4")).toBeGreaterThan(place("model_end"));
    expect(told).not.toContain("tool_call_running call_1");
    expect(told).not.toContain("tool_call_running call_4");
    expect(told.at(-1)).toBe("run_end");
    const second = thread.approveAll();
    expect(await second.result).toMatchObject({
      status: "done",
      usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7, cachedTokens: 0 },
    });
    expect(short(await eventsOf(second))).toEqual([
      "run_start",
      "tool_call_running call_1",
      "tool_call_end call_1",
      "model_start",
      "text_delta",
      "model_end",
      "run_end",
    ]);
  });

  test("the end of a call carries its name, its status, and what came of it", async () => {
    const calls = ["gated", "quick", "boom", "none"].map((name) => ({ name }));
    const model = scriptedModel([{ calls }, { text: "Done." }]);
    const thread = createAgent({ model, tools, now: () => 5 }).thread("t");
    const first = thread.send("Go.");
    await first.result;
    const second = thread.rejectAll("no");
    await second.result;
    const events = [...(await eventsOf(first)), ...(await eventsOf(second))];
    const ends = events.filter(({ type }) => type === "tool_call_end").map(({ data }) => data);
    expect(new Map(ends.map((end) => ["name" in end ? end.name : "", end]))).toEqual(
      new Map<string, unknown>([
        [
          "none",
          {
            id: "call_4",
            name: "none",
            success: false,
            status: "failed",
            error: "none is not a valid tool, try one of [gated, quick, boom].",
            endedAt: 5,
          },
        ],
        [
          "quick",
          { id: "call_2", name: "quick", success: true, status: "succeeded", result: "quick result", endedAt: 5 },
        ],
        ["boom", { id: "call_3", name: "boom", success: false, status: "failed", error: "boom", endedAt: 5 }],
        [
          "gated",
          {
            id: "call_1",
            name: "gated",
            success: false,
            status: "rejected",
            error: "The user rejected this operation",
            userRejected: true,
            decision: { type: "reject", at: 5, reason: "no" },
            endedAt: 5,
          },
        ],
      ]),
    );
  });

  test("a reader who comes back goes on where it was", async () => {
    const model = scriptedModel([{ text: "abcdefghij".repeat(10), calls: [{ name: "quick" }] }, { text: "Done." }]);
    const thread = createAgent({ model, tools }).thread("t");
    await thread.send("Go.").result;
    const read = async (after: string | number): Promise<readonly AgentEvent[]> => {
      const controller = new AbortController();
      const events: AgentEvent[] = [];
      for await (const event of thread.events({ after, signal: controller.signal })) {
        events.push(event);
        if (event.type === "run_end") controller.abort();
      }
      return events;
    };
    const all = await read(0);
    for (const [i, { id }] of all.slice(0, -1).entries()) expect(await read(id)).toEqual(all.slice(i + 1));
  });

  test("a reader who was cut off anywhere, also in the middle of a text, goes on there: nothing is missing or told twice", async () => {
    const text = "abcdefghij".repeat(10);
    const store = memoryStore();
    const model = scriptedModel([{ text, reasoning: "Hm, hm, hm, hm.", calls: [{ name: "quick" }] }, { text }]);
    const thread = createAgent({ model, store, tools }).thread("t");
    const run = thread.send("Go.");
    await run.result;
    const live = await eventsOf(run);
    const stored = await store.events("t");
    expect(stored.filter(({ type }) => type === "text_delta").map(({ data }) => data)).toEqual([{ text }, { text }]);
    const wrong: string[] = [];
    for (const [i, { id }] of live.slice(0, -1).entries()) {
      const rest: AgentEvent[] = [];
      for await (const event of thread.events({ after: id })) {
        rest.push(event);
        if (event.type === "run_end") break;
      }
      if (JSON.stringify(told(rest)) !== JSON.stringify(told(live.slice(i + 1)))) wrong.push(`after ${id}`);
    }
    expect(wrong).toEqual([]);
  });
});

/** What events say; the pieces of one text as one. */
function told(events: readonly AgentEvent[]): readonly unknown[] {
  const whole: { type: string; data: unknown }[] = [];
  for (const { type, data } of events) {
    const last = whole.at(-1);
    if ("text" in data && last?.type === type) last.data = { ...data, text: textOf(last.data) + data.text };
    else whole.push({ type, data });
  }
  return whole;
}

const textOf = (data: unknown): string => (data as { readonly text: string }).text; // of a piece
