import { describe, expect, test } from "vitest";

import { passedThrough } from "../clients/passed-through.ts";

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
