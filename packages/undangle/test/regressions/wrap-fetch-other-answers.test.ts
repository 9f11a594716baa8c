import { wrapFetch } from "undangle";
import type { WireRepair } from "undangle";
import { describe, expect, test, vi } from "vitest";

const chat = "https://host.example/v1/chat/completions";
const asked = { model: "qwen3", messages: [{ role: "user", content: "Hi." }], stream: true };
const post = (body: unknown): RequestInit => ({ method: "POST", body: JSON.stringify(body) });
const typed = (type: string) => ({ headers: { "content-type": type } });

describe("an answer that is no Response passes as it is", () => {
  const json = async (): Promise<unknown> => ({ id: "a" });
  test.each<[what: string, answer: object]>([
    ["without headers", { ok: true, status: 200, json }],
    ["without a body", { ok: true, status: 200, headers: new Headers(typed("application/json").headers), json }],
    [
      "with a body that is no stream of the platform",
      {
        ok: true,
        status: 200,
        headers: new Headers(typed("text/event-stream").headers),
        body: { pipe: () => undefined },
      },
    ],
    ["with headers of its own kind", { ok: true, status: 200, headers: {}, body: new Response("x").body }],
  ])("%s", async (_, answer) => {
    const fetch = wrapFetch({ logger: false, fetch: async () => answer as Response });
    expect(await fetch(chat, post(asked))).toBe(answer);
  });

  test("also one that cannot be copied, which is told", async () => {
    const body = new Response("{}").body;
    const answer = {
      ok: true,
      status: 200,
      statusText: "\n",
      headers: new Headers(typed("application/json").headers),
      body,
    };
    const lines: string[] = [];
    const send = async () => answer as Response;
    const fetch = wrapFetch({ logger: { warn: (line) => void lines.push(line) }, fetch: send });
    expect(await fetch(chat, post(asked))).toBe(answer);
    expect(body?.locked).toBe(false);
    expect(lines).toEqual([expect.stringMatching(/^undangle: the response of .* passed unchanged: /u)]);
  });
});

describe("a chat of somebody's own at /api/chat", () => {
  const own = "https://host.example/api/chat";
  const page = {
    id: "c",
    trigger: "submit-message",
    messages: [
      { id: "1", role: "user", parts: [{ type: "text", text: "Hi." }] },
      { id: "2", role: "assistant", parts: [{ type: "tool-f", toolCallId: "a", state: "input-available", input: {} }] },
      { id: "3", role: "user", parts: [{ type: "text", text: "Well?" }] },
    ],
  };
  const call = { id: "a", type: "function", function: { name: "f", arguments: "{}" } };
  const spoken = [
    ["messages of a page", page],
    ["messages of a page, and a model", { ...page, model: "m" }],
    ["no model", { messages: asked.messages }],
    ["calls as OpenAI has them", { ...asked, messages: [{ role: "assistant", content: "", tool_calls: [call] }] }],
    ["parts", { ...asked, messages: [{ role: "user", content: [{ type: "text", text: "Hi." }] }] }],
  ] as const;

  test.each(spoken)("is sent as it is, and so is its answer: %s", async (_, body) => {
    const answer = new Response('data: {"type":"start"}\n\n', typed("text/event-stream"));
    const send = vi.fn<typeof fetch>(async () => answer);
    const init = post(body);
    await expect(wrapFetch({ logger: false, fetch: send })(own, init)).resolves.toBe(answer);
    expect(send.mock.calls).toEqual([[own, init]]);
  });

  test.each([
    ["events", "text/event-stream", 'data: {"type":"text-delta","id":"0","delta":"Hello"}\n\n'],
    ["a data stream", "text/plain; charset=utf-8", '0:"Hello"\n0:" you"\nd:{"finishReason":"stop"}\n'],
    ["text", "text/plain", "Hello"],
    ["JSON", "application/json", '{"reply":"Hello"}'],
    ["lines of JSON that are called JSON", "application/json", '{"reply":"Hel"}\n{"reply":"lo"}\n'],
    ["JSON of many lines", "application/json", '{\n  "reply": "Hello"\n}'],
    ["a page", "text/plain", "<html></html>"],
    ["nothing", "text/plain", ""],
  ])("answers as it likes, also where the request could be Ollama's: %s", async (_, type, text) => {
    const onRepair = vi.fn<(repair: WireRepair) => void>();
    const send = async () => new Response(text, typed(type));
    const response = await wrapFetch({ logger: false, onRepair, fetch: send })(own, post(asked));
    expect(await response.text()).toBe(text);
    expect(response.headers.get("content-type")).toBe(type);
    expect(onRepair).not.toHaveBeenCalled();
  });
});

test("a whole answer of somebody's own at /api/chat keeps its calls as they are", async () => {
  const call = { id: "a", type: "function", function: { name: "f", arguments: "{}" } };
  const text = JSON.stringify({ message: { role: "assistant", content: "", tool_calls: [call] } });
  const send = async () => new Response(text, typed("application/json"));
  const fetch = wrapFetch({ logger: false, fetch: send });
  const response = await fetch("https://host.example/api/chat", post({ ...asked, stream: false }));
  expect(await response.text()).toBe(text);
});

describe("Ollama is told", () => {
  const line = (message: object, done: boolean): string => `${JSON.stringify({ model: "qwen3", message, done })}\n`;
  const twice = [{ function: { name: "f", arguments: '{"a":1}' } }]; // text, where it has to be an object
  const damaged =
    line({ role: "assistant", content: "", tool_calls: twice }, false) + line({ role: "assistant", content: "" }, true);

  test.each([
    ["by the first line of the answer", "https://host.example/api/chat", "application/json"],
    ["by its type", "https://host.example/api/chat", "application/x-ndjson"],
    ["where its type says nothing", "https://host.example/api/chat", "text/plain"],
  ])("%s", async (_, url, type) => {
    const send = async () => new Response(damaged, typed(type));
    const response = await wrapFetch({ logger: false, fetch: send })(url, post(asked));
    expect(await response.text()).toContain('"arguments":{"a":1}');
  });

  test.each(["http://localhost:11434/api/chat", "https://ollama.com/api/chat", "http://ollama.internal/api/chat"])(
    "by %s, whatever the history is written for",
    async (url) => {
      const call = { id: "a", type: "function", function: { name: "f", arguments: "{}" } };
      const send = vi.fn<typeof fetch>(async () => new Response("no", { status: 400 }));
      const messages = [...asked.messages, { role: "assistant", content: "", tool_calls: [call] }];
      await wrapFetch({ logger: false, fetch: send })(url, post({ ...asked, messages }));
      expect(send.mock.calls[0]?.[1]?.body).toContain('"arguments":{}');
    },
  );
});

test.each([
  ["/channels/1/messages", { messages: [{ text: "Hi." }, { text: "You?" }] }],
  ["/forms/1/responses", { input: [{ id: 1, answer: "yes" }] }],
])("what others have at %s is not looked at", async (path, body) => {
  const answer = new Response("{}", typed("application/json"));
  const lines: string[] = [];
  const fetch = wrapFetch({ logger: { warn: (line) => void lines.push(line) }, fetch: async () => answer });
  expect(await fetch(`https://host.example${path}`, post(body))).toBe(answer);
  expect(lines).toEqual([]);
});

test.each(["/v1beta/tunedModels/t:generateContent", "/v1/projects/p/locations/l/endpoints/1:generateContent"])(
  "Gemini is told by %s",
  async (path) => {
    const contents = [
      { role: "user", parts: [{ text: "Hi." }] },
      { role: "model", parts: [{ functionCall: { name: "f", args: {} } }] },
      { role: "user", parts: [{ text: "Well?" }] },
    ];
    const send = vi.fn<typeof fetch>(async () => new Response("no", { status: 400 }));
    await wrapFetch({ logger: false, fetch: send })(`https://host.example${path}`, post({ contents }));
    expect(send.mock.calls[0]?.[1]?.body).toContain("functionResponse");
  },
);

test.each(["text/plain", "application/octet-json", ""])(
  "who asked for a stream gets what is none as it is: %j",
  async (type) => {
    for (const text of ['0:"Hello"\n', "datum", "Hello", "<p>", "\n\n", '{"reply":"Hello"}']) {
      const send = async () => new Response(new TextEncoder().encode(text), type === "" ? {} : typed(type));
      const response = await wrapFetch({ logger: false, fetch: send })(chat, post(asked));
      expect(await response.text()).toBe(text);
    }
  },
);

test.each(["Text/Event-Stream", "TEXT/PLAIN", "Application/JSON; charset=UTF-8"])(
  "the type of an answer is known in capitals too: %s",
  async (type) => {
    const call = { index: 0, id: null, type: "function", function: { name: "f", arguments: "{}" } };
    const delta = { role: "assistant", content: null, tool_calls: [call] };
    const chunks = [delta, {}].map((each, i) => ({
      choices: [{ index: 0, delta: each, finish_reason: i === 0 ? null : "stop" }],
    }));
    const body = `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")}data: [DONE]\n\n`;
    const fetch = wrapFetch({ logger: false, fetch: async () => new Response(body, typed(type)) });
    const text = await (await fetch(chat, post(asked))).text();
    expect(text).toContain('"finish_reason":"tool_calls"');
    expect(text).not.toContain('"id":null');
  },
);
