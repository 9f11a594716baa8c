import { wrapFetch } from "undangle";
import { afterEach, describe, expect, test } from "vitest";
import { wireServer } from "undangle/testing";
import type { ScriptedTurn, WireServer } from "undangle/testing";
import { block, delta, reason, start as begun } from "./clients/message-events.ts";
import { answering, named, passedThrough } from "./clients/passed-through.ts";
import { part } from "./clients/response-events.ts";
import { turn } from "./clients/verdict.ts";

let server: WireServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function start(turn: ScriptedTurn): Promise<WireServer> {
  server = await wireServer({ strict: false, turns: () => turn });
  return server;
}

const init = (stream: boolean): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ model: "gpt-4.1", stream, messages: [{ role: "user", content: "Hi." }] }),
});

/** A `fetch` that gives a body, piece by piece, to a chat request. */
function giving(pieces: readonly string[], type = "text/event-stream") {
  const log: string[] = [];
  const source = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = pieces[log.length];
        log.push(piece ?? "end");
        if (piece === undefined) controller.close();
        else controller.enqueue(new TextEncoder().encode(piece));
      },
      cancel: () => void log.push("cancelled"),
    },
    { highWaterMark: 0 },
  );
  const fetch = wrapFetch({ logger: false, fetch: answering(source, type) });
  return { log, send: () => fetch("https://host.example/v1/chat/completions", init(true)) };
}

async function textFrom(reader: ReadableStreamDefaultReader<Uint8Array> | undefined): Promise<string> {
  const piece = await reader?.read();
  return new TextDecoder().decode(piece?.value);
}

const said = (content: string): string =>
  `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"${content}"},"finish_reason":null}]}\n\n`;
const called = `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]},"finish_reason":null}]}\n\n`;
const ended = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\n`;

describe("a healthy answer", () => {
  test.each([true, false])("comes out as it went in, streamed: %s", async (stream) => {
    const { url } = await start({ ...turn, reasoning: "Hm." });
    const bare = await fetch(`${url}/v1/chat/completions`, init(stream));
    const wrapped = await wrapFetch({ logger: false })(`${url}/v1/chat/completions`, init(stream));
    const ids = /chatcmpl-\w+|"created":\d+|call_\d+_\d+/gu; // each answer has its own
    expect((await wrapped.text()).replaceAll(ids, "")).toBe((await bare.text()).replaceAll(ids, ""));
    expect(wrapped.url).toBe(bare.url);
    expect(wrapped.headers.get("content-type")).toBe(bare.headers.get("content-type"));
  });

  test("passes what is said at once, and what is called when it is over", async () => {
    const pieces = [said("a"), called, said("b"), ended, "data: [DONE]\n\n"];
    const { log, send } = giving(pieces);
    const reader = (await send()).body?.getReader();
    const read = (): Promise<string> => textFrom(reader);
    expect(log).toHaveLength(0); // nobody has asked yet
    expect(await read()).toBe(said("a"));
    expect(log).toHaveLength(1);
    expect(await read()).toBe(called + said("b"));
    let rest = "";
    for (let more = await read(); more !== ""; more = await read()) rest += more;
    expect(rest).toBe(`${ended}data: [DONE]\n\n`);
  });

  test("is not read on when nobody wants it", async () => {
    const { log, send } = giving([said("a"), said("b")]);
    const reader = (await send()).body?.getReader();
    await reader?.read();
    await reader?.cancel();
    expect(log).toEqual([said("a"), "cancelled"]);
  });
});

describe("a healthy stream of any format, however it is cut", () => {
  const requests = [
    [
      "openai-chat",
      "/v1/chat/completions",
      { model: "gpt-4.1", stream: true, messages: [{ role: "user", content: "Hi." }] },
    ],
    ["openai-responses", "/v1/responses", { model: "gpt-5.1", stream: true, input: "Hi." }],
    [
      "anthropic",
      "/v1/messages",
      { model: "m", max_tokens: 9, stream: true, messages: [{ role: "user", content: "Hi." }] },
    ],
    [
      "gemini",
      "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
      { contents: [{ role: "user", parts: [{ text: "Hi." }] }] },
    ],
    ["ollama", "/api/chat", { model: "qwen3", stream: true, messages: [{ role: "user", content: "Hi." }] }],
  ] as const;
  const turns: readonly ScriptedTurn[] = [
    { ...turn, reasoning: "Hm, let me see. 让我想想。".repeat(20) },
    { text: "Only words, and many of them. ".repeat(50) },
    { calls: [{ name: "find_book", arguments: { text: 'a "b" \\ \n'.repeat(200) } }, { name: "open_file" }] },
  ];

  test.each(requests)("%s comes out as it went in", async (_, path, asked) => {
    for (const each of turns) {
      const played = await start(each);
      const post = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(asked) };
      const bare = await fetch(played.url + path, post);
      const headers = { "content-type": bare.headers.get("content-type") ?? "" };
      const bytes = new Uint8Array(await bare.arrayBuffer());
      await played.close();
      for (const size of [1, 7, 64, 1000, bytes.length]) {
        const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (__, i) =>
          bytes.slice(i * size, (i + 1) * size),
        );
        const told: string[] = [];
        const wrapped = wrapFetch({
          logger: { warn: (line) => void told.push(line) },
          fetch: async () => new Response(ReadableStream.from(pieces), { headers }),
        });
        const response = await wrapped(`https://host.example${path}`, post);
        expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
        expect(told).toEqual([]);
      }
    }
  });
});

describe("a turn that is cut off", () => {
  test("ends in an error, behind what was said", async () => {
    const { send } = giving([said("a"), called]);
    const reader = (await send()).body?.getReader();
    expect(await textFrom(reader)).toBe(said("a"));
    await expect(reader?.read()).rejects.toThrow("cut off in the middle of a tool call");
  });
});

describe("a text that is cut off", () => {
  const types = { "openai-chat": said("Hello"), ...others() };

  function others() {
    const item = { type: "message", id: "msg_1", role: "assistant", content: [] };
    const place = { item_id: "msg_1", output_index: 0, content_index: 0 };
    return {
      anthropic: begun + block(0, { type: "text", text: "" }) + delta(0, { type: "text_delta", text: "Hello" }),
      "openai-responses": named(
        { type: "response.created", response: { id: "r", output: [] } },
        { type: "response.output_item.added", output_index: 0, item },
        { type: "response.content_part.added", ...place, part: part("") },
        { type: "response.output_text.delta", ...place, delta: "Hello" },
      ),
      gemini: `data: {"candidates":[{"index":0,"content":{"role":"model","parts":[{"text":"Hello"}]}}]}\n\n`,
      ollama: `{"model":"m","message":{"role":"assistant","content":"Hello"},"done":false}\n`,
    };
  }
  const asked = {
    "openai-chat": ["/v1/chat/completions", { messages: [] }],
    anthropic: ["/v1/messages", { messages: [] }],
    "openai-responses": ["/v1/responses", { input: "Hi." }],
    gemini: ["/v1beta/models/m:streamGenerateContent?alt=sse", { contents: [] }],
    ollama: ["/api/chat", { messages: [] }],
  } as const;

  /** Reads a body that ends in an error, or does not. */
  async function readAll(format: keyof typeof asked, body: string) {
    const [path, rest] = asked[format];
    const type = format === "ollama" ? "application/x-ndjson" : "text/event-stream";
    const request = { model: "m", stream: true, ...rest };
    return passedThrough({ url: `https://host.example${path}`, request, type, body });
  }

  test.each(Object.keys(asked) as (keyof typeof asked)[])("ends in an error behind all of it: %s", async (format) => {
    const { text, error } = await readAll(format, types[format]);
    expect(text).toBe(types[format]);
    expect(error).toContain("The response was cut off: the stream ended too early");
  });

  test.each([
    ["openai-chat", "only the mark of the end", `${said("Hello")}data: [DONE]\n\n`],
    ["openai-chat", "only a reason", said("Hello").replace("null", '"stop"')],
    ["openai-chat", "nothing at all", ""],
    ["anthropic", "a reason, and no end of the message", types.anthropic + reason("end_turn")],
  ] as const)("%s: %s is an end", async (format, _, text) => {
    expect((await readAll(format, text)).error).toBeUndefined();
  });
});
