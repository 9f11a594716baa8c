import type { JsonObject } from "#core";
import { describe, expect, test } from "vitest";

import type { Message, Setting } from "#codecs";

import type { ModelRequest } from "../model.ts";
import { createHistoryWriter } from "./written-history.ts";

const text = (words: string) => ({ type: "text", path: "", text: words }) as const;
const user = (words: string): Message => ({ role: "user", path: "", name: undefined, parts: [text(words)] });
const call = (id: string): Message => ({
  role: "assistant",
  path: "",
  parts: [text("Hm."), { type: "call", path: "", id, name: "add", input: { text: "{}" }, isCustom: false }],
});
const result = (id: string): Message => ({
  role: "tool",
  path: "",
  results: [{ path: "", id, name: "add", parts: [text("3")], isError: false }],
});
const answer = (words: string): Message => ({ role: "assistant", path: "", parts: [text(words)] });

const conversation: readonly Message[] = [
  user("1 + 2?"),
  call("a"),
  result("a"),
  call("b"),
  result("b"),
  answer("Three."),
  user("Sure?"),
  answer("Yes."),
  user("Thanks."),
];

const setting: Setting = {
  model: "m",
  isStreamed: true,
  tools: [{ path: "", name: "add", description: undefined, schema: {}, isCustom: false, isStrict: false }],
  toolChoice: undefined,
  isParallel: undefined,
  sampling: {},
};

const system = [text("Be brief.")];
const tools: ModelRequest["tools"] = [{ name: "add", description: undefined, schema: {} }];

const requestWith = (messages: readonly Message[], given: Partial<ModelRequest> = {}): ModelRequest => ({
  system,
  messages,
  tools,
  knownIds: [],
  language: "en",
  signal: new AbortController().signal,
  ...given,
});

const listIn = (body: JsonObject): readonly unknown[] =>
  (body["messages"] ?? body["input"] ?? body["contents"]) as readonly unknown[]; // one of them is there

const providers = (
  [
    ["openai-chat", "openai"],
    ["openai-chat", "mistral"],
    ["openai-chat", "deepseek"],
    ["openai-responses", undefined],
    ["anthropic", undefined],
    ["gemini", undefined],
    ["ollama", undefined],
  ] as const
).map(([format, profile]) => ({ format, profile }));

describe.each(providers)("a history for $format $profile", (provider) => {
  const place = { profile: provider.profile, server: undefined };

  test("is written as if it had been written at once, and what was sent stays as it was", () => {
    const write = createHistoryWriter(provider, "m");
    let before: readonly unknown[] = [];
    for (let end = 1; end <= conversation.length; end++) {
      const messages = conversation.slice(0, end);
      if (messages.at(-1)?.role === "assistant") continue;
      const { body, sent } = write(requestWith(messages), setting, place);
      expect(body).toEqual(createHistoryWriter(provider, "m")(requestWith(messages), setting, place).body);
      const list = listIn(body);
      before.forEach((message, i) => expect(list[i]).toBe(message));
      before = list;
      sent(body);
    }
  });

  test("is written anew when it begins otherwise", () => {
    const write = createHistoryWriter(provider, "m");
    const messages = conversation.slice(0, 3);
    const first = write(requestWith(messages), setting, place);
    first.sent(first.body);
    const others: readonly Partial<ModelRequest>[] = [
      { system: [text("Be long.")] },
      { system: [...system, text("Be kind.")] },
      { tools: [] },
      { tools: [{ name: "add", description: undefined, schema: {} }] },
      { language: "zh" },
      { messages: [user("1 + 2?"), ...conversation.slice(1, 5)] },
    ];
    const moved = write(requestWith(conversation.slice(0, 5)), setting, { ...place, server: "elsewhere" });
    expect(listIn(moved.body)[0]).not.toBe(listIn(first.body)[0]);
    for (const other of others) {
      const { body } = write(requestWith(conversation.slice(0, 5), other), setting, place);
      expect(listIn(body)[0]).not.toBe(listIn(first.body)[0]);
    }
    const same = { system: [text("Be brief.")], tools: [...tools] }; // as hooks write them
    const { body } = write(requestWith(conversation.slice(0, 5), same), setting, place);
    expect(listIn(body)[0]).toBe(listIn(first.body)[0]);
  });
});
