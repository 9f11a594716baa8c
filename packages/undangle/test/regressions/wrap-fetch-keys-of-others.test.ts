import { check } from "undangle";
import { describe, expect, test } from "vitest";

import { sentThrough } from "../clients/sent-through.ts";

/** What SDKs give back with an answer stayed on messages in lists of others, which refuse a key that they do not know. */
const targets = {
  anthropic: {
    url: "https://api.anthropic.com/v1/messages",
    body: (...messages: readonly object[]) => ({ model: "claude-sonnet-4-5", max_tokens: 9, tools, messages }),
    user: { role: "user", content: "Hi." },
  },
  responses: {
    url: "https://api.openai.com/v1/responses",
    body: (...input: readonly object[]) => ({ model: "gpt-5.1", input }),
    user: { role: "user", content: "Hi." },
  },
  gemini: {
    url: "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent",
    body: (...contents: readonly object[]) => ({ contents }),
    user: { role: "user", parts: [{ text: "Hi." }] },
  },
} as const;
const tools = [{ name: "look", input_schema: { type: "object" } }];
const names = ["anthropic", "responses", "gemini"] as const;
const own = new Set(["role", "content", "parts", "type", "id", "status"]);

/** What is sent of a message that stands between two of the user's. */
async function sent(name: (typeof names)[number], message: object): ReturnType<typeof sentThrough> {
  const { url, body, user } = targets[name];
  return sentThrough(url, body(user, message, user));
}

describe.each(names)("messages with keys of others in a list of %s", (name) => {
  test.each([
    ["OpenAI's", { refusal: null, annotations: [] }, true],
    ["OpenAI's, parsed", { refusal: null, parsed: null, tool_calls: [] }, true],
    ["DeepSeek's", { reasoning_content: "Hm." }, false],
    ["OpenRouter's", { reasoning: "Hm.", reasoning_details: [{ type: "reasoning.text", text: "Hm." }] }, false],
    ["Ollama's", { thinking: "Hm." }, false],
    ["one with a name", { name: "bob" }, false],
  ])("%s", async (_, keys, lossless) => {
    const { list, edits } = await sent(name, { role: "assistant", content: "SAID", ...keys });
    expect(list.flatMap((message) => Object.keys(message as object)).filter((key) => !own.has(key))).toEqual([]);
    expect(JSON.stringify(list[1])).toContain("SAID");
    const gone = edits.filter(({ rule }) => rule === "unknown-property");
    expect(edits.length).toBeGreaterThan(0);
    expect(gone.every((edit) => edit.lossless)).toBe(lossless);
  });

  test("a second repair changes nothing", async () => {
    const { url, body, user } = targets[name];
    const first = await sentThrough(url, body(user, { role: "assistant", content: "x", thinking: "Hm." }, user));
    const second = await sentThrough(url, JSON.parse(first.text) as object);
    expect(second).toEqual({ ...first, edits: [] });
  });

  test("keys that nobody knows are left to those who put them there", async () => {
    const { url, body, user } = targets[name];
    const given = body({ ...user, at: 1 });
    expect((await sentThrough(url, given)).text).toBe(JSON.stringify(given));
  });

  test("images of Ollama's are shown", async () => {
    const { list, edits } = await sent(name, { role: "user", content: "LOOK", images: ["iVBORw0KGgo="] });
    const { url, body, user } = targets[name];
    const expected = {
      anthropic: {
        role: "user",
        content: [
          { type: "text", text: "LOOK" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
        ],
      },
      responses: {
        role: "user",
        content: [
          { type: "input_text", text: "LOOK" },
          { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=" },
        ],
      },
      gemini: {
        role: "user",
        parts: [{ text: "LOOK" }, { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } }],
      },
    }[name];
    expect(list[1]).toEqual(expected);
    expect(edits).toMatchObject([{ rule: "chat-shape", lossless: true }]);
    const healthy = body(user, expected, user);
    expect((await sentThrough(url, healthy)).text).toBe(JSON.stringify(healthy));
  });

  test("so are those of a result, and its name is nowhere else", async () => {
    const { url, body, user } = targets[name];
    const call = { role: "assistant", content: "", tool_calls: [{ function: { name: "look", arguments: {} } }] };
    const result = { role: "tool", tool_name: "look", content: "SEEN", images: ["iVBORw0KGgo="] };
    const { text } = await sentThrough(url, body(user, call, result, user));
    expect(text).toContain("SEEN");
    expect(text).toContain("iVBORw0KGgo=");
    expect(text).not.toMatch(/"images"|"tool_name"/u);
  });

  test("what a model said in refusing stays, also beside other words", async () => {
    const { list } = await sent(name, { role: "assistant", content: "SAID", refusal: "REFUSED" });
    expect(JSON.stringify(list[1])).toMatch(/SAID.*REFUSED/u);
    expect(list[1]).not.toHaveProperty("refusal");
  });
});

test("a whole answer of Anthropic's is the message that it holds", async () => {
  const content = [{ type: "text", text: "SAID" }];
  const end = { stop_reason: "end_turn", stop_sequence: null, usage: { output_tokens: 1 } };
  const answer = { id: "msg_1", type: "message", role: "assistant", model: "claude", content, ...end };
  const { list, edits } = await sent("anthropic", answer);
  expect(list[1]).toEqual({ role: "assistant", content });
  expect(edits.every(({ lossless }) => lossless)).toBe(true);
});

test("an empty turn of Gemini's leaves no parts in a list of Responses", async () => {
  const { list } = await sent("responses", { role: "model", parts: [] });
  expect(list[1]).not.toHaveProperty("parts");
});

/** With words beside it a call of the chat format was taken for a message of text. */
describe("unanswered calls of other formats in Anthropic's list", () => {
  const calls = {
    chat: { tool_calls: [{ id: "call_1", type: "function", function: { name: "look", arguments: '{"q":1}' } }] },
    ollama: { tool_calls: [{ function: { name: "look", arguments: { q: 1 } } }] },
    legacy: { function_call: { name: "look", arguments: '{"q":1}' } },
  };
  const words = { none: null, text: "NOTED", blocks: [{ type: "text", text: "NOTED" }] };

  test.each(Object.entries(calls).flatMap(([of, call]) => Object.entries(words).map((said) => [of, ...said, call])))(
    "%s, content: %s",
    async (_, _name, content, call) => {
      const message = { role: "assistant", content, ...(call as object) };
      const { list } = await sent("anthropic", message);
      const said = content === null ? [] : [{ type: "text", text: "NOTED" }];
      const use = { type: "tool_use", id: expect.any(String) as unknown, name: "look", input: { q: 1 } };
      expect(list[1]).toEqual({ role: "assistant", content: [...said, use] });
      expect(list[2]).toMatchObject({ role: "user", content: [{ type: "tool_result", is_error: true }] });
      const { body, user } = targets.anthropic;
      const found = check(body(user, message, user), { format: "anthropic" }).map(({ rule }) => rule);
      expect(found).toEqual(expect.arrayContaining(["chat-shape", "unanswered-call"]));
    },
  );

  test("an id that such a call has is not used again", async () => {
    const { url, body, user } = targets.anthropic;
    const { list } = await sentThrough(
      url,
      body(
        user,
        { role: "assistant", content: "NOTED", ...calls.chat },
        { role: "tool", tool_call_id: "call_1", content: "FIRST" },
        { role: "assistant", content: [{ type: "tool_use", id: "call_1", name: "look", input: {} }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "SECOND" }] },
      ),
    );
    const ids = list.flatMap((message) => [...JSON.stringify(message).matchAll(/"(?:tool_use_)?id":"(\w+)"/gu)]);
    expect(new Set(ids.map(([, id]) => id)).size).toBe(2);
  });
});

test("the signature that Gemini gave a call in the chat format is one in its own", async () => {
  const { body, user } = targets.gemini;
  const extra = { extra_content: { google: { thought_signature: "c2ln" } } };
  const call = { id: "call_1", type: "function", function: { name: "look", arguments: "{}" }, ...extra };
  const { list } = await sentThrough(
    targets.gemini.url.replace("gemini-2.5-flash", "gemini-3-pro-preview"),
    body(
      user,
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "call_1", content: "x" },
    ),
  );
  expect(list[1]).toMatchObject({ role: "model", parts: [{ thoughtSignature: "c2ln" }] });
});

test("a result in chat's list that was marked as an error is told as a loss", async () => {
  const use = { type: "tool_use", id: "toolu_1", name: "look", input: {} };
  const result = { type: "tool_result", tool_use_id: "toolu_1", is_error: true, content: "disk full" };
  const messages = [
    { role: "user", content: "Look." },
    { role: "assistant", content: [use] },
    { role: "user", content: [result] },
  ];
  const { edits } = await sentThrough("https://api.openai.com/v1/chat/completions", { model: "gpt-4.1", messages });
  expect(edits.map(({ lossless }) => lossless)).toEqual([true, false]);
});
