import { wrapFetch } from "undangle";
import { describe, expect, test } from "vitest";

import { chatWays, plainlyHeard } from "../clients/heard-of.ts";
import { answering, chunk, done, events, passedThrough, ways } from "../clients/passed-through.ts";
import { chat, messages } from "../clients/requests.ts";

/** Signs of life that are data: clients of chat take all data for chunks, and died of them. */
const call = { index: 0, id: "a", type: "function", function: { name: "find_book", arguments: '{"x":1}' } };
const parts: readonly (object | string)[] = [
  chunk({ role: "assistant", content: "Hé" }),
  chunk({ tool_calls: [call] }),
  chunk({}, "tool_calls"),
  done,
];
const meant = { text: "Hé", calls: [["find_book", { x: 1 }]], error: undefined };
const beat = "data: heartbeat\n\n";
const signs: readonly (readonly [what: string, sign: string])[] = [
  ["one text", beat],
  ["many texts", beat.repeat(40)],
  ["texts that count", "data: wait 1\n\ndata: wait 2\n\ndata: begun\n\n"],
  ["texts, comments and nothing", `${beat}: here\n\ndata:\n\n${beat}`],
  ["null", "data: null\n\n"],
  ["a number", "data: 1\n\n"],
  ["a text of JSON", 'data: "ping"\n\n'],
  ["a list", "data: []\n\n"],
  ["a named event", "event: heartbeat\ndata: x\n\n"],
  ["a named event without data", "event: keep-alive\n\n"],
];
const objects: readonly (readonly [what: string, sign: string, written: string])[] = [
  ["nothing", "data: {}\n\n", 'data: {"choices":[]}\n\n'],
  ["a ping", 'data: {"type":"ping"}\n\n', 'data: {"type":"ping","choices":[]}\n\n'],
  ["a named ping", "event: ping\ndata: {}\n\n", 'event: ping\ndata: {"choices":[]}\n\n'],
  ["something with an id", 'data: {"id":5,"x":1}\n\n', 'data: {"id":"5","x":1,"choices":[]}\n\n'],
];
const everywhere = [0, 1, 2, 3];

describe.each(ways)("in pieces of $size, calls: $toolCalls", (way) => {
  test.each(signs)("%s is left out, wherever it stands", async (_, sign) => {
    for (const at of everywhere) {
      const { text, told } = await passedThrough({ ...chat, ...way, body: events(...parts.toSpliced(at, 0, sign)) });
      expect(text.replace(": here\n\n", "")).toBe(events(...parts));
      expect(told).toHaveLength(1);
    }
  });

  test.each(objects)("an object that is %s is written as a chunk that says nothing", async (_, sign, written) => {
    for (const at of everywhere) {
      const { text, told } = await passedThrough({ ...chat, ...way, body: events(...parts.toSpliced(at, 0, sign)) });
      expect(text).toBe(events(...parts.toSpliced(at, 0, written)));
      expect(told).toHaveLength(1);
    }
  });

  const words = ["Once", "there", "was", "a", "king", "who", "had", "three", "sons", "and", "one"];
  test.each([
    ["texts", events(...words.map((word) => `data: ${word}\n\n`), done)],
    ["few texts", "data: Hello\n\n: x\n\ndata: you\n\n"],
    ["texts behind a mark", "data: Hello\n\ndata: [DONE]\n\ndata: you\n\n: bye\n\n"],
    ["objects", events(...words.map((word) => ({ word })), done, { word: "end" })],
    ["few objects", events({ word: "a" }, ": x\n\n", { word: "b" })],
    ["values", 'data: null\n\ndata: [1]\n\ndata: "a"\n\n'],
  ])("%s of somebody else's pass as they came", async (_, body) => {
    for (const asked of [chat, messages])
      expect(await passedThrough({ ...asked, ...way, body })).toEqual({ text: body, error: undefined, told: [] });
  });
});

test("a stream of somebody else's does not wait for its end", async () => {
  const endless = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const word of "abcdefghij") controller.enqueue(new TextEncoder().encode(`data: ${word}\n\n`));
    },
  });
  const fetch = answering(endless);
  const init = { method: "POST", body: JSON.stringify(chat.request) };
  const response = await wrapFetch({ logger: false, fetch })(chat.url, init);
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader();
  const piece = await reader?.read();
  expect(new TextDecoder().decode(piece?.value)).toContain("data: a\n\n");
  await reader?.cancel();
});

describe.each(chatWays)("$sdk.name, calls: $toolCalls", (way) => {
  test.each([...signs, ...objects.map(([what, sign]) => [what, sign] as const)])("reads over %s", async (_, sign) => {
    for (const at of everywhere)
      expect(await plainlyHeard(events(...parts.toSpliced(at, 0, sign)), way)).toEqual(meant);
  });
});
