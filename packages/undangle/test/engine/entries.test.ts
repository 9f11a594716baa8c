import { describe, expect, test } from "vitest";

import { createAgent, image, tool } from "#engine";
import type { AgentEvent, EntryView, Thread, ThreadEntries } from "#engine";
import { subagents } from "#middleware";
import type { Model } from "#model";
import { memoryStore } from "#store";
import type { Store } from "#store";
import { scriptedModel } from "#testing";

import { delegating, playModel } from "../subagents/stage.ts";
import { promised, until } from "./promised.ts";
import { createRunStage, settleTools } from "./run-stage.ts";
import { watchedStore } from "./watched-store.ts";

/** What a page shows, in short: the number, the type and the texts. */
const short = ({ entries }: ThreadEntries) =>
  entries.map(({ entry, type, parts, retracted, queued }) =>
    [
      entry,
      type,
      ...parts.map((part) => ("text" in part ? part.text : part.type === "call" ? part.id : part.kind)),
      ...(retracted === true ? ["retracted"] : []),
      ...(queued === true ? ["queued"] : []),
    ].join(" "),
  );

async function eventsUpTo(thread: Thread, last: number, after = "0"): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  if (Number(after) >= last) return events;
  for await (const event of thread.events({ after })) {
    events.push(event);
    if (Number(event.id) >= last) break;
  }
  return events;
}

describe("entries", () => {
  test("are the messages and turns, with reasoning, media and calls", async () => {
    const model = scriptedModel([
      {
        reasoning: "Let me look.",
        text: "I will.",
        calls: [{ name: "quick", arguments: { a: 1 } }],
        usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
      },
      { text: "Done." },
    ]);
    const quick = tool({ name: "quick", description: "Quick.", execute: () => "quick result" });
    const agent = createAgent({ model, store: memoryStore(), tools: [quick], now: () => 1000 });
    const thread = agent.thread("t");
    expect(await thread.entries()).toEqual({ entries: [], before: null, lastEvent: "0" });
    await thread.send(["Look.", image("data:image/png;base64,aGk=")]).result;
    const { entries, before, lastEvent } = await thread.entries();
    expect([before, lastEvent]).toEqual([null, String((await agent.find("t"))?.lastEvent)]);
    expect(entries).toMatchObject([
      {
        entry: 0,
        type: "input",
        at: 1000,
        parts: [
          { type: "text", text: "Look." },
          { type: "media", kind: "image", url: "data:image/png;base64,aGk=" },
        ],
        calls: [],
      },
      {
        entry: 1,
        type: "turn",
        parts: [
          { type: "reasoning", text: "Let me look." },
          { type: "text", text: "I will." },
          { type: "call", id: "call_1" },
        ],
        model: "scripted",
        finish: "tool_calls",
        tokens: { inputTokens: 7, outputTokens: 3, totalTokens: 10, cachedTokens: 0 },
      },
      { entry: 2, type: "turn", parts: [{ type: "text", text: "Done." }] },
    ]);
    expect(entries[1]?.calls).toEqual(await thread.calls());
  });

  test("are read page by page, the newest first, without reading the rest of the thread", async () => {
    const ranges: number[] = [];
    const stored = memoryStore();
    const store: Store = {
      ...stored,
      entries(id, range = {}) {
        ranges.push((range.to ?? Infinity) - (range.from ?? 0));
        return stored.entries(id, range);
      },
    };
    const history = Array.from({ length: 250 }, (_, i) => ({
      role: i % 2 === 0 ? "user" : "assistant",
      content: `${i}`,
    }));
    const model = scriptedModel([{ text: "Yes." }]);
    await createAgent({ model, store: stored }).thread("t").import(history);
    const thread = createAgent({ model, store }).thread("t");
    const found: EntryView[] = [];
    let page = await thread.entries();
    expect(page.entries).toHaveLength(100);
    const sizes: number[] = [];
    for (; ; page = await thread.entries({ before: page.before, limit: 60 })) {
      sizes.push(page.entries.length);
      found.unshift(...page.entries);
      if (page.before === null) break;
    }
    expect(sizes).toEqual([100, 60, 60, 30]);
    expect(found.map(({ parts }) => parts)).toEqual(history.map(({ content }) => [{ type: "text", text: content }]));
    expect(found.map(({ entry }) => entry)).toEqual(history.map((_, i) => i + 1)); // the original is entry 0
    expect(Math.max(...ranges)).toBeLessThanOrEqual(100);
  });

  test("that regenerate replaced are marked, also on a page that ends before the retraction", async () => {
    const { thread } = createRunStage([], {}, [
      { text: "One." },
      { text: "Two." },
      { error: { status: 400, message: "Refused." } },
      { text: "Three." },
    ]);
    await thread.send("Hi.").result;
    await thread.regenerate().result;
    const all = ["0 input Hi.", "1 turn One. retracted", "3 turn Two."];
    expect(short(await thread.entries())).toEqual(all);
    expect(short(await thread.entries({ before: 2 }))).toEqual(all.slice(0, 2));
    expect(short(await thread.entries({ before: 3, limit: 1 }))).toEqual(all.slice(1, 2));
    expect((await thread.regenerate().result).status).toBe("failed"); // and the turn is restored
    expect(short(await thread.entries())).toEqual(all);
    expect(short(await thread.entries({ before: 4, limit: 1 }))).toEqual(all.slice(2));
    await thread.regenerate().result;
    expect(short(await thread.entries())).toEqual([...all.slice(0, 2), "3 turn Two. retracted", "7 turn Three."]);
    expect(short(await thread.entries({ before: 4, limit: 1 }))).toEqual(["3 turn Two. retracted"]);
    const fork = await thread.fork(3);
    expect(short(await fork.entries())).toEqual(all);
  });

  test("include messages that wait for open calls, on the newest page", async () => {
    const stage = createRunStage(["gated"]);
    const { thread } = stage;
    await thread.send("Pay.").result;
    const run = thread.send("And hurry.", { onInput: "queue" });
    await until(async () => (await thread.entries()).entries.length === 3);
    expect(short(await thread.entries())).toEqual([
      "0 input Pay.",
      "1 turn I will. call_1",
      "2 input And hurry. queued",
    ]);
    expect(short(await thread.entries({ limit: 1 }))).toEqual(["1 turn I will. call_1", "2 input And hurry. queued"]);
    expect(short(await thread.entries({ before: 2 }))).toEqual(["0 input Pay.", "1 turn I will. call_1"]);
    await thread.approveAll().result;
    await run.result;
    expect(short(await thread.entries()).slice(2)).toEqual(["2 input And hurry.", "3 turn One."]);
  });

  test("of a message that the engine wrote are marked", async () => {
    const model = scriptedModel([{ text: "One." }, { text: "Two." }]);
    let isFirst = true;
    const again = {
      name: "again",
      afterAgent() {
        const directive = isFirst ? ({ type: "again", message: "More." } as const) : undefined;
        isFirst = false;
        return directive;
      },
    };
    const thread = createAgent({ model, store: memoryStore(), middleware: [again] }).thread("t");
    await thread.send("Hi.").result;
    expect((await thread.entries()).entries.map(({ byEngine }) => byEngine)).toEqual([
      undefined,
      undefined,
      true,
      undefined,
    ]);
  });

  test.each([
    ["limit", 0],
    ["limit", 501],
    ["limit", 1.5],
    ["before", -1],
    ["before", "2"],
    ["path", "call_1"],
    ["path", ["call_1"]],
    ["after", 3],
  ])("refuse %s: %j", async (name, value) => {
    const { thread } = createRunStage([]);
    await thread.send("Hi.").result;
    const code = name === "after" ? "options/unknown" : "options/value";
    await expect(thread.entries({ [name]: value })).rejects.toMatchObject({ code });
  });

  test("of a deleted thread are refused", async () => {
    const { thread, agent } = createRunStage([]);
    await thread.send("Hi.").result;
    await agent.delete("t");
    await expect(thread.entries()).rejects.toMatchObject({ code: "thread/deleted" });
  });
});

describe("the entries of child threads", () => {
  test("are read by the path of their calls, which starts the ids of their calls", async () => {
    const look = tool({ name: "look", description: "Looks.", execute: () => "seen" });
    const model = playModel({
      go: [delegating(["plan", "planner"]), { text: "All done." }],
      plan: [{ calls: [{ name: "look" }] }, delegating("search"), { text: "Planned." }],
      search: [{ calls: [{ name: "look" }] }, { text: "Found." }],
    });
    const store = memoryStore();
    const inner = createAgent({ model, store, tools: [look], middleware: [subagents()] });
    const planner = { name: "planner", description: "Plans.", agent: inner };
    const agent = createAgent({ model, store, middleware: [subagents({ agents: [planner] })] });
    const thread = agent.thread("t");
    expect(await thread.send("go").result).toMatchObject({ status: "done" });
    expect(short(await thread.entries({ path: [] }))).toEqual(["0 input go", "1 turn call_1", "2 turn All done."]);
    const child = await thread.entries({ path: ["call_1"] });
    expect(short(child)).toEqual(["0 input plan", "1 turn call_1/call_1", "2 turn call_1/call_2", "3 turn Planned."]);
    expect(child.entries[1]?.calls).toMatchObject([{ id: "call_1/call_1", name: "look", status: "succeeded" }]);
    const grandchild = await thread.entries({ path: ["call_1", "call_2"] });
    expect(short(grandchild)).toEqual(["0 input search", "1 turn call_1/call_2/call_1", "2 turn Found."]);
    expect(grandchild.lastEvent).toBe(String((await store.load("t/call_1/call_2"))?.lastEvent));
    await expect(thread.entries({ path: ["call_1", "call_1"] })).rejects.toMatchObject({ code: "options/value" });
  });
});

describe("the last event of a page", () => {
  test("precedes everything that the page lacks, and follows everything that it contains, after every commit", async () => {
    const pages: ThreadEntries[] = [];
    const store = watchedStore(memoryStore(), { after: async () => void pages.push(await reader.entries()) });
    const script = [
      { text: "I will.", calls: [{ name: "gated" }, { name: "quick" }, { name: "slow" }] },
      { text: "Once more.", calls: [{ name: "quick" }] },
      { text: "Done." },
    ];
    const stage = createRunStage([], { store }, script);
    const reader = createAgent({ model: stage.model, store }).thread("t"); // of another process
    const { thread } = stage;
    const run = thread.send("Go.");
    await settleTools({ ...stage, store }, ["gated", "quick", "slow"]);
    stage.slow.resolve("slow result");
    await run.result;
    await thread.approveAll().result;
    const last = Number((await store.load("t"))?.lastEvent);
    expect(pages.length).toBeGreaterThan(6);
    for (const page of pages) {
      const later = await eventsUpTo(thread, last, page.lastEvent);
      const turnsToCome = later.flatMap(({ type, data }) => (type === "model_end" ? [data.entry] : []));
      const endsToCome = later.flatMap(({ type, data }) => (type === "tool_call_end" ? [data.id] : []));
      const turns = page.entries.filter(({ type }) => type === "turn");
      expect([...turns.map(({ entry }) => entry), ...turnsToCome]).toEqual([1, 2, 3]);
      const calls = turns.flatMap((turn) => turn.calls);
      for (const { id, result } of calls) expect(endsToCome.includes(id)).toBe(result === undefined);
    }
  });

  test("precedes a response that is not complete, although a part of it is stored", async () => {
    const more = promised();
    const scripted = scriptedModel([{ text: "One, two." }]);
    const model: Model = {
      name: "halting",
      stream(request) {
        const stream = scripted.stream(request);
        return {
          async *[Symbol.asyncIterator]() {
            for await (const part of stream) {
              yield part;
              if (part.type === "text-delta") await more.promise;
            }
          },
          turn: () => stream.turn(),
        };
      },
    };
    const store = memoryStore();
    const thread = createAgent({ model, store }).thread("t");
    const run = thread.send("Count.");
    for await (const event of run) if (event.type === "text_delta") break;
    await thread.describe({ title: "Saves what was streamed" });
    const stored = await store.events("t");
    expect(stored.map(({ type }) => type)).toEqual(["run_start", "model_start", "text_delta"]);
    const { lastEvent, entries } = await thread.entries();
    expect([lastEvent, entries.length]).toEqual(["1", 1]);
    more.resolve(undefined);
    await run.result;
    expect((await thread.entries()).lastEvent).toBe(String((await store.load("t"))?.lastEvent));
  });
});
