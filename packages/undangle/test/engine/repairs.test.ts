import { anomalies, rules } from "#core";
import { createAgent, defineMiddleware, memoryStore, subagents, tool } from "undangle/agent";
import type { AgentOptions, Thread } from "undangle/agent";
import { anthropic, openaiCompatible } from "undangle/models";
import { scriptedModel, wireServer } from "undangle/testing";
import { describe, expect, onTestFinished, test } from "vitest";

const add = tool({ name: "add", description: "Adds.", execute: () => "3" });
const call = (id: string): object => ({ id, type: "function", function: { name: "add", arguments: "{}" } });
const broken = [
  { role: "user", content: "Add." },
  { role: "assistant", content: null, tool_calls: [call("a")] },
  { role: "user", content: "And?" },
  { role: "assistant", content: null, tool_calls: [call("b"), call("c")] },
  { role: "tool", tool_call_id: "c", content: "3" },
  { role: "tool", tool_call_id: "zzz", content: "4" },
];

const threadOf = (options: Partial<AgentOptions> = {}): Thread =>
  createAgent({ model: scriptedModel([]), tools: [add], store: memoryStore(), ...options }).thread("t");

describe("thread.repairs()", () => {
  test("has the edits of an imported history, as the import returned them", async () => {
    const thread = threadOf();
    const { edits } = await thread.import(broken);
    const repairs = await thread.repairs();
    expect(edits.length).toBeGreaterThan(2);
    expect(repairs.map(({ edit }) => edit)).toStrictEqual(edits);
    expect(new Set(repairs.map(({ id }) => id)).size).toBe(edits.length);
    expect(repairs.find(({ edit }) => edit?.callId === "a")).toMatchObject({
      source: "import",
      rule: "unanswered-call",
      message: "A tool call has no result: a",
      entry: 2, // after the original and the first message
      avoided: { provider: "openai", message: expect.stringContaining("must be followed by tool messages") as unknown },
    });
    expect(repairs.find(({ edit }) => edit?.callId === "b")).toMatchObject({ entry: 4 });
    expect(repairs.every(({ at }) => Number.isInteger(at))).toBe(true);
  });

  test("has the edits of every import, and those of a fork", async () => {
    const thread = threadOf();
    const first = await thread.import(broken);
    const second = await thread.import({
      messages: [
        { role: "user", content: "x" },
        { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "add", input: {} }] },
      ],
    });
    const fork = await thread.fork();
    for (const each of [thread, fork]) {
      const repairs = await each.repairs();
      expect(repairs.map(({ edit }) => edit)).toStrictEqual([...first.edits, ...second.edits]);
      expect(repairs.at(-1)?.avoided).toMatchObject({ provider: "anthropic" });
    }
  });

  test("has the values of an edit whose place is not in the history", async () => {
    const thread = threadOf();
    await thread.import([
      { role: "user", content: "Add." },
      { role: "function", name: "add", content: "3" }, // the form of results before tools
    ]);
    const [repair] = await thread.repairs();
    expect(repair?.edit).toMatchObject({
      rule: "orphan-result",
      type: "restore",
      after: { function: { name: "add" } },
    });
    expect(repair?.edit).not.toHaveProperty("to");
  });

  test("has nothing for a valid history", async () => {
    const thread = threadOf({ model: scriptedModel([{ text: "Hi." }]) });
    await thread.import([{ role: "user", content: "Hi." }]);
    await thread.send("Hi.").result;
    expect(await thread.repairs()).toStrictEqual([]);
  });

  test("has the repairs of a response, with its turn", async () => {
    const server = await wireServer({
      turns: [{ calls: [{ name: "add" }], faults: ["id-never"] }, { text: "Three." }],
    });
    onTestFinished(() => server.close());
    const model = openaiCompatible({ baseURL: server.baseUrl("openai-chat"), apiKey: "k", env: {} })("m");
    const thread = threadOf({ model });
    await thread.send("Add.").result;
    expect(await thread.repairs()).toContainEqual({
      id: expect.stringMatching(/^event-\d+$/u) as unknown,
      source: "response",
      at: expect.any(Number) as unknown,
      rule: "id-missing",
      message: anomalies["id-missing"],
      callId: "call_1",
      entry: 1,
    });
  });

  const forgetful = defineMiddleware({
    name: "forgetful",
    beforeModel: (request) => ({ ...request, messages: request.messages.filter(({ role }) => role !== "tool") }),
  });

  test("has the repairs of a request that a middleware broke", async () => {
    const model = scriptedModel([{ calls: [{ name: "add", id: "a" }] }, { text: "Three." }]);
    const thread = threadOf({ model, middleware: [forgetful] });
    await thread.send("Add.").result;
    expect(await thread.repairs()).toMatchObject([
      {
        source: "request",
        rule: "unanswered-call",
        entry: 2,
        edit: {
          type: "insert",
          from: "messages[1].tool_calls[0]",
          to: "messages[2]",
          after: { role: "tool", tool_call_id: "a", content: expect.stringContaining("no recorded result") as unknown },
          lossless: true,
          reconstructed: false,
        },
        avoided: {
          provider: "openai",
          message: expect.stringContaining("must be followed by tool messages") as unknown,
        },
      },
    ]);
  });

  /** Moves the results after another message. */
  const late = defineMiddleware({
    name: "late",
    beforeModel(request) {
      const results = request.messages.filter(({ role }) => role === "tool");
      if (results.length === 0) return undefined;
      const note = {
        role: "user",
        path: "",
        name: undefined,
        parts: [{ type: "text", path: "", text: "Hm." }],
      } as const;
      return {
        ...request,
        messages: [...request.messages.filter((each) => !results.includes(each)), note, ...results],
      };
    },
  });

  test("has the text of a result that a request had in the wrong place", async () => {
    const model = scriptedModel([{ calls: [{ name: "add" }] }, { text: "Three." }]);
    const thread = threadOf({ model, middleware: [late] });
    await thread.send("Add.").result;
    expect(await thread.repairs()).toMatchObject([
      {
        rule: "displaced-result",
        edit: { type: "move", from: "messages[3]", to: "messages[2]", before: { role: "tool", content: "3" } },
        entry: 2,
      },
    ]);
  });

  test("has the error of the provider that got the request", async () => {
    const server = await wireServer({ turns: [{ calls: [{ name: "add" }] }, { text: "Three." }] });
    onTestFinished(() => server.close());
    const model = anthropic("claude-sonnet-4-5", { baseURL: server.baseUrl("anthropic"), apiKey: "k", env: {} });
    const thread = threadOf({ model, middleware: [forgetful] });
    await thread.send("Add.").result;
    const repairs = await thread.repairs();
    expect(repairs.find(({ source }) => source === "request")).toMatchObject({ avoided: { provider: "anthropic" } });
  });

  test("has an edit of a request without its values if they are long", async () => {
    const long = tool({ name: "add", description: "Adds.", execute: () => "3".repeat(30_000) });
    const model = scriptedModel([{ calls: [{ name: "add" }] }, { text: "Three." }]);
    const thread = threadOf({ model, tools: [long], middleware: [late] });
    await thread.send("Add.").result;
    const [repair] = await thread.repairs();
    expect(repair).toMatchObject({ rule: "displaced-result", edit: { from: "messages[3]" } });
    expect(JSON.stringify(repair).length).toBeLessThan(2_000);
  });

  test("has the repairs of child threads, with the calls that lead there", async () => {
    const helper = {
      name: "helper",
      description: "Helps.",
      instructions: "Help.",
      tools: [add],
      middleware: [forgetful],
      model: scriptedModel([{ calls: [{ name: "add" }] }, { text: "Three." }]),
    };
    const model = scriptedModel([
      { calls: [{ name: "task", arguments: { description: "Add.", subagent_type: "helper" } }] },
      { text: "Done." },
    ]);
    const thread = threadOf({ model, middleware: [subagents({ agents: [helper] })] });
    expect((await thread.send("Add.").result).status).toBe("done");
    expect(await thread.repairs()).toMatchObject([
      { id: expect.stringMatching(/^call_1\/event-\d+$/u) as unknown, source: "request", path: ["call_1"], entry: 2 },
    ]);
    const exchange = await thread.exchange(2, { path: ["call_1"] });
    expect(exchange?.response).toMatchObject({ choices: [{ message: { content: "Three." } }] });
    await expect(thread.exchange(2, { path: ["call_9"] })).rejects.toThrow("the ids of calls that agents run");
  });
});

test("no anomaly has the name of a rule, because the name tells a response from a request", () => {
  expect(Object.keys(anomalies).filter((name) => Object.hasOwn(rules, name))).toStrictEqual([]);
});
