import { createAgent, tool } from "undangle/agent";
import { mistral, openaiCompatible } from "undangle/models";
import type { HttpModelOptions, Model } from "undangle/models";
import { wireServer } from "undangle/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";

const usual: HttpModelOptions = { apiKey: "none", retryDelay: 1, env: {} };

const add = tool({ name: "add", description: "Adds.", input: z.object({ a: z.number() }), execute: ({ a }) => a + 1 });

const compatible = (provider: string, id: string) => (baseURL: string) =>
  openaiCompatible({ ...usual, provider, baseURL })(id);

/** What the server got back of a turn that thought and called, and what was heard of it. */
async function asked(make: (baseURL: string) => Model, provider: string) {
  const turns = [
    { reasoning: "One more than one.", text: "I add.", calls: [{ name: "add", arguments: { a: 1 } }] },
    { reasoning: "It is two.", text: "Two." },
    { text: "Sure." },
  ];
  const server = await wireServer({ turns, provider });
  const thread = createAgent({ model: make(server.baseUrl("openai-chat")), tools: [add] }).thread("t");
  const heard: string[] = [];
  let text = "";
  for await (const { type, data } of thread.send("1 + 1?")) {
    if (type === "reasoning_delta") heard.push(data.text);
    if (type === "text_delta") text += data.text;
  }
  const end = await thread.send("Sure?").result;
  await server.close();
  expect([end.status, end.error?.message]).toEqual(["done", undefined]);
  expect(server.requests.flatMap(({ refused }) => refused ?? [])).toEqual([]);
  const messages = server.requests.map(({ body }) => body["messages"] as readonly Record<string, unknown>[]); // a chat
  const answers = messages.map((list) => list.filter(({ role }) => role === "assistant"));
  return { thoughts: heard.join(""), text, bodies: server.requests.map(({ body }) => body), answers };
}

describe("what a model thought goes back to it", () => {
  test("in the words of Groq, for the models that take it", async () => {
    const { thoughts, answers } = await asked(compatible("groq", "openai/gpt-oss-120b"), "groq");
    expect(thoughts).toBe("One more than one.It is two.");
    expect(answers[2]?.map(({ reasoning }) => reasoning)).toEqual(["One more than one.", "It is two."]);
    const others = await asked(compatible("groq", "llama-3.3-70b-versatile"), "groq");
    expect(others.answers[2]?.map(({ reasoning }) => reasoning)).toEqual([undefined, undefined]);
  });

  test.each(["magistral-medium-latest", "mistral-small-latest"])("as parts of the content for %s", async (id) => {
    const { thoughts, text, answers } = await asked((baseURL) => mistral(id, { ...usual, baseURL }), "mistral");
    expect([thoughts, text]).toEqual(["One more than one.It is two.", "I add.Two."]);
    const thinking = (words: string) => ({ type: "thinking", thinking: [{ type: "text", text: words }], closed: true });
    expect(answers[2]?.map(({ content }) => content)).toEqual([
      [thinking("One more than one."), { type: "text", text: "I add." }],
      [thinking("It is two."), { type: "text", text: "Two." }],
    ]);
  });

  test("not to a model of Mistral that does not think", async () => {
    const { answers } = await asked((baseURL) => mistral("codestral-latest", { ...usual, baseURL }), "mistral");
    expect(answers[2]?.map(({ content }) => content)).toEqual(["I add.", "Two."]);
  });

  test("as details for MiniMax, which is asked to tell them apart", async () => {
    const { thoughts, text, bodies, answers } = await asked(compatible("minimax", "MiniMax-M2"), "minimax");
    expect(bodies.map((body) => body["reasoning_split"])).toEqual([true, true, true]);
    expect([thoughts, text]).toEqual(["One more than one.It is two.", "I add.Two."]);
    expect(answers[2]?.map((message) => [message["content"], message["reasoning_details"]])).toEqual([
      ["I add.", [{ type: "reasoning.text", index: 0, text: "One more than one." }]],
      ["Two.", [{ type: "reasoning.text", index: 0, text: "It is two." }]],
    ]);
  });

  test("also where a server of MiniMax's models does not heed that", async () => {
    const deaf = (baseURL: string) =>
      openaiCompatible({ ...usual, provider: "minimax", baseURL, body: { reasoning_split: false } })("MiniMax-M2");
    const { thoughts, text, answers } = await asked(deaf, "minimax");
    expect([thoughts, text]).toEqual(["\nOne more than one.\n\nIt is two.\n", "I add.Two."]);
    expect(answers[2]?.map(({ content }) => content)).toEqual(["I add.", "Two."]);
  });
});
