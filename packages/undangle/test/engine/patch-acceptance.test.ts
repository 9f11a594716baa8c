import { check, formats } from "#codecs";
import type { Format, Message, NoticeRequest } from "#codecs";
import { createAgent, tool } from "#engine";
import type { Middleware } from "#engine";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";

import { patchToolCalls } from "../../src/middleware/patch-tool-calls.ts";
import type { PatchOptions } from "../../src/middleware/patch-tool-calls.ts";
import { refusals, unpaired } from "./all-formats.ts";
import { faultsOf } from "./health.ts";
import { shapeOf, statesOf } from "./recorded.ts";

const ask = { role: "user", content: "Go." };
const call = (id: string, name = "look") => ({ id, type: "function", function: { name, arguments: '{"n":1}' } });
const calls = (...ids: string[]) => ({ role: "assistant", content: null, tool_calls: ids.map((id) => call(id)) });
const result = (id: string, content = `result of ${id}`) => ({ role: "tool", tool_call_id: id, content });
const notice = (id: string) =>
  `Tool call look with id ${id} was cancelled - another message came in before it could be completed.`;

interface Seen {
  readonly messages: readonly Message[];
  /** What the model is told of each call, in the order in which it hears of them. */
  readonly told: readonly string[];
}

/** What reaches the model of a history that was taken over. */
async function seen(
  history: readonly unknown[],
  {
    format = "openai-chat",
    middleware = [patchToolCalls()],
  }: { format?: Format; middleware?: readonly Middleware[] } = {},
): Promise<Seen> {
  const model = scriptedModel([{ text: "I see." }]);
  const agent = createAgent({ model, middleware });
  const thread = agent.thread("t");
  await thread.import(
    { messages: history, ...(format === "anthropic" && { model: "claude-opus-4", max_tokens: 9 }) },
    { format },
  );
  expect((await thread.send("And?").result).status).toBe("done");
  const [request] = model.requests;
  const messages = request?.messages ?? [];
  expect(unpaired(messages)).toEqual([]);
  expect(request === undefined ? [] : refusals(request)).toEqual([]);
  for (const each of formats) expect(check(await thread.export(each), { format: each })).toEqual([]);
  const told = messages.flatMap((message) =>
    message.role === "tool"
      ? message.results.map(({ parts }) => parts.map((part) => (part.type === "text" ? part.text : "")).join(""))
      : [],
  );
  return { messages, told };
}

const patched = (notices: PatchOptions) => ({ middleware: [patchToolCalls(notices)] });

describe("Eino's nine patch cases", () => {
  test("1: no messages: none are made up", async () => {
    expect((await seen([ask])).told).toEqual([]);
  });

  test("2: no calls: nothing changes", async () => {
    expect((await seen([ask, { role: "assistant", content: "Hi." }])).told).toEqual([]);
  });

  test("3: one of two calls answered: the other is, in the order of the calls", async () => {
    expect((await seen([ask, calls("a", "b"), result("a"), ask])).told).toEqual(["result of a", notice("b")]);
    expect((await seen([ask, calls("a", "b"), result("b"), ask])).told).toEqual([notice("a"), "result of b"]);
  });

  test("4: words that are given are used to the letter", async () => {
    const { told } = await seen([ask, calls("a"), ask], patched({ notice: () => "  My words.\n" }));
    expect(told).toEqual(["  My words.\n"]);
  });

  test("5: a call followed by an answer: between the two", async () => {
    const { messages, told } = await seen([ask, calls("a"), { role: "assistant", content: "Well." }]);
    expect(told).toEqual([expect.stringMatching(/^Tool call look with id a has no recorded result/u)]); // no message came in
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant", "user"]);
  });

  test("6: a call followed by a message: between the two", async () => {
    const { messages, told } = await seen([ask, calls("a"), ask]);
    expect(told).toEqual([notice("a")]);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user", "user"]);
  });

  test("7: the result of a tool of the provider is an answer, and is not patched", async () => {
    const search = [
      { type: "server_tool_use", id: "srvtoolu_1", name: "tool_search_tool_regex", input: { query: "x" } },
      {
        type: "tool_search_tool_result",
        tool_use_id: "srvtoolu_1",
        content: { type: "tool_search_tool_search_result", tool_references: [] },
      },
      { type: "text", text: "Found." },
    ];
    const { told } = await seen([ask, { role: "assistant", content: search }, ask], { format: "anthropic" });
    expect(told).toEqual([]);
  });

  test("8: a call that is nothing is passed over, and its sibling is patched", async () => {
    const broken = { role: "assistant", content: null, tool_calls: [null, call("a")] };
    expect((await seen([ask, broken, ask])).told).toEqual([notice("a")]);
    const block = { role: "assistant", content: [null, { type: "tool_use", id: "a", name: "look", input: {} }] };
    expect((await seen([ask, block, ask], { format: "anthropic" })).told).toEqual([notice("a")]);
  });

  test("9: a message of the user with a part that is nothing", async () => {
    const broken = { role: "user", content: [null, { type: "text", text: "And?" }] };
    expect((await seen([ask, calls("a"), broken])).told).toEqual([notice("a")]);
  });
});

describe("what Eino's patches leave as it is", () => {
  test.each<[string, readonly unknown[], readonly string[]]>([
    ["doubled results", [ask, calls("a"), result("a"), result("a"), ask], ["result of a"]],
    ["a late result", [ask, calls("a"), ask, result("a")], ["result of a"]],
    [
      "an id twice in one answer",
      [ask, calls("a", "a"), result("a"), result("a", "other"), ask],
      ["result of a", "other"],
    ],
    ["an empty id", [ask, calls(""), result(""), ask], ["result of "]],
  ])("%s: each call has one result, and real ones stay", async (_, history, told) => {
    expect((await seen(history)).told).toEqual(told);
  });

  test("results of nothing do not reach the model as results of nothing", async () => {
    const { messages } = await seen([ask, result("x"), ask]);
    expect(unpaired(messages)).toEqual([]);
  });

  test("a notice is marked as an error", async () => {
    const { messages } = await seen([ask, calls("a"), ask]);
    const errors = messages.flatMap((message) =>
      message.role === "tool" ? message.results.map(({ isError }) => isError) : [],
    );
    expect(errors).toEqual([true]);
  });

  test("a notice says what happened, and not always that another message came in", async () => {
    const causes: string[] = [];
    const gated = tool({ name: "gated", description: "Gated.", approval: true, execute: () => "ran" });
    const model = scriptedModel([{ calls: [{ name: "gated" }] }, { calls: [{ name: "gated" }] }, { text: "Done." }]);
    const middleware = [patchToolCalls({ notice: ({ cause }) => (causes.push(cause), cause) })];
    const thread = createAgent({ model, tools: [gated], middleware }).thread("t");
    await thread.send("Go.").result;
    await thread.rejectAll().result;
    await thread.stop();
    await thread.send("And?").result;
    expect([...new Set(causes)]).toEqual(["rejected", "stopped"]);
  });

  test("whoever words a notice gets the arguments, the cause and the place of its call", async () => {
    const asked: NoticeRequest[] = [];
    await seen([ask, calls("a"), ask], patched({ notice: (given) => (asked.push(given), "x") }));
    expect(asked).toMatchObject([
      { id: "a", name: "look", arguments: '{"n":1}', cause: "superseded", position: 1, language: "en" },
    ]);
  });

  test("whoever words a notice and fails does not fail the run", async () => {
    const failing = { notice: () => Promise.reject(new Error("no words")) };
    expect((await seen([ask, calls("a"), ask], patched(failing))).told).toEqual([notice("a")]);
  });

  test("several notices for one answer are one message", async () => {
    const { messages } = await seen([ask, calls("a", "b", "c"), ask]);
    expect(messages.filter(({ role }) => role === "tool").length).toBe(1);
  });

  test("what is stored and exported is whole as well, and so is what reaches the model without the middleware", async () => {
    expect((await seen([ask, calls("a"), ask], { middleware: [] })).told).toEqual([notice("a")]); // `seen` looks at exports
  });
});

describe("A12: wrapModelCall", () => {
  /** Notes the requests that come to the inside. */
  const noting = (requests: unknown[]): Middleware => ({
    name: "noting",
    wrapModelCall: (next) => (request) => {
      requests.push(request);
      return next(request);
    },
  });

  test("A12: a request in which nothing is wrong is handed on as it is", async () => {
    const before: unknown[] = [];
    const inside: unknown[] = [];
    const middleware = [{ ...noting(before), name: "before" }, patchToolCalls(), noting(inside)];
    await seen([ask, calls("a"), result("a")], { middleware });
    expect(inside.length).toBe(1);
    expect(inside[0]).toBe(before[0]);
  });

  test("A12: the same repairs hold for a request that a hook has changed", async () => {
    const cut: Middleware = {
      name: "cut",
      wrapModelCall: (next) => (request) =>
        next({ ...request, messages: request.messages.filter(({ role }) => role !== "tool") }),
    };
    for (const middleware of [[cut, patchToolCalls()], [patchToolCalls(), cut], [cut]])
      expect((await seen([ask, calls("a"), result("a"), ask], { middleware })).told).toEqual([notice("a")]);
  });

  test("A12: a request without messages is asked with those of the thread, for nobody answers nothing", async () => {
    const empty: Middleware = {
      name: "empty",
      wrapModelCall: (next) => (request) => next({ ...request, messages: [] }),
    };
    for (const middleware of [
      [empty, patchToolCalls()],
      [patchToolCalls(), empty],
    ]) {
      const { messages } = await seen([ask, calls("a"), result("a")], { middleware });
      expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
    }
  });
});

describe("A16: hooks that rewrite the messages", () => {
  const rewrites: readonly (readonly [string, (messages: readonly Message[]) => readonly Message[]])[] = [
    ["double them", (messages) => [...messages, ...messages]],
    ["turn them round", (messages) => messages.toReversed()],
    ["remove one", (messages) => messages.filter((_, i) => i !== 1)],
    ["remove what is not there", (messages) => messages.filter(() => true)],
    ["remove all", () => []],
    ["replace one by itself", (messages) => messages.map((message) => ({ ...message }))],
    [
      "keep only results, and empty them",
      (messages) => messages.flatMap((message) => (message.role === "tool" ? [{ ...message, results: [] }] : [])),
    ],
    ["keep only results", (messages) => messages.filter(({ role }) => role === "tool")],
  ];

  test.each(rewrites)("A16: that %s lose no call of the thread", async (_, rewrite) => {
    const model = scriptedModel([{ calls: [{ name: "look" }, { name: "look" }] }, { text: "Done." }]);
    const store = memoryStore();
    const agent = createAgent({
      model,
      store,
      tools: [tool({ name: "look", description: "Looks.", execute: () => "seen" })],
      middleware: [
        { name: "rewrite", beforeModel: (request) => ({ ...request, messages: rewrite(request.messages) }) },
      ],
    });
    const thread = agent.thread("t");
    expect((await thread.send("Go.").result).text).toBe("Done.");
    expect(await statesOf(store, "t")).toEqual({ look: "succeeded" });
    expect(await shapeOf(thread)).toBe("H:Go. A(look,look) T T A:Done.");
    expect(await faultsOf(store, model.requests)).toEqual([]);
  });
});
