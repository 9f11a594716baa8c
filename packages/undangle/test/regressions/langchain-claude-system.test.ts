import { ChatAnthropic } from "@langchain/anthropic";
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import { createAgent, fakeModel, tool } from "langchain";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { wireServer, type WireServer } from "undangle/testing";
import { z } from "zod";
import { undangle } from "../../src/adapters/langchain.ts";
import type { Edit } from "../../src/index.ts";

const human = new HumanMessage("Go.");
const calls = new AIMessage({ content: "", tool_calls: [{ id: "toolu_1", name: "look", args: {} }] });
const result = new ToolMessage({ content: "seen", tool_call_id: "toolu_1", name: "look" });
const brief = new SystemMessage("Be brief.");
const kind = new SystemMessage("Be kind.");
const last = new HumanMessage("Well?");
const look = tool(() => "seen", { name: "look", description: "", schema: z.object({}) });

let server: WireServer;
beforeAll(async () => (server = await wireServer({ turns: () => ({ text: "Done." }) })));
afterAll(() => server.close());

async function ask(
  messages: readonly BaseMessage[],
  {
    isBare = false,
    name = "claude-sonnet-4-5",
    systemPrompt,
  }: { isBare?: boolean; name?: string; systemPrompt?: string },
) {
  const edits: Edit[] = [];
  const model = new ChatAnthropic({
    model: name,
    apiKey: "none",
    maxRetries: 0,
    anthropicApiUrl: server.baseUrl("anthropic"),
  });
  const middleware = isBare ? [] : [undangle({ onRepair: (made) => edits.push(...made) })];
  const agent = createAgent({ model, tools: [look], middleware, ...(systemPrompt !== undefined && { systemPrompt }) });
  const { messages: state } = await agent.invoke({ messages: [...messages] });
  return { edits, body: server.requests.at(-1)?.body, state };
}

const cases: readonly { readonly name: string; readonly messages: readonly BaseMessage[]; readonly system: string }[] =
  [
    { name: "behind a result", messages: [human, calls, result, brief, last], system: "Be brief." },
    { name: "between a call and its result", messages: [human, calls, brief, result, last], system: "Be brief." },
    { name: "behind a call without a result", messages: [human, calls, brief, last], system: "Be brief." },
    { name: "behind the first one", messages: [kind, human, brief, last], system: "Be kind.\n\nBe brief." },
  ];

describe.each(["claude-sonnet-4-5", "claude-opus-4-8"])("%s", (name) => {
  test.each(cases)("takes a system message $name", async ({ messages, system }) => {
    await expect(ask(messages, { name, isBare: true })).rejects.toThrow(/role/u);
    const { body, edits, state } = await ask(messages, { name });
    expect(JSON.stringify(body?.["system"])).toContain(JSON.stringify(system).slice(1, -1));
    expect(JSON.stringify(body?.["messages"])).not.toContain("Be ");
    expect(edits.map(({ rule, to }) => `${rule} ${to}`)).toContain("system-position systemMessage");
    expect(state).toEqual(expect.arrayContaining([...messages])); // the thread keeps what it had
  });

  test("gets it after the agent's own system text", async () => {
    const { body } = await ask([human, calls, result, brief, last], { name, systemPrompt: "You help." });
    const system = JSON.stringify(body?.["system"]);
    expect(system).toMatch(/You help\..*Be brief\./u);
  });
});

test("a system message that is first, or where the model takes it, stays", async () => {
  expect((await ask([kind, human], {})).edits).toEqual([]);
  expect((await ask([human, brief], { name: "claude-opus-4-8" })).edits).toEqual([]);
});

test("other models get system messages where they are", async () => {
  const model = fakeModel().respond(new AIMessage("fine"));
  const messages = [human, calls, result, brief, last];
  await createAgent({ model, tools: [], middleware: [undangle()] }).invoke({ messages });
  expect(model.calls[0]?.messages.map(({ type }) => type)).toEqual(["human", "ai", "tool", "system", "human"]);
});
