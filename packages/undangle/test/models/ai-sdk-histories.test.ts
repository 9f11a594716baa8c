import { aiSdkModel } from "#model";
import type { ModelRequest } from "#model";
import { wireServer } from "#testing";
import { describe, expect, test } from "vitest";

import { aiSdkFamilies, modelOf } from "./ai-sdk-families.ts";
import { hear } from "./asking.ts";

describe("whatever a conversation has been through", () => {
  const text = (words: string) => ({ type: "text", path: "", text: words }) as const;
  const says = (words: string) => ({ role: "user", path: "", name: undefined, parts: [text(words)] }) as const;
  const calls = (id: string, name = "find") =>
    ({ type: "call", path: "", id, name, input: { value: {} }, isCustom: false }) as const;
  const gives = (id: string, name = "find") =>
    ({ path: "", id, name, parts: [text("found")], isError: false }) as const;
  const turn = (id: string, name?: string): ModelRequest["messages"] => [
    { role: "assistant", path: "", parts: [calls(id, name)] },
    { role: "tool", path: "", results: [gives(id, name)] },
  ];
  const file = (mediaType: string | undefined) =>
    ({ type: "media", path: "", kind: "file", mediaType, source: { type: "bytes", data: "aGVsbG8=" } }) as const;
  const histories: Readonly<Record<string, ModelRequest["messages"]>> = {
    "ids that come again": [says("Go."), ...turn("c1"), says("Again."), ...turn("c1"), ...turn("c1")],
    "ids that nobody else takes": [says("Go."), ...turn("functions.find:0"), ...turn("x".repeat(90))],
    "names that nobody else takes": [says("Go."), ...turn("c1", "files.find it"), ...turn("c2", "9".repeat(80))],
    "answers in a row": [
      says("Go."),
      { role: "assistant", path: "", parts: [text("One.")] },
      { role: "assistant", path: "", parts: [text("Two."), calls("c1")] },
      { role: "tool", path: "", results: [gives("c1")] },
    ],
    "no user first": [...turn("c1"), says("Go.")],
    "files of any kind": [
      {
        role: "user",
        path: "",
        name: undefined,
        parts: [text("Look."), file(undefined), file("application/zip"), file("audio/wav")],
      },
      { role: "assistant", path: "", parts: [calls("c1")] },
      { role: "tool", path: "", results: [{ ...gives("c1"), parts: [text("a"), file("application/zip"), text("b")] }] },
    ],
    "nothing to read": [says(" "), { role: "assistant", path: "", parts: [text(" ")] }, says("Go.")],
  };

  test("Claude thinks only where it may: a loop that another model began is gone on with without", async () => {
    const server = await wireServer({ turns: () => ({ text: "Good." }) });
    const anthropic = aiSdkFamilies.filter(({ format }) => format === "anthropic");
    const options = { providerOptions: { anthropic: { thinking: { type: "enabled", budgetTokens: 2000 } } } };
    const thought = {
      type: "reasoning",
      path: "",
      text: "Hm.",
      seal: { owner: "anthropic", value: "c2VhbGVk" },
      isRedacted: false,
    } as const;
    const [called, given] = turn("c1");
    if (called?.role !== "assistant" || given === undefined) throw new Error("a turn is a call and its result");
    const own: ModelRequest["messages"] = [
      says("Go."),
      { ...called, parts: [thought, ...called.parts] },
      given,
      ...turn("c2"),
    ];
    for (const family of anthropic) {
      const model = modelOf(family, server.baseUrl("anthropic"), options);
      for (const messages of [[says("Go."), ...turn("c1")], [says("Go."), ...turn("c1"), says("Again.")], own]) {
        expect((await hear(model, { messages })).error).toBeUndefined();
      }
    }
    const thinking = server.requests.map(
      ({ body }) => (body["thinking"] as { readonly type?: string } | undefined)?.type,
    );
    expect(thinking.map((type) => type === "enabled")).toEqual(anthropic.flatMap(() => [false, true, true]));
    await server.close();
  });

  test("Bedrock gets what Anthropic signed under its own name", async () => {
    let prompt: unknown;
    const bedrock = {
      specificationVersion: "v4",
      provider: "amazon-bedrock",
      modelId: "anthropic.claude",
      doStream: (options: { readonly prompt: unknown }) => {
        ({ prompt } = options);
        return Promise.reject(new Error("enough"));
      },
    } as const;
    const seal = { owner: "anthropic", value: "sig" } as const;
    const reasoning = { type: "reasoning", path: "", text: "Hm.", seal, isRedacted: false } as const;
    const messages: ModelRequest["messages"] = [
      says("Go."),
      { role: "assistant", path: "", parts: [reasoning, text("One.")] },
      says("Go on."),
    ];
    await hear(aiSdkModel(bedrock, { retries: 0 }), { messages });
    expect(JSON.stringify(prompt)).toContain('"bedrock":{"signature":"sig"}');
  });

  test.each(Object.entries(histories))("every package is answered: %s", async (_, messages) => {
    const server = await wireServer({ turns: () => ({ text: "Good." }) });
    const problems: unknown[] = [];
    for (const family of aiSdkFamilies) {
      for (const tools of [[], [{ name: "find", description: "Finds.", schema: { type: "object" } }]]) {
        const model = modelOf(family, server.baseUrl(family.format), { retries: 0 });
        const { turn: answer, error } = await hear(model, { messages, tools });
        if (answer?.text !== "Good.") problems.push([family.name, tools.length, error]);
      }
    }
    await server.close();
    expect(problems).toEqual([]);
  });
});
