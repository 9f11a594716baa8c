import { wrapFetch } from "undangle";
import { wireServer } from "undangle/testing";
import type { FaultName, WireFormat } from "undangle/testing";
import { afterEach, describe, expect, test, vi } from "vitest";

import { chunk, done, events } from "../clients/passed-through.ts";
import { sdks } from "../clients/sdks.ts";
import { turn, verdictOn } from "../clients/verdict.ts";

/** While a call was held, signs of life waited with it, and clients that wait for so long for a byte gave up. */
let time = 0;
const turnClock = (step = 0): void => {
  vi.spyOn(performance, "now").mockImplementation(() => (time += step));
};

afterEach(() => {
  vi.restoreAllMocks();
});

const named = (type: string, rest: object = {}): string => `event: ${type}\n${events({ type, ...rest })}`;
const message = { id: "m", type: "message", role: "assistant", model: "c", content: [], usage: { input_tokens: 1 } };
const use = { type: "tool_use", id: "toolu_1", name: "f", input: {} };
const json = (given: string): string =>
  named("content_block_delta", { index: 0, delta: { type: "input_json_delta", partial_json: given } });

const streams = {
  "openai-chat": {
    url: "https://host.example/v1/chat/completions",
    request: { model: "m", stream: true, messages: [{ role: "user", content: "Hi." }] },
    before: events(chunk({ role: "assistant", content: "Hé" })),
    begun: events(
      chunk({ tool_calls: [{ index: 0, id: "c", type: "function", function: { name: "f", arguments: "{" } }] }),
    ),
    rest: events(chunk({ tool_calls: [{ index: 0, function: { arguments: "}" } }] }), chunk({}, "tool_calls"), done),
  },
  anthropic: {
    url: "https://host.example/v1/messages",
    request: { model: "m", stream: true, max_tokens: 9, messages: [{ role: "user", content: "Hi." }] },
    before: named("message_start", { message }),
    begun: named("content_block_start", { index: 0, content_block: use }) + json("{"),
    rest:
      json("}") +
      named("content_block_stop", { index: 0 }) +
      named("message_delta", { delta: { stop_reason: "tool_use", stop_sequence: null }, usage: { output_tokens: 1 } }) +
      named("message_stop"),
  },
} as const;

/** What a client reads of a call that is held, and of what comes meanwhile, each so many milliseconds behind the one before. */
async function read(
  format: keyof typeof streams,
  wait: number,
  ...signs: readonly string[]
): Promise<readonly string[]> {
  const { url, request, before, begun, rest } = streams[format];
  const pieces = [before, begun, ...signs, rest];
  turnClock();
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = pieces.shift();
        if (piece === undefined) return controller.close();
        if (signs.includes(piece)) time += wait;
        controller.enqueue(new TextEncoder().encode(piece));
      },
    },
    { highWaterMark: 0 },
  );
  const headers = { "content-type": "text/event-stream" };
  const send = wrapFetch({ logger: false, fetch: async () => new Response(body, { headers }) });
  const response = await send(url, { method: "POST", body: JSON.stringify(request) });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const got: string[] = [];
  for (let piece = await reader.read(); !piece.done; piece = await reader.read())
    got.push(new TextDecoder().decode(piece.value));
  return got;
}

const ping = named("ping");

describe("while a call is held", () => {
  test.each([
    ["openai-chat", ": keep-alive\n\n"],
    ["openai-chat", ":\r\n\r\n"],
    ["anthropic", ": keep-alive\n\n"],
    ["anthropic", ping],
    ["anthropic", 'data: {"type": "ping"}\n\n'],
  ] as const)("%s: %j passes at once when nothing has passed for long", async (format, sign) => {
    const { before, begun, rest } = streams[format];
    expect(await read(format, 6000, sign, sign)).toEqual([before, sign, sign, begun + rest]);
  });

  test.each([
    ["openai-chat", ": keep-alive\n\n"],
    ["anthropic", ping],
  ] as const)("%s: %j stays in its place before that", async (format, sign) => {
    const { before, begun, rest } = streams[format];
    expect((await read(format, 2000, sign, sign)).join("")).toBe(before + begun + sign + sign + rest);
  });

  test.each([
    ["openai-chat", "a mark that is numbered", 'data: {"type":"keepalive","sequence_number":4,"choices":[]}\n\n'],
    ["anthropic", "one with an id", `id: 7\n${ping}`],
    ["anthropic", "what nobody knows", named("checkpoint")],
    ["anthropic", "a ping that says more", named("ping", { at: 3 })],
  ] as const)("%s: %s stays in its place, always", async (format, _, sign) => {
    const { before, begun, rest } = streams[format];
    expect((await read(format, 60_000, sign)).join("")).toBe(before + begun + sign + rest);
  });
});

/** Every sign of life comes when the client has waited for long. */
describe.each(sdks)("$name reads the same, wherever they stand", ({ format, hear }) => {
  const signs: readonly (readonly [FaultName, readonly WireFormat[]])[] = [
    ["comments", ["openai-chat", "openai-responses", "anthropic", "gemini"]],
    ["anthropic-pings", ["anthropic"]],
  ];
  const own = signs.filter(([, formats]) => formats.includes(format)).map(([name]) => name);

  test.skipIf(own.length === 0)("also among calls", async () => {
    turnClock(6000);
    const server = await wireServer({ strict: false, turns: () => ({ ...turn, faults: own }) });
    try {
      expect(verdictOn(await hear(server.baseUrl(format), wrapFetch({ logger: false })), "same")).toBe("right");
    } finally {
      await server.close();
    }
  });
});
