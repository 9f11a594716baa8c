import fc from "fast-check";
import { wrapFetch } from "undangle";
import type { StreamFormat, WireRepair, WrapFetchOptions } from "undangle";
import { expect, test } from "vitest";

import { called as use, ending as used, ping, reason, start, text as said } from "./clients/message-events.ts";
import { events, named, responseOf } from "./clients/passed-through.ts";
import { begun, calls, end, role } from "./clients/chat-chunks.ts";
import { chunk } from "./clients/passed-through.ts";
import { called } from "./clients/response-events.ts";

interface Stream {
  readonly format: StreamFormat;
  readonly url: string;
  readonly body: string;
}

const request = { model: "m", stream: true, max_tokens: 9, messages: [], input: "Hi.", contents: [] };
const chat = "https://host.example/v1/chat/completions";
const messages = "https://host.example/v1/messages";
const responses = "https://host.example/v1/responses";
const gemini = "https://host.example/v1beta/models/g:streamGenerateContent?alt=sse";
const ollama = "http://127.0.0.1:11434/api/chat";

const chatCall = (id: string | null): object => calls({ ...begun(0, "f", '{"a":1}'), id });
const response = (...items: readonly ReturnType<typeof called>[]): string =>
  named(
    { type: "response.created", response: responseOf("in_progress") },
    ...items.flatMap((item, index) => [
      { type: "response.output_item.added", output_index: index, item: { ...item, arguments: "" } },
      { type: "response.function_call_arguments.done", output_index: index, item_id: item["id"], ...pick(item) },
      { type: "response.output_item.done", output_index: index, item },
    ]),
    { type: "response.completed", response: responseOf("completed", ...items) },
  );
const pick = ({ arguments: given }: Readonly<Record<string, unknown>>) => ({ arguments: given });
const part = (part: object, finish?: string): object => ({
  candidates: [{ index: 0, content: { role: "model", parts: [part] }, ...(finish && { finishReason: finish }) }],
});
const line = (value: object): string => `${JSON.stringify(value)}\n`;

/** Streams that are over, healthy and damaged, with calls and without. */
const streams: readonly Stream[] = [
  {
    format: "openai-chat",
    url: chat,
    body: events(role, chunk({ content: "a" }), chunk({}, "stop"), "data: [DONE]\n\n"),
  },
  { format: "openai-chat", url: chat, body: events(role, chatCall("c"), end, "data: [DONE]\n\n") },
  { format: "openai-chat", url: chat, body: events(role, chatCall(null), end, "data: [DONE]\n\n") },
  {
    format: "anthropic",
    url: messages,
    body: start + said(0, "a") + reason("end_turn") + named({ type: "message_stop" }),
  },
  { format: "anthropic", url: messages, body: start + use(0, "f", '{"a":', "1}") + used },
  { format: "anthropic", url: messages, body: start + use(0, "f", '{"a":1}').replace("toolu_0", "") + used },
  { format: "openai-responses", url: responses, body: response(called(0, "f", '{"a":1}')) },
  { format: "openai-responses", url: responses, body: response({ ...called(0, "f", '{"a":1}'), call_id: "" }) },
  { format: "gemini", url: gemini, body: events(part({ text: "a" }), part({ text: "b" }, "STOP")) },
  { format: "gemini", url: gemini, body: events(part({ functionCall: { name: "f", args: { a: 1 } } }, "STOP")) },
  {
    format: "ollama",
    url: ollama,
    body:
      line({ model: "m", message: { role: "assistant", content: "a" }, done: false }) +
      line({ model: "m", message: { role: "assistant", content: "" }, done: true, done_reason: "stop" }),
  },
];

/** What servers and proxies send when a stream is over. */
const trailers = [
  ": bye\n\n",
  "\n\n",
  "event: ping\ndata: {}\n\n",
  'event: ping\ndata: {"type":"ping"}\n\n',
  'data: {"type":"ping"}\n\n',
  "event: heartbeat\ndata: {}\n\n",
  "event: heart-beat\r\ndata: x\r\n\r\n",
  "event: keepalive\ndata:\n\n",
  "event: keep-alive\n\n",
  'event: KEEP_ALIVE\ndata: {"type":"keep_alive"}\n\n',
  "data: [DONE]\n\n",
  "data:\n\n",
  "id: 7\nretry: 3\n\n",
  ping,
  'data: {"x":1}\n\n',
  events(chunk({ content: "more" })),
  events(chunk({ tool_calls: [{ index: 1, id: "d", type: "function", function: { name: "g", arguments: "{}" } }] })),
  said(1, "more"),
  named({ type: "response.output_text.delta", output_index: 9, item_id: "m", content_index: 0, delta: "more" }),
  "data: {",
] as const;
const keepAlives = trailers.slice(0, 10);

const cut = (body: string, places: readonly number[]): Uint8Array[] => {
  const bytes = new TextEncoder().encode(body);
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].toSorted((a, b) => a - b);
  return [0, ...ends].map((from, i) => bytes.slice(from, ends[i] ?? bytes.length)).filter(({ length }) => length > 0);
};

async function passed(
  { format, url }: Stream,
  pieces: readonly Uint8Array[],
  options: WrapFetchOptions,
  headers: Readonly<Record<string, string>> = {},
) {
  const told: WireRepair[] = [];
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = queue.shift();
        if (piece === undefined) controller.close();
        else controller.enqueue(piece);
      },
    },
    { highWaterMark: 0 },
  );
  const queue = [...pieces];
  const type = format === "ollama" ? "application/x-ndjson" : "text/event-stream";
  const fetch = wrapFetch({
    ...options,
    logger: false,
    onRepair: (repair) => void (repair.side === "response" && told.push(repair)),
    fetch: async () => new Response(body, { headers: { "content-type": type } }),
  });
  const sent = {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(request),
  };
  const reader = (await fetch(url, sent)).body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read())
      text += decoder.decode(piece.value as Uint8Array, { stream: true }); // a body is bytes
    return { text, error: undefined, told };
  } catch (error) {
    return { text, error: String(error), told };
  }
}

const options = fc.record({
  toolCalls: fc.constantFrom("hold" as const, "stream" as const),
  mode: fc.constantFrom("repair" as const, "warn" as const),
});

test("what passes, and what is reported, does not depend on how the bytes are cut", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...streams),
      fc.array(fc.constantFrom(...trailers), { maxLength: 4 }),
      fc.array(fc.nat(), { maxLength: 12 }),
      options,
      async (stream, after, places, given) => {
        const body = stream.body + after.join("");
        const whole = await passed(stream, cut(body, []), given);
        const atEnd = [...places, new TextEncoder().encode(stream.body).length];
        for (const at of [places, atEnd]) expect(await passed(stream, cut(body, at), given)).toEqual(whole);
      },
    ),
  );
});

test("keep-alives after the end pass as they came, and are no repair", async () => {
  for (const stream of streams.filter(({ format }) => format !== "gemini" && format !== "ollama")) {
    const { text, told } = await passed(stream, cut(stream.body, []), {});
    for (const after of keepAlives) {
      const size = new TextEncoder().encode(stream.body).length;
      for (const at of [[], [size], [size - 1], [size + 3]])
        expect(await passed(stream, cut(stream.body + after, at), {})).toEqual({
          text: text + after,
          error: undefined,
          told,
        });
    }
  }
});

test("a client that trips over unknown events gets keep-alives after the end as comments", async () => {
  const stream = streams.find(({ format }) => format === "openai-responses");
  if (stream === undefined) throw new Error("There is no such stream.");
  const size = new TextEncoder().encode(stream.body).length;
  const helper = { "x-stainless-helper-method": "stream", "x-stainless-package-version": "7.53.0" };
  const { text: alone } = await passed(stream, cut(stream.body, []), {}, helper);
  for (const at of [[], [size]]) {
    const given = cut(`${stream.body}event: ping\ndata: {"type":"ping"}\n\n: bye\n\n`, at);
    const { text } = await passed(stream, given, {}, helper);
    expect(text).toBe(`${alone}: event: ping\n: data: {"type":"ping"}\n\n: bye\n\n`);
  }
});
