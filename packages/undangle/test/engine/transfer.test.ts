import { formats } from "#codecs";
import type { Message } from "#codecs";
import { createAgent, tool } from "#engine";
import type { Agent, Run } from "#engine";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";
import type { ScriptedAnswer } from "#testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";

import { promised, until } from "./promised.ts";
import { faultsOf } from "./health.ts";
import { callsOf, chatOf, eventsOf, shapeOf, statesOf } from "./recorded.ts";

const pay = (ran: unknown[] = []) =>
  tool({
    name: "pay",
    description: "Pays.",
    input: z.object({ n: z.number() }),
    approval: true,
    execute({ n }) {
      ran.push(n);
      return `paid ${n}`;
    },
  });

const agentOf = (script: Parameters<typeof scriptedModel>[0], ran: unknown[] = []): Agent =>
  createAgent({ model: scriptedModel(script), tools: [pay(ran)] });

const call = (id: string, n: number) => ({
  id,
  type: "function",
  function: { name: "pay", arguments: JSON.stringify({ n }) },
});

describe("import", () => {
  test("takes a broken history over: what has no result is lost, and the original stays as it was", async () => {
    const history = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Pay." },
      { role: "assistant", content: "Both.", tool_calls: [call("a", 1), call("b", 2)] },
      { role: "tool", tool_call_id: "b", content: "paid 2" },
      { role: "user", content: "And?" },
    ];
    const agent = agentOf([{ text: "One of them." }]);
    const thread = agent.thread("t");
    const { format, edits } = await thread.import(history);
    expect([format, edits.length > 0]).toEqual(["openai-chat", true]);
    expect((await thread.calls()).map(({ status, result }) => [status, result])).toEqual([
      ["lost", undefined],
      ["succeeded", "paid 2"],
    ]);
    expect(await thread.export("original")).toEqual(history);
    expect((await thread.regenerate().result).text).toBe("One of them.");
    expect((await chatOf(thread)).map(({ role, content }) => [role, content])).toEqual([
      ["system", "Be brief."],
      ["user", "Pay."],
      ["assistant", "Both."],
      ["tool", expect.stringMatching(/^Tool call pay with id a was cancelled/u)],
      ["tool", "paid 2"],
      ["user", "And?"],
      ["assistant", "One of them."],
    ]);
    expect(await faultsOf(agent.store)).toEqual(["call_1 ended 0 times", "call_2 ended 0 times"]); // not here
  });

  test.each(formats)("and export are the same history in %s", async (format) => {
    const first = agentOf([{ text: "Hm.", calls: [{ name: "pay", arguments: { n: 1 } }] }, { text: "Paid." }]);
    await first.thread("t").send("Pay.").result;
    await first.thread("t").approveAll().result;
    const history = await first.thread("t").export(format);
    const second = agentOf([{ text: "Welcome." }]);
    await second.thread("u").import(history, { format });
    expect(await second.thread("u").export(format)).toEqual(history);
    expect((await second.thread("u").send("Thanks.").result).text).toBe("Welcome.");
  });

  test.each([
    [
      "whose call is there",
      [
        { role: "assistant", content: null, tool_calls: [call("a", 1), call("b", 2)] },
        { role: "tool", tool_call_id: "a", content: "paid 1" },
      ],
      "call_2",
    ],
    ["whose answer is gone", [], "call_1"],
  ])("lets a pending action be decided %s", async (_, messages, id) => {
    const ran: unknown[] = [];
    const agent = agentOf([{ text: "Done." }], ran);
    const thread = agent.thread("t");
    await thread.import({
      messages: [{ role: "user", content: "Pay." }, ...messages],
      pendingAction: { functionCall: { id: "b", name: "pay", arguments: '{"n":2}' } },
    });
    expect(await thread.pending()).toMatchObject([{ id, name: "pay", arguments: { n: 2 } }]);
    expect((await thread.decide({ [id]: { type: "approve" } }).result).text).toBe("Done.");
    expect(ran).toEqual([2]);
    expect((await chatOf(thread)).findLast(({ role }) => role === "tool")).toMatchObject({
      tool_call_id: "b",
      content: "paid 2",
    });
  });

  test("finds the pending action among calls of the same id, and asks about the action as it is", async () => {
    const again = (n: number) => ({ role: "assistant", content: null, tool_calls: [call("call_0", n)] });
    const before = [
      { role: "user", content: "Pay." },
      again(1),
      { role: "tool", tool_call_id: "call_0", content: "paid 1" },
    ];
    const action = (n: number) => ({ functionCall: { id: "call_0", name: "pay", arguments: { n } } });
    for (const messages of [
      [...before, { role: "user", content: "Again." }, again(2)],
      [...before, { role: "user", content: "Again." }],
    ]) {
      const thread = agentOf([]).thread("t");
      await thread.import({ messages, pendingAction: action(2) });
      expect((await thread.pending()).map(({ arguments: args }) => args)).toEqual([{ n: 2 }]);
    }
    const thread = agentOf([]).thread("t");
    await thread.import({ messages: [{ role: "user", content: "Pay." }, again(9)], pendingAction: action(900) });
    expect((await thread.pending()).map(({ arguments: args }) => args)).toEqual([{ n: 900 }]);
    await thread.rejectAll().result;
    await thread.import({ messages: [{ role: "user", content: "Pay." }, again(9)], pendingAction: action(9) });
    expect((await thread.calls()).map(({ status }) => status)).toEqual(["rejected", "awaiting"]);
  });

  test.each([
    ["at the end", []],
    ["in the middle", [{ role: "assistant", content: "Done." }]],
    ["before what was said since", [{ role: "user", content: "Thanks." }]],
  ])("does not wait for a pending action that has its result %s", async (_, more) => {
    const thread = agentOf([]).thread("t");
    await thread.import({
      messages: [
        { role: "user", content: "Pay." },
        { role: "assistant", content: null, tool_calls: [call("a", 1)] },
        { role: "tool", tool_call_id: "a", content: "paid 1" },
        ...more,
      ],
      pendingAction: { functionCall: { id: "a", name: "pay", arguments: { n: 1 } } },
    });
    expect(await thread.pending()).toEqual([]);
  });

  test.each([
    [{ messages: [], pendingAction: { functionCall: { id: "a" } } }, /pendingAction.functionCall.name/u],
    [{ messages: [], pendingAction: { functionCall: { name: "x", arguments: "{" } } }, /arguments/u],
    [{ messages: [], pendingAction: 5 }, /pendingAction/u],
    [5, /messages|history/u],
    [{ undangle: 2 }, /later version/u],
    [{ undangle: 1, entries: [5] }, /entries\[0\]/u],
    [{ undangle: 1, entries: [{ entry: { type: "restore", at: 1, retraction: 0 }, calls: [] }] }, /entries\[0\]/u],
    [{ undangle: 1, entries: [{ entry: { type: "input" }, calls: [] }] }, /entries\[0\]/u],
    [{ undangle: 1, entries: [{ entry: { type: "input", parts: [5] }, calls: [] }] }, /entries\[0\]/u],
    [{ undangle: 1, entries: [{ entry: { type: "retract", from: -1 }, calls: [] }] }, /entries\[0\]/u],
    [
      {
        undangle: 1,
        entries: [
          {
            entry: { type: "answer", at: 1, model: "x", parts: [], finish: "stop" },
            calls: [{ id: "a", providerId: "a", name: "x", raw: "{", state: "awaiting", attempts: 0 }],
          },
        ],
      },
      /pending calls with complete/u,
    ],
    [{ undangle: 1, entries: [], state: [] }, /option state/u],
    [{ undangle: 1, entries: [], meta: 5 }, /option meta/u],
    [{ undangle: 1, entries: [], queue: {} }, /option queue/u],
    [
      { undangle: 1, entries: [], queue: [{ type: "input", at: 1, parts: [{ type: "zzz" }] }] },
      /option queue\[0\]\.parts\[0\]\.type/u,
    ],
    [
      {
        undangle: 1,
        entries: [],
        queue: [{ type: "input", at: 1, parts: [{ type: "media", kind: "image", source: { type: "bytes" } }] }],
      },
      /option queue\[0\]\.parts\[0\]\.source\.data/u,
    ],
    [
      {
        undangle: 1,
        entries: [
          {
            entry: { type: "answer", at: 1, model: "x", finish: "stop", parts: [{ type: "text", text: "x", seal: 5 }] },
            calls: [],
          },
        ],
      },
      /entries\[0\]\.entry\.parts\[0\]\.seal/u,
    ],
  ])("refuses %j and changes nothing", async (input, message) => {
    const agent = agentOf([]);
    await expect(agent.thread("t").import(input)).rejects.toThrow(message);
    expect(await agent.store.load("t")).toBeUndefined();
    expect(await agent.thread("t").history("openai-chat")).toEqual([]);
  });

  test.each<[changes: object, message: RegExp]>([
    [{ state: "approved", outcome: { type: "result", parts: [], isError: false } }, /calls\[0\]\.outcome/u],
    [{ state: "succeeded" }, /calls\[0\]\.outcome/u],
    [{ state: "finished" }, /calls\[0\]\.state/u],
    [{ state: "lost", outcome: { type: "notice", cause: "weather" } }, /calls\[0\]\.outcome\.cause/u],
    [{ attempts: -1 }, /calls\[0\]\.attempts/u],
    [{ seal: { owner: "nobody", value: "" } }, /calls\[0\]\.seal\.owner/u],
    [{ gate: { digest: 5, decisions: ["approve"] } }, /calls\[0\]\.gate\.digest/u],
    [{ gate: { digest: "x", decisions: [1, null] } }, /calls\[0\]\.gate\.decisions\[0\]/u],
    [{ gate: { digest: "x", decisions: [] } }, /pending calls with complete/u],
    [{ gate: { digest: "x", decisions: ["approve"], deadline: "x" } }, /calls\[0\]\.gate\.deadline/u],
    [{ gate: { digest: "x", decisions: ["approve"], always: "agent" } }, /calls\[0\]\.gate\.always/u],
    [{ decision: { type: "approve", at: "x", digest: "x" } }, /calls\[0\]\.decision\.at/u],
    [{ decision: { type: "approve", at: 1, digest: "x", proposed: 5 } }, /calls\[0\]\.decision\.proposed/u],
    [{ allowance: { id: "x", scope: "world", at: 1 } }, /calls\[0\]\.allowance\.scope/u],
  ])("refuses an exported call with %j by its place, and changes nothing", async (changes, message) => {
    const agent = agentOf([{ calls: [{ name: "pay", arguments: { n: 1 } }] }]);
    await agent.thread("t").send("Pay.").result;
    const exported = await agent.thread("t").export();
    const entries = exported.entries.map(({ entry, calls }) => ({
      entry,
      calls: calls.map((each) => ({ ...(each as object), ...changes })),
    }));
    await expect(agent.thread("copy").import({ ...exported, entries })).rejects.toThrow(message);
    expect(await agent.store.load("copy")).toBeUndefined();
    await agent.thread("copy").import(exported);
    expect(await agent.thread("copy").pending()).toHaveLength(1);
  });

  test("takes very many names, queued messages and retractions at once", async () => {
    const at = 1;
    const state = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, i]));
    const said = (text: string) => ({ type: "input", at, parts: [{ type: "text", text }] });
    const queue = Array.from({ length: 50_000 }, (_, i) => said(`${i}`));
    const first = Array.from({ length: 20_000 }, (_, i) => said(`first ${i}`));
    const turns = Array.from({ length: 20_000 }, (_, i) =>
      i % 2 === 0 ? { type: "retract", at, from: 0 } : { type: "restore", at, retraction: first.length + i - 1 },
    );
    const entries = [...first, ...turns].map((entry) => ({ entry, calls: [] }));
    const thread = agentOf([]).thread("t");
    await thread.import({ undangle: 1, entries, state, queue });
    const copy = await thread.export();
    expect(copy.state).toEqual(state);
    expect(copy.entries).toHaveLength(entries.length + queue.length); // nothing is open, so it was said
    expect(copy.queue).toEqual([]);
    expect(await thread.history("openai-chat")).toHaveLength(first.length + queue.length);
  });

  test("is refused between calls and their results", async () => {
    const agent = agentOf([{ calls: [{ name: "pay", arguments: { n: 1 } }] }]);
    await agent.thread("t").send("Pay.").result;
    await expect(agent.thread("t").import([{ role: "user", content: "x" }])).rejects.toThrow(/busy with call_1/u);
  });
});

test("a thread is exported whole, and goes on elsewhere with what waits there", async () => {
  const ran: unknown[] = [];
  const agent = agentOf([{ calls: [{ name: "pay", arguments: { n: 1 } }] }], ran);
  await agent.thread("t").send("Pay.").result;
  const exported = JSON.parse(JSON.stringify(await agent.thread("t").export())) as unknown;
  const other = agentOf([{ text: "Done." }], ran);
  await other.thread("t").import(exported);
  const waiting = await agent.thread("t").pending();
  const since = expect.any(Number) as number; // it waits there since the import
  expect(await other.thread("t").pending()).toEqual(waiting.map((call) => ({ ...call, since })));
  expect((await other.thread("t").approveAll().result).text).toBe("Done.");
  await expect(other.thread("t").import(exported)).rejects.toThrow(/into a new thread id/u);
});

describe("fork", () => {
  test("begins a new thread where one answer ended, and leaves the first as it is", async () => {
    const agent = agentOf([{ text: "One." }, { text: "Two." }, { text: "Other." }]);
    const thread = agent.thread("t");
    const first = thread.send("1?");
    await first.result;
    await thread.send("2?").result;
    const end = (await eventsOf(first)).find(({ type }) => type === "model_end");
    const fork = await thread.fork(end?.type === "model_end" ? end.data.entry : undefined);
    expect(await shapeOf(fork)).toBe("H:1? A:One.");
    expect((await fork.send("3?").result).text).toBe("Other.");
    expect(await shapeOf(thread)).toBe("H:1? A:One. H:2? A:Two.");
    await expect(thread.fork(9)).rejects.toThrow(/has 4 entries/u);
    await expect(thread.fork(0, { id: "t" })).rejects.toThrow(/already has content/u);
  });

  test("what waits for a person waits in both, and each decision holds for its own", async () => {
    const ran: unknown[] = [];
    const agent = agentOf(
      [{ calls: [{ name: "pay", arguments: { n: 1 } }] }, { text: "Paid." }, { text: "Not paid." }],
      ran,
    );
    const thread = agent.thread("t");
    await thread.send("Pay.").result;
    await expect(thread.fork(undefined, { id: "t" })).rejects.toThrow(/into a new thread id/u); // it waits, too
    const fork = await thread.fork();
    expect((await thread.approveAll().result).text).toBe("Paid.");
    expect((await fork.rejectAll().result).text).toBe("Not paid.");
    expect(ran).toEqual([1]);
  });

  test("what is running runs in the first only", async () => {
    const slow = promised<string>();
    let starts = 0;
    const store = memoryStore();
    const agent = createAgent({
      model: scriptedModel([{ calls: [{ name: "slow" }, { name: "slow" }] }, { text: "Done." }, { text: "Done." }]),
      store,
      limits: { parallel: 1 },
      tools: [tool({ name: "slow", description: "Slow.", execute: () => (starts++, slow.promise) })],
    });
    const run = agent.thread("t").send("Go.");
    await until(() => starts === 1);
    const fork = await agent.thread("t").fork(undefined, { id: "fork" });
    expect((await fork.calls()).map(({ status }) => status)).toEqual(["lost", "stopped"]);
    expect((await fork.regenerate().result).text).toBe("Done.");
    slow.resolve("slow");
    await run.result;
    expect(starts).toBe(2);
  });
});

describe("regenerate", () => {
  test("gives another answer in place of the last one", async () => {
    const agent = agentOf([{ text: "One." }, { text: "Two." }, { text: "Three." }]);
    const thread = agent.thread("t");
    await thread.send("Go.").result;
    const run = thread.regenerate();
    expect((await run.result).text).toBe("Two.");
    expect((await eventsOf(run))[0]).toMatchObject({ type: "run_start", data: { reason: "regenerate" } });
    expect(await shapeOf(thread)).toBe("H:Go. A:Two.");
    expect((await thread.regenerate().result).text).toBe("Three.");
    expect(await shapeOf(agentAgain(agent).thread("t"))).toBe("H:Go. A:Three."); // read anew
  });

  test("goes on after a run that failed", async () => {
    const thread = agentOf([{ error: { status: 503, message: "overloaded" } }, { text: "Here." }]).thread("t");
    expect((await thread.send("Go.").result).status).toBe("failed");
    expect((await thread.regenerate().result).text).toBe("Here.");
    expect(await shapeOf(thread)).toBe("H:Go. A:Here.");
  });

  test("with calls that wait: they are settled, and the model is asked again without them", async () => {
    const agent = agentOf([{ calls: [{ name: "pay", arguments: { n: 1 } }] }, { text: "Never mind." }]);
    const thread = agent.thread("t");
    await thread.send("Pay.").result;
    expect((await thread.regenerate().result).text).toBe("Never mind.");
    expect(await statesOf(agent.store, "t")).toEqual({ pay: "stopped" });
    expect(await shapeOf(thread)).toBe("H:Pay. A:Never mind.");
  });

  test("with a call that has run and one that waits: the model is not told of a message that never came", async () => {
    const agent = agentOf([
      {
        calls: [
          { name: "pay", arguments: { n: 1 } },
          { name: "pay", arguments: { n: 2 } },
        ],
      },
      { text: "Well." },
    ]);
    const thread = agent.thread("t");
    await thread.send("Pay both.").result;
    await thread.decide({ call_1: { type: "approve" } }).result;
    await thread.regenerate().result;
    const [, waited] = await callsOf(agent.store, "t");
    expect(waited?.outcome).toEqual({ type: "notice", cause: "stopped" });
  });

  test("with a call that has run: that stays, for it is true", async () => {
    const ran: unknown[] = [];
    const agent = agentOf(
      [{ calls: [{ name: "pay", arguments: { n: 1 } }] }, { text: "Paid." }, { text: "It is paid." }],
      ran,
    );
    const thread = agent.thread("t");
    await thread.send("Pay.").result;
    await thread.approveAll().result;
    expect((await thread.regenerate().result).text).toBe("It is paid.");
    expect(await shapeOf(thread)).toBe("H:Pay. A(pay) T A:It is paid.");
    expect(ran).toEqual([1]);
  });

  test.each<[string, ScriptedAnswer, (run: Run) => unknown]>([
    ["fails", { error: { status: 503, message: "overloaded" } }, (run) => run.result],
    ["is stopped", { text: "Two.", delay: 60_000 }, (run) => run.stop()],
  ])("that %s leaves the answer that it had taken back", async (_, second, end) => {
    const model = scriptedModel([{ text: "One." }, second, { text: "Three." }, { text: "Four." }]);
    const agent = createAgent({ model });
    const thread = agent.thread("t");
    await thread.send("Go.").result;
    const run = thread.regenerate();
    await until(() => model.requests.length === 2);
    await end(run);
    expect((await eventsOf(run)).at(-1)).toMatchObject({ type: "run_end", data: { restored: 1 } });
    for (const each of [thread, agentAgain(agent).thread("t"), await thread.fork()]) {
      expect(await shapeOf(each)).toBe("H:Go. A:One.");
      expect(JSON.stringify(await each.export("anthropic"))).toContain("One.");
    }
    const other = createAgent({ model }).thread("u");
    await other.import(await thread.export());
    expect(await shapeOf(other)).toBe("H:Go. A:One.");
    expect((await thread.send("And?").result).text).toBe("Three.");
    expect(shownTexts(model.requests.at(-1)?.messages)).toEqual(["Go.", "One.", "And?"]);
    expect((await thread.regenerate().result).text).toBe("Four.");
    expect(await shapeOf(agentAgain(agent).thread("t"))).toBe("H:Go. A:One. H:And? A:Four.");
  });

  test("that fails leaves calls that were superseded, and a message that was queued behind them", async () => {
    const agent = agentOf([
      { calls: [{ name: "pay", arguments: { n: 1 } }] },
      { error: { status: 503, message: "overloaded" } },
      { text: "Well." },
    ]);
    const thread = agent.thread("t");
    await thread.send("Pay.").result;
    await thread.send("And?", { onInput: "queue" }).result;
    expect((await thread.regenerate().result).status).toBe("failed");
    expect(await shapeOf(thread)).toBe("H:Pay. A(pay) T H:And?");
    expect(
      (
        await agentAgain(agent, [{ text: "Well." }])
          .thread("t")
          .regenerate().result
      ).text,
    ).toBe("Well.");
    expect(await shapeOf(agentAgain(agent).thread("t"))).toBe("H:Pay. A(pay) T H:And? A:Well.");
    expect(await faultsOf(agent.store)).toEqual([]);
  });

  test("that goes on is copied as one that asks: the copy can be answered by itself", async () => {
    const model = scriptedModel([{ text: "One." }, { text: "Two.", delay: 60_000 }, { text: "Three." }]);
    const agent = createAgent({ model });
    const thread = agent.thread("t");
    await thread.send("Go.").result;
    const run = thread.regenerate();
    await until(() => model.requests.length === 2);
    const fork = await thread.fork();
    expect((await fork.regenerate().result).text).toBe("Three.");
    await run.stop();
    expect([await shapeOf(thread), await shapeOf(fork)]).toEqual(["H:Go. A:One.", "H:Go. A:Three."]);
  });

  test("that is stopped while the model speaks keeps what was seen of the new answer", async () => {
    const model = scriptedModel([{ text: "One." }, { text: "Two and a half.", pace: 50 }]);
    const thread = createAgent({ model }).thread("t");
    await thread.send("Go.").result;
    const run = thread.regenerate();
    for await (const { type } of run) if (type === "text_delta") await run.stop();
    expect(await shapeOf(thread)).toMatch(/^H:Go\. A:Two/u);
  });

  test("of a thread in which nobody has said anything is an error", async () => {
    expect((await agentOf([]).thread("t").regenerate().result).error).toMatchObject({ code: "thread/empty" });
  });
});

const agentAgain = ({ store }: Agent, script: Parameters<typeof scriptedModel>[0] = []): Agent =>
  createAgent({ model: scriptedModel(script), store });

const shownTexts = (messages: readonly Message[] = []): readonly string[] =>
  messages.flatMap((message) =>
    message.role === "tool" ? [] : message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])),
  );
