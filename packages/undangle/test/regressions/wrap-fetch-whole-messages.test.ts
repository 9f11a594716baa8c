import { ChatOpenAI } from "@langchain/openai";
import { wrapFetch } from "undangle";
import { describe, expect, test } from "vitest";

import { answering, passedThrough } from "../clients/passed-through.ts";

/** Answers that are one body, in which clients did not find what was said. */
const request = { model: "m", messages: [{ role: "user", content: "Hi." }] };
const url = "https://host.example/v1/chat/completions";
const type = "application/json";
const answer = (message: object, finish = "stop"): string =>
  JSON.stringify({
    id: "x",
    choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: finish }],
  });
const call = (id: string, given: unknown, more: object = {}): object => ({
  id,
  type: "function",
  ...more,
  function: { name: "f", arguments: given },
});

interface Choice {
  readonly message: {
    readonly content?: unknown;
    readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly arguments: string } }[];
  };
  readonly finish_reason: string;
}

async function choiceIn(body: string, address = url): Promise<Choice | undefined> {
  const { text } = await passedThrough({ url: address, request, body, type });
  return (JSON.parse(text) as { readonly choices: readonly Choice[] }).choices[0];
}

const block = { type: "tool_use", id: "t", name: "f", input: { x: 1 } };
const message = (content: readonly object[], more: object = {}): object => ({
  id: "m",
  type: "message",
  role: "assistant",
  model: "m",
  content,
  stop_reason: "tool_use",
  ...more,
});

/** What a client of Anthropic's gets of a message. */
async function messageIn(given: object): Promise<string> {
  const body = JSON.stringify(given);
  return (await passedThrough({ url: "https://host.example/v1/messages", request, body, type })).text;
}

describe("two entries of one list are two calls", () => {
  test.each([
    ["under one id", [call("a", '{"x":1}'), call("a", '{"x":2}')]],
    ["under one id, as objects", [call("a", { x: 1 }), call("a", { x: 2 })]],
    ["under one id and one index", [call("a", '{"x":1}', { index: 0 }), call("a", '{"x":2}', { index: 0 })]],
  ])("%s", async (_, calls) => {
    const choice = await choiceIn(answer({ content: null, tool_calls: calls }, "tool_calls"));
    const got = choice?.message.tool_calls ?? [];
    expect(got.map((each) => each.function.arguments)).toEqual(['{"x":1}', '{"x":2}']);
    expect(new Set(got.map(({ id }) => id)).size).toBe(2);
    expect(got[0]?.id).toBe("a");
  });

  test("unless they are the same", async () => {
    const choice = await choiceIn(answer({ tool_calls: [call("a", '{"x":1}'), call("a", '{"x":1}')] }, "tool_calls"));
    expect(choice?.message.tool_calls).toHaveLength(1);
  });
});

describe("a list of texts is a text", () => {
  const texts = [
    { type: "text", text: "Hi" },
    { type: "text", text: " you" },
  ];

  test.each(["stop", "length", "content_filter", "eos"])("in an answer that ends with %s", async (finish) => {
    const choice = await choiceIn(answer({ content: texts }, finish));
    expect(choice).toMatchObject({ message: { content: "Hi you" }, finish_reason: finish });
  });

  test.each([
    ["with other parts", url, [...texts, { type: "image_url", image_url: { url: "data:," } }]],
    ["of Mistral's", "https://api.mistral.ai/v1/chat/completions", texts],
    ["that holds nothing", url, []],
  ])("but not one %s, which passes as it came", async (_, address, content) => {
    const body = answer({ content });
    expect(await passedThrough({ url: address, request, body, type })).toEqual({
      text: body,
      error: undefined,
      told: [],
    });
  });
});

describe("an answer that does not say whose it is", () => {
  const called = { content: null, tool_calls: [call("a", '{"x":1}')] };

  test.each<[role: unknown]>([[undefined], [null], [""], ["model"]])("in the chat format, role: %j", async (role) => {
    for (const [message, finish] of [[called, "tool_calls"] as const, [{ content: "Hi." }, "length"] as const])
      expect(await choiceIn(answer({ ...message, role }, finish))).toEqual({
        index: 0,
        message: { ...message, role: "assistant" },
        finish_reason: finish,
      });
  });

  test("is heard by LangChain", async () => {
    const body = answer({ ...called, role: undefined }, "tool_calls");
    const fetch = wrapFetch({ logger: false, fetch: answering(body, type) });
    const options = { model: "gpt-4.1", apiKey: "none", maxRetries: 0, useResponsesApi: false };
    const model = new ChatOpenAI({ ...options, configuration: { baseURL: "https://host.example/v1", fetch } });
    expect((await model.invoke("Hi.")).tool_calls).toMatchObject([{ id: "a", name: "f", args: { x: 1 } }]);
  });

  test.each<[missing: object]>([[{ type: undefined }], [{ role: undefined }], [{ role: "" }], [{ type: null }]])(
    "in Anthropic's format, %j",
    async (missing) => {
      const text = { type: "text", text: "Hi." };
      for (const content of [[text], [text, block]]) {
        const whole = message(content, { stop_reason: content.length > 1 ? "tool_use" : "max_tokens" });
        expect(JSON.parse(await messageIn({ ...whole, ...missing }))).toEqual(whole);
      }
    },
  );
});

describe("a call in an answer that gives no reason for its end", () => {
  test.each<[reason: unknown]>([[undefined], [null], [""]])("is called, reason: %j", async (reason) => {
    const message = { role: "assistant", content: null, tool_calls: [call("a", '{"x":1}')] };
    const body = JSON.stringify({ id: "x", choices: [{ index: 0, message, finish_reason: reason }] });
    expect(await choiceIn(body)).toEqual({ index: 0, message, finish_reason: "tool_calls" });
    const streamed = await passedThrough({ url, request: { ...request, stream: true }, body, type });
    expect(streamed.text).toContain('"finish_reason":"tool_calls"');
  });

  test.each<[reason: unknown]>([[undefined], [null], [""]])("is used, in Anthropic's format, %j", async (reason) => {
    expect(JSON.parse(await messageIn(message([block], { stop_reason: reason })))).toMatchObject({
      stop_reason: "tool_use",
    });
  });

  test.each(["", " ", '{"x":'])("but not one that may be cut off: %j", async (args) => {
    const message = { role: "assistant", content: null, tool_calls: [call("a", args)] };
    const body = JSON.stringify({ id: "x", choices: [{ index: 0, message, finish_reason: null }] });
    expect((await passedThrough({ url, request, body, type })).text).toBe(body);
  });
});

test("a text without a word in a message of Anthropic's goes with what is mended", async () => {
  const nothing = { type: "text", text: null };
  expect(JSON.parse(await messageIn(message([nothing, block])))).toEqual(message([block]));
});
