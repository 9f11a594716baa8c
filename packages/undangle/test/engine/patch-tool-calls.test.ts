import type { Message } from "#codecs";
import { createAgent, tool } from "#engine";
import type { Middleware } from "#engine";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";

import { unpaired } from "./all-formats.ts";
import { faultsOf } from "./health.ts";
import { everythingOf } from "./watched-store.ts";
import { patchToolCalls } from "../../src/middleware/patch-tool-calls.ts";
import type { PatchOptions } from "../../src/middleware/patch-tool-calls.ts";

const call = (id: string, name = "look") => ({ id, type: "function", function: { name, arguments: "{}" } });
const ask = { role: "user", content: "Go." };
const calls = (...ids: string[]) => ({ role: "assistant", content: "Hm.", tool_calls: ids.map((id) => call(id)) });
const result = (id: string) => ({ role: "tool", tool_call_id: id, content: `result of ${id}` });

/** What the model gets to see of a history that was taken over, behind this middleware. */
async function seen(history: readonly unknown[], middleware: readonly Middleware[], language: "en" | "zh" = "en") {
  const model = scriptedModel([{ text: "I see." }]);
  const store = memoryStore();
  const agent = createAgent({ model, store, middleware, language });
  if (history.length > 0) await agent.thread("t").import(history, { format: "openai-chat" });
  const { error } = await agent.thread("t").send("And?").result;
  expect(error).toBeUndefined();
  const messages = model.requests[0]?.messages ?? [];
  expect(unpaired(messages)).toEqual([]);
  return { messages, agent, store, model };
}

const results = (messages: readonly Message[]): readonly string[] =>
  messages.flatMap((message) =>
    message.role === "tool"
      ? message.results.map(({ parts }) => parts.map((part) => (part.type === "text" ? part.text : "")).join(""))
      : [],
  );

const swap: Middleware = {
  name: "cut",
  wrapModelCall: (next) => (request) =>
    next({ ...request, messages: request.messages.filter(({ role }) => role !== "tool") }),
};

describe("patchToolCalls", () => {
  test.each([
    ["nothing", [], 0],
    ["no calls", [ask, { role: "assistant", content: "Hi." }], 0],
    ["a call that is answered", [ask, calls("a"), result("a")], 0],
    ["one of two calls answered", [ask, calls("a", "b"), result("a")], 1],
    ["a call followed by an answer", [ask, calls("a"), { role: "assistant", content: "Well." }], 1],
    ["a call followed by a message", [ask, calls("a"), ask], 1],
    ["a late result", [ask, calls("a"), ask, result("a")], 0],
    ["a result that is doubled", [ask, calls("a"), result("a"), result("a")], 0],
    ["a result of nothing", [ask, result("x"), ask], 0],
    ["an id twice in an answer", [ask, calls("a", "a"), result("a")], 0],
    ["an id in two answers", [ask, calls("a"), ask, calls("a"), result("a")], 1],
    ["an empty id", [ask, calls(""), ask], 1],
  ])("%s", async (_, history, notices) => {
    const { messages, store, model } = await seen(history, [patchToolCalls()]);
    expect(results(messages).filter((text) => text.startsWith("Tool call")).length).toBe(notices);
    expect((await faultsOf(store, model.requests)).filter((each) => !each.includes("ended 0 times"))).toEqual([]);
  });

  test.each<[string, PatchOptions, string]>([
    ["its own", {}, "Tool call look with id a was cancelled - another message came in before it could be completed."],
    ["in Chinese", { language: "zh" }, "工具调用 look(ID 为 a)已被取消——在其完成之前收到了另一条消息。"],
    ["given", { notice: ({ name, id, cause }) => `${name} ${id}: ${cause}` }, "look a: superseded"],
    ["promised", { notice: ({ id }) => Promise.resolve(`later ${id}`) }, "later a"],
    [
      "that throw",
      {
        notice: () => {
          throw new Error("no");
        },
      },
      "Tool call look with id a was cancelled - another message came in before it could be completed.",
    ],
    [
      "that reject",
      { notice: () => Promise.reject(new Error("no")) },
      "Tool call look with id a was cancelled - another message came in before it could be completed.",
    ],
    [
      "that are none",
      { notice: () => 5 as unknown as string },
      "Tool call look with id a was cancelled - another message came in before it could be completed.",
    ],
  ])("tells of a call in words: %s", async (_, options, text) => {
    const { messages } = await seen([ask, calls("a"), ask], [patchToolCalls(options)]);
    expect(results(messages)).toEqual([text]);
  });

  test("what hooks have cut out is told of wherever it stands among them", async () => {
    for (const middleware of [[patchToolCalls(), swap], [swap, patchToolCalls()], [swap]]) {
      const { messages, agent } = await seen([ask, calls("a"), result("a")], middleware);
      expect(results(messages)).toEqual([expect.stringMatching(/^Tool call look with id a was cancelled/u)]);
      expect(JSON.stringify(await agent.thread("t").history("openai-chat"))).toContain("result of a");
    }
  });

  test.each<[string, PatchOptions, string]>([
    ["given", { notice: ({ name, cause }) => `${name}: ${cause}` }, "look: superseded"],
    ["promised", { notice: ({ id }) => Promise.resolve(`later ${id}`) }, "later a"],
    ["in Chinese", { language: "zh" }, "工具调用 look(ID 为 a)已被取消——在其完成之前收到了另一条消息。"],
    [
      "that throw",
      { notice: () => Promise.reject(new Error("no")) },
      "Tool call look with id a was cancelled - another message came in before it could be completed.",
    ],
  ])("what is cut behind it is told in its words too: %s", async (_, options, text) => {
    for (const middleware of [
      [patchToolCalls(options), swap],
      [swap, patchToolCalls(options)],
    ]) {
      const { messages } = await seen([ask, calls("a"), result("a")], middleware);
      expect(results(messages)).toEqual([text]);
    }
  });

  test("words for what is cut behind it are kept with persist, and asked for once a run with when: run", async () => {
    let n = 0;
    const options: PatchOptions = { persist: true, when: "run", notice: () => `notice ${++n}` };
    const { agent, messages } = await seen([ask, calls("a"), result("a")], [patchToolCalls(options), swap]);
    expect(results(messages)).toEqual(["notice 1"]);
    expect(await agent.thread("t").state()).toEqual({ "patch-tool-calls": { a: "notice 1" } });
    expect(n).toBe(1);
  });

  test("rejected, superseded and lost calls of a thread can be told in other words, with the reason of the person", async () => {
    const told: unknown[] = [];
    const model = scriptedModel([{ calls: [{ name: "pay" }] }, { text: "Well." }]);
    const agent = createAgent({
      model,
      tools: [tool({ name: "pay", description: "Pays.", approval: true, execute: () => "paid" })],
      middleware: [patchToolCalls({ notice: ({ cause, reason, name }) => (told.push([name, cause, reason]), "No!") })],
    });
    await agent.thread("t").send("Pay.").result;
    await agent.thread("t").rejectAll("not today").result;
    expect(told).toEqual([["pay", "rejected", "not today"]]);
    expect(results(model.requests[1]?.messages ?? [])).toEqual(["No!"]);
  });

  test("persist keeps the words in the thread; without it nothing that is stored changes", async () => {
    for (const persist of [true, false]) {
      let n = 0;
      const options = { persist, notice: () => `notice ${++n}` };
      const { agent, store } = await seen([ask, calls("a"), ask], [patchToolCalls(options)]);
      const again = createAgent({
        model: scriptedModel([{ text: "Again." }]),
        store,
        middleware: [patchToolCalls(options)],
      });
      const before = persist ? undefined : await everythingOf(store, "other");
      await again.thread("t").send("And now?").result;
      expect(await everythingOf(store, "other")).toEqual(before ?? (await everythingOf(store, "other")));
      expect(await agent.thread("t").state()).toEqual(persist ? { "patch-tool-calls": { a: "notice 1" } } : {});
      expect(n).toBe(persist ? 1 : 2);
    }
  });

  test("when: run is once a run, and the rest stays healthy all the same", async () => {
    const model = scriptedModel([{ calls: [{ name: "look" }] }, { text: "Done." }]);
    let notices = 0;
    const agent = createAgent({
      model,
      tools: [tool({ name: "look", description: "Looks.", execute: () => "seen" })],
      middleware: [swap, patchToolCalls({ when: "run", notice: () => `notice ${++notices}` })],
    });
    await agent.thread("t").send("Go.").result;
    expect(notices).toBe(0); // there was no call when the run began
    for (const { messages } of model.requests) expect(unpaired(messages)).toEqual([]);
  });

  test.each([
    { when: "always" },
    { persist: 1 },
    { notice: "x" },
    { notices: "all" },
    { language: "fr" },
    { whenn: "run" },
  ])("refuses %j", (options) => {
    expect(() => patchToolCalls(options as PatchOptions)).toThrow(/Allowed|allowed|unknown|Unknown/u);
  });
});
