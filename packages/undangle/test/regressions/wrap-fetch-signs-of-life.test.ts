import { wrapFetch } from "undangle";
import { wireServer } from "undangle/testing";
import type { FaultName, WireFormat } from "undangle/testing";
import { afterEach, describe, expect, test, vi } from "vitest";

import { begun, calls, end, more } from "../clients/chat-chunks.ts";
import { ending, json, ping, start, stop, use } from "../clients/message-events.ts";
import { answering, chunk, done, events, named } from "../clients/passed-through.ts";
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

const streams = {
  "openai-chat": {
    url: "https://host.example/v1/chat/completions",
    request: { model: "m", stream: true, messages: [{ role: "user", content: "Hi." }] },
    before: events(chunk({ role: "assistant", content: "Hé" })),
    begun: events(calls(begun(0, "f", "{"))),
    rest: events(calls(more(0, "}")), end, done),
  },
  anthropic: {
    url: "https://host.example/v1/messages",
    request: { model: "m", stream: true, max_tokens: 9, messages: [{ role: "user", content: "Hi." }] },
    before: start,
    begun: use(0, "f") + json(0, "{"),
    rest: json(0, "}") + stop(0) + ending,
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
  const send = wrapFetch({ logger: false, fetch: answering(body) });
  const response = await send(url, { method: "POST", body: JSON.stringify(request) });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const got: string[] = [];
  for (let piece = await reader.read(); !piece.done; piece = await reader.read())
    got.push(new TextDecoder().decode(piece.value));
  return got;
}

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
    ["anthropic", "what nobody knows", named({ type: "checkpoint" })],
    ["anthropic", "a ping that says more", named({ type: "ping", at: 3 })],
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
