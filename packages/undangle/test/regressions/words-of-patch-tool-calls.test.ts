import { formats } from "#codecs";
import type { Message } from "#codecs";
import { createAgent, tool } from "#engine";
import type { AgentOptions, Middleware, Thread } from "#engine";
import { patchToolCalls } from "#middleware";
import type { PatchOptions } from "#middleware";
import { memoryStore } from "#store";
import type { Store } from "#store";
import { scriptedModel } from "#testing";
import type { ScriptedModel } from "#testing";
import { describe, expect, test } from "vitest";

import { afterDeath } from "../engine/after-death.ts";

const pay = tool({ name: "pay", description: "Pays.", approval: true, execute: () => "paid" });

/** A thread with a call that was rejected and one that was superseded, and what the model was told of them last. */
async function begun(options: Partial<AgentOptions>) {
  const calling = [{ calls: [{ name: "pay" }] }, { text: "No?" }];
  const model = scriptedModel([...calling, ...calling]);
  const thread = createAgent({ model, tools: [pay], ...options }).thread("t");
  await thread.send("Pay.").result;
  await thread.rejectAll("not today").result;
  await thread.send("Pay again.").result;
  await thread.send("Never mind.").result;
  return { thread, told: toldLast(model) };
}

/** What the model was told of calls when it was asked last. */
const toldLast = (model: ScriptedModel): readonly string[] => textsIn(model.requests.at(-1)?.messages ?? []);

const textsIn = (messages: readonly Message[]): readonly string[] =>
  messages.flatMap((message) =>
    message.role === "tool"
      ? message.results.map(({ parts }) => parts.map((part) => (part.type === "text" ? part.text : "")).join(""))
      : [],
  );

/** The texts that a thread gives of itself, for each format. */
async function givenBy(thread: Thread): Promise<readonly (readonly string[])[]> {
  const given: unknown[] = [];
  for (const format of formats) given.push(await thread.history(format), await thread.export(format));
  return given.map(stringsIn);
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

let count = 0;
const counting: PatchOptions["notice"] = ({ cause }) => `Counted ${cause}: ${++count}.`;
const plain: PatchOptions["notice"] = ({ name, cause }) => `MY WORDS for ${name}: ${cause}.`;
const failing: PatchOptions["notice"] = ({ cause }) => {
  if (cause === "superseded") throw new Error("no words");
  return "Mine.";
};

describe("history and exports tell of calls in the words that the model was told:", () => {
  test.each<readonly [string, PatchOptions]>([
    ["notice", { notice: plain }],
    ["a notice that takes its time", { notice: async ({ cause }) => Promise.resolve(`Later ${cause}.`) }],
    ["a notice that is another one each time", { notice: counting }],
    ["a notice that throws", { notice: failing }],
    ["when: run", { notice: counting, when: "run" }],
    ["classic", { notices: "classic" }],
    ["a language", { language: "zh" }],
    ["persist", { notice: counting, persist: true }],
    ["persist, with when: run", { notice: counting, persist: true, when: "run" }],
    ["persist of our own words", { persist: true, language: "zh" }],
    ["no words of its own", {}],
  ])("%s", async (_, options) => {
    const { thread, told } = await begun({ middleware: [patchToolCalls(options)] });
    expect(told.length).toBe(2);
    for (const given of await givenBy(thread)) expect(given).toEqual(expect.arrayContaining([...told]));
  });

  test("a call that waits is told of as waiting", async () => {
    const model = scriptedModel([{ calls: [{ name: "pay" }] }]);
    const middleware = [patchToolCalls({ notices: "classic" })];
    const thread = createAgent({ model, tools: [pay], middleware }).thread("t");
    await thread.send("Pay.").result;
    for (const given of await givenBy(thread)) expect(given.join("\n")).toMatch(/it is waiting for approval/u);
  });

  test("before the model has been told, in the words that it would be told", async () => {
    const model = scriptedModel([{ calls: [{ name: "pay" }] }]);
    const thread = createAgent({ model, tools: [pay], middleware: [patchToolCalls({ notice: plain })] }).thread("t");
    await thread.send("Pay.").result;
    await thread.stop();
    for (const given of await givenBy(thread)) expect(given).toContain("MY WORDS for pay: stopped.");
  });

  test("by a process that has not told it", async () => {
    const store = memoryStore();
    const middleware = [patchToolCalls({ notice: plain })];
    const { told } = await begun({ store, middleware });
    const other = createAgent({ model: scriptedModel([]), tools: [pay], store: afterDeath(store), middleware });
    for (const given of await givenBy(other.thread("t"))) expect(given).toEqual(expect.arrayContaining([...told]));
  });
});

describe("words that are kept in the thread", () => {
  const kept = async (): Promise<{ store: Store; thread: Thread; told: readonly string[] }> => {
    const store = memoryStore();
    const middleware = [patchToolCalls({ notice: counting, persist: true })];
    return { store, ...(await begun({ store, middleware })) };
  };
  const without = (store: Store, more: Partial<AgentOptions> = {}) => {
    const model = scriptedModel([{ text: "Fine." }], { loop: true });
    return { model, agent: createAgent({ model, tools: [pay], store, ...more }) };
  };

  test.each<readonly [string, Partial<AgentOptions>]>([
    ["without the middleware", {}],
    ["in another language", { language: "zh" }],
    ["with the middleware as it is", { middleware: [patchToolCalls()] }],
    ["with other words", { middleware: [patchToolCalls({ notice: plain, persist: true })] }],
  ])("are those of an agent %s", async (_, more) => {
    const { store, told } = await kept();
    const { model, agent } = without(afterDeath(store), more);
    const thread = agent.thread("t");
    for (const given of await givenBy(thread)) expect(given).toEqual(expect.arrayContaining([...told]));
    await thread.send("And now?").result;
    expect(toldLast(model)).toEqual(told);
  });

  test("go along into a fork, and into another store", async () => {
    const { thread, told } = await kept();
    const { model, agent } = without(memoryStore());
    await agent.thread("copy").import(JSON.parse(JSON.stringify(await thread.export())));
    for (const each of [await thread.fork(), agent.thread("copy")])
      for (const given of await givenBy(each)) expect(given).toEqual(expect.arrayContaining([...told]));
    await agent.thread("copy").send("And now?").result;
    expect(toldLast(model)).toEqual(told);
  });

  test("are not put in the place of a result", async () => {
    const cut: Middleware = {
      name: "cut",
      beforeModel: (request) => ({ ...request, messages: request.messages.filter(({ role }) => role !== "tool") }),
    };
    const look = tool({ name: "look", description: "Looks.", execute: () => "seen" });
    const model = scriptedModel([{ calls: [{ name: "look" }] }, { text: "Done." }]);
    const middleware = [cut, patchToolCalls({ notice: plain, persist: true })];
    const thread = createAgent({ model, tools: [look], middleware }).thread("t");
    await thread.send("Go.").result;
    expect(toldLast(model)).toEqual(["MY WORDS for look: interrupted."]);
    for (const given of await givenBy(thread)) expect(given.join("\n")).toContain("seen");
  });
});

test.each<readonly [string, (cut: Middleware) => readonly Middleware[]]>([
  ["without it", (cut) => [cut]],
  ["with it in front", (cut) => [patchToolCalls(), cut]],
  ["with it behind", (cut) => [cut, patchToolCalls()]],
  ["with it and its words in front", (cut) => [patchToolCalls({ notice: plain, persist: true }), cut]],
  ["with it and its words behind", (cut) => [cut, patchToolCalls({ notice: plain, when: "run" })]],
])("what hooks break is reported as an event for each thing that was wrong, %s", async (name, put) => {
  for (const hook of ["beforeModel", "wrapModelCall"] as const) {
    const withoutResults: Middleware = {
      name: "cut",
      ...(hook === "beforeModel"
        ? {
            beforeModel: (request) => ({
              ...request,
              messages: request.messages.filter(({ role }) => role !== "tool"),
            }),
          }
        : {
            wrapModelCall: (next) => (request) =>
              next({ ...request, messages: request.messages.filter(({ role }) => role !== "tool") }),
          }),
    };
    const look = tool({ name: "look", description: "Looks.", execute: () => "seen" });
    const model = scriptedModel([{ calls: [{ id: "a", name: "look" }] }, { text: "Done." }]);
    const repairs: unknown[] = [];
    const run = createAgent({ model, tools: [look], middleware: put(withoutResults) })
      .thread("t")
      .send("Go.");
    for await (const { type, data } of run) if (type === "repair") repairs.push(data);
    const words = name.endsWith("words in front") ? "MY WORDS" : "look"; // behind, it words what is already repaired
    expect(repairs).toMatchObject([
      {
        rule: "unanswered-call",
        message: expect.stringContaining(": a") as string,
        edit: { type: "insert", after: { content: expect.stringContaining(words) as string } },
      },
    ]);
  }
});

test("whoever words notices knows the thread and hears of the end of the run", async () => {
  const asked: { readonly threadId: string; readonly signal: AbortSignal }[] = [];
  const notice: PatchOptions["notice"] = (_call, context) => {
    asked.push(context);
    return "Mine.";
  };
  const { thread } = await begun({ middleware: [patchToolCalls({ notice })] });
  await thread.history("openai-chat");
  expect(new Set(asked.map(({ threadId }) => threadId))).toEqual(new Set(["t"]));
  expect(asked.every(({ signal }) => signal instanceof AbortSignal && !signal.aborted)).toBe(true);
});
