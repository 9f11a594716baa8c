/** What deepagents' own middleware leaves wrong, shown with the real packages, and mended with ours. */
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { createPatchToolCallsMiddleware, createSummarizationMiddleware, StateBackend } from "deepagents";
import { createAgent, fakeModel } from "langchain";
import { describe, expect, test } from "vitest";
import { undangle } from "../../src/adapters/langchain.ts";
import { judgeLangchain } from "../judge/langchain/judge.ts";

const H = (text = "and?"): HumanMessage => new HumanMessage(text);
const T = (id: string, content = `output of ${id}`): ToolMessage => new ToolMessage({ content, tool_call_id: id });
const A = (...calls: readonly (string | { id?: string; name: string; args: Record<string, unknown> })[]): AIMessage =>
  new AIMessage({
    content: "",
    tool_calls: calls.map((call) => (typeof call === "string" ? { id: call, name: `tool_${call}`, args: {} } : call)),
  });

type Patch = ReturnType<typeof createPatchToolCallsMiddleware>;

/** The messages that a model is handed by an agent with this middleware. */
async function seenBy(
  middleware: Patch | ReturnType<typeof undangle>,
  messages: BaseMessage[],
): Promise<BaseMessage[]> {
  const model = fakeModel().respond(new AIMessage("fine"));
  await createAgent({ model, tools: [], middleware: [middleware] }).invoke({ messages });
  return model.calls[0]?.messages ?? [];
}

const refusals = (messages: readonly BaseMessage[]): string[] =>
  judgeLangchain(messages.map((message) => message.toDict())).map(({ id, path }) => `${id} ${path}`);

const results = (messages: readonly BaseMessage[]): ToolMessage[] =>
  messages.filter((message) => ToolMessage.isInstance(message));

const texts = (messages: readonly BaseMessage[]): unknown[] => results(messages).map(({ content }) => content);

const failures: readonly (readonly [name: string, history: () => BaseMessage[], kept: readonly string[]])[] = [
  ["1. a result before its call", () => [H(), T("a"), A("a"), H()], ["output of a"]],
  ["2. a result behind a human message", () => [H(), A("a"), H(), T("a"), H()], ["output of a"]],
  ["3. two results for one call", () => [H(), A("a"), T("a", "one"), T("a", "two"), H()], ["one\n\ntwo"]],
  [
    "4. an id that a later turn uses again, the first open",
    () => [H(), A("a"), H(), A("a"), T("a"), H()],
    ["output of a"],
  ],
  [
    "5. an id twice in one message",
    () => [H(), A({ id: "a", name: "look", args: { n: 1 } }, { id: "a", name: "look", args: { n: 2 } }), H()],
    [],
  ],
  ["6. a call without an id", () => [H(), A({ name: "look", args: {} }), H()], []],
  [
    "7. an empty id with its result",
    () => [H(), A({ id: "", name: "look", args: {} }), T("", "the output"), H()],
    ["the output"],
  ],
  [
    "10. a call that stands in the content only",
    () => [H(), new AIMessage({ content: [{ type: "tool_use", id: "t", name: "look", input: {} }] }), H()],
    [],
  ],
  [
    "11. the result of one turn behind the next",
    () => [H(), A("ls1", "ls2"), A("todos"), T("ls1"), H()],
    ["output of ls1"],
  ],
];

describe("what deepagents' own middleware leaves wrong", () => {
  test.each(failures)("%s", async (_, history, kept) => {
    expect(refusals(await seenBy(createPatchToolCallsMiddleware(), history()))).not.toEqual([]);
    const seen = await seenBy(undangle(), history());
    expect(refusals(seen)).toEqual([]);
    for (const text of kept) expect(texts(seen)).toContain(text);
    expect(seen.every((message) => message.toDict().type !== undefined)).toBe(true);
  });

  test("8. results out of call order, in a batch that is answered in part", async () => {
    const history = () => [H(), A("a", "b", "c"), T("c"), T("a"), H()];
    const order = (seen: readonly BaseMessage[]) => results(seen).map((one) => one.tool_call_id);
    expect(order(await seenBy(createPatchToolCallsMiddleware(), history()))).toEqual(["b", "c", "a"]);
    expect(order(await seenBy(undangle(), history()))).toEqual(["a", "b", "c"]);
  });

  test("9. messages that are plain objects", async () => {
    const messages = [
      { role: "user", content: "hi" },
      { role: "assistant", content: "", tool_calls: [{ id: "a", name: "look", args: {}, type: "tool_call" }] },
      { role: "user", content: "and?" },
    ];
    const request = { messages };
    const pass = (handed: unknown) => handed;
    const theirs = createPatchToolCallsMiddleware() as unknown as { wrapModelCall: typeof direct }; // called as an agent would
    const direct = async (given: typeof request, handler: typeof pass) => handler(given);
    expect(await theirs.wrapModelCall(request, pass)).toBe(request);
    const mended = await undangle().wrapModelCall(request, async (given) => given);
    expect(judgeLangchain(mended.messages)).toEqual([]);
    expect(mended.messages[2]).toMatchObject({ role: "tool", tool_call_id: "a", status: "error" });
  });

  test("9b. a result of a call that could not be parsed", async () => {
    const invalid = {
      id: "t",
      name: "search",
      args: '{"query": "weath',
      error: "Malformed args.",
      type: "invalid_tool_call" as const,
    };
    const history = () => [H(), new AIMessage({ content: "", invalid_tool_calls: [invalid] }), T("t", "not run"), H()];
    expect(texts(await seenBy(createPatchToolCallsMiddleware(), history()))).toEqual([]);
    const seen = await seenBy(undangle(), history());
    expect(texts(seen)).toEqual(["not run"]);
    expect(refusals(seen)).toEqual([]);
  });

  test("12. a boundary of the summary that points at another message after a repair", async () => {
    // Two turns are summarised; the first of them holds a call that was never answered.
    const old = [H("old 1"), A("gone"), H("old 2"), new AIMessage("old answer")];
    const recent = [H("recent 1"), new AIMessage("recent answer")];
    const run = async (middleware: Patch | ReturnType<typeof undangle>): Promise<string[]> => {
      const model = fakeModel().respond(new AIMessage("fine"));
      const summarization = createSummarizationMiddleware({
        model: fakeModel(),
        backend: () => new StateBackend({ state: {} } as never),
      });
      const agent = createAgent({
        model,
        tools: [],
        middleware: [summarization, middleware],
        checkpointer: new MemorySaver(),
      });
      const config = { configurable: { thread_id: "1" } };
      const summary = new HumanMessage({ content: "SUMMARY", additional_kwargs: { lc_source: "summarization" } });
      const event = { cutoffIndex: old.length, summaryMessage: summary, filePath: null };
      await agent.graph.updateState(
        config,
        { messages: [...old, ...recent], _summarizationEvent: event },
        "model_request",
      );
      await agent.invoke({ messages: [H("now")] }, config);
      return (model.calls[0]?.messages ?? []).filter((one) => !SystemMessage.isInstance(one)).map(({ text }) => text);
    };
    const whole = ["SUMMARY", "recent 1", "recent answer", "now"];
    expect(await run(createPatchToolCallsMiddleware())).toEqual([
      "SUMMARY",
      "old answer",
      "recent 1",
      "recent answer",
      "now",
    ]);
    expect(await run(undangle())).toEqual(whole);
  });
});

test("a long valid history is passed on by reference", async () => {
  const messages = Array.from({ length: 2000 }, (_, n) => [H(), A(`c${n}`), T(`c${n}`), new AIMessage("ok")]).flat();
  expect(await undangle().wrapModelCall({ messages }, async (request) => request.messages)).toBe(messages);
});
