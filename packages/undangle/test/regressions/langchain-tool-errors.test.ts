import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import { interrupt, MemorySaver } from "@langchain/langgraph";
import { createDeepAgent } from "deepagents";
import { createAgent, createMiddleware, fakeModel, tool } from "langchain";
import { expect, test } from "vitest";
import { z } from "zod";
import { undangle } from "../../src/adapters/langchain.ts";

const schema = z.object({ euros: z.number() });
const paid: number[] = [];
const pay = tool(
  ({ euros }) => {
    paid.push(euros);
    if (euros > 10) throw new Error("card declined");
    return `${euros} € paid`;
  },
  { name: "pay", description: "", schema },
);
const both = new AIMessage({
  content: "",
  tool_calls: [
    { id: "call_1", name: "pay", args: { euros: 5 } },
    { id: "call_2", name: "pay", args: { euros: 20 } },
  ],
});
const one = new AIMessage({ content: "", tool_calls: [{ id: "call_1", name: "pay", args: { euros: 5 } }] });
const ask = { messages: [new HumanMessage("Pay both.")] };

const results = (messages: readonly BaseMessage[]) =>
  messages
    .filter((message) => ToolMessage.isInstance(message))
    .map(({ tool_call_id: id, status, text }) => ({ id, status, text }));

const config = () => ({ configurable: { thread_id: crypto.randomUUID() } });

test("in deepagents one tool that throws ends the run, and the next turn is told something else", async () => {
  const model = fakeModel().respond(both).respond(new AIMessage("Sorry."));
  const agent = createDeepAgent({ model, tools: [pay], middleware: [undangle()], checkpointer: new MemorySaver() });
  const thread = config();
  await expect(agent.invoke(ask, thread)).rejects.toThrow(/card declined/u);
  await agent.invoke({ messages: [new HumanMessage("Well?")] }, thread);
  expect(results(model.calls.at(-1)?.messages ?? []).map(({ text }) => text)).toContainEqual(
    expect.stringContaining("was cancelled"),
  );
});

test("toolErrors makes a result of it, and both calls have the results that are theirs", async () => {
  paid.length = 0;
  const model = fakeModel().respond(both).respond(new AIMessage("One of two."));
  const middleware = [undangle({ toolErrors: "result" })];
  const agent = createDeepAgent({ model, tools: [pay], middleware, checkpointer: new MemorySaver() });
  const { messages } = await agent.invoke(ask, config());
  expect(paid.toSorted((a, b) => a - b)).toEqual([5, 20]);
  expect(messages.at(-1)?.text).toBe("One of two.");
  expect(results(messages)).toEqual([
    { id: "call_1", status: "success", text: "5 € paid" },
    { id: "call_2", status: "error", text: "Error: card declined" },
  ]);
});

test("input that the tool does not take is answered by LangChain, as before", async () => {
  const wrong = new AIMessage({ content: "", tool_calls: [{ id: "call_1", name: "pay", args: { euros: "five" } }] });
  const model = fakeModel().respond(wrong).respond(new AIMessage("Once more."));
  const agent = createAgent({ model, tools: [pay], middleware: [undangle({ toolErrors: "result" })] });
  const { messages } = await agent.invoke(ask);
  expect(results(messages)).toMatchObject([{ id: "call_1", status: "error" }]);
  expect(results(messages)[0]?.text).toContain("schema");
});

test("an interrupt is not an error of the tool", async () => {
  const approve = tool(() => String(interrupt("May it?")), { name: "pay", description: "", schema });
  const model = fakeModel().respond(one).respond(new AIMessage("Done."));
  const middleware = [undangle({ toolErrors: "result" })];
  const agent = createAgent({ model, tools: [approve], middleware, checkpointer: new MemorySaver() });
  const state = await agent.invoke(ask, config());
  expect(state).toMatchObject({ __interrupt__: [{ value: "May it?" }] });
  expect(results(state.messages)).toEqual([]);
});

test("an abort ends the run", async () => {
  const controller = new AbortController();
  const slow = tool(
    () => {
      controller.abort();
      throw new DOMException("This operation was aborted", "AbortError");
    },
    { name: "pay", description: "", schema },
  );
  const model = fakeModel().respond(both).respond(new AIMessage("Done."));
  const agent = createAgent({ model, tools: [slow], middleware: [undangle({ toolErrors: "result" })] });
  await expect(agent.invoke(ask, { signal: controller.signal })).rejects.toThrow(/abort/iu);
});

test("what other middleware throws around it stays LangChain's affair", async () => {
  const strict = createMiddleware({
    name: "strict",
    wrapToolCall: () => {
      throw new Error("not on Sundays");
    },
  });
  const model = fakeModel().respond(one).respond(new AIMessage("Done."));
  const agent = createAgent({ model, tools: [pay], middleware: [strict, undangle({ toolErrors: "result" })] });
  await expect(agent.invoke(ask)).rejects.toThrow(/not on Sundays/u);
});

test("another value is refused, and without the option tools are not wrapped", () => {
  expect(() => undangle({ toolErrors: "throw" as "result" })).toThrow(/toolErrors/u); // a program without types
  expect(undangle()).not.toHaveProperty("wrapToolCall");
});
