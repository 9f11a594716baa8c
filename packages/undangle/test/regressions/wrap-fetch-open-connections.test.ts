import { wrapFetch } from "undangle";
import type { WireRepair } from "undangle";
import type { WireFormat } from "undangle/testing";
import { describe, expect, test } from "vitest";
import { bytesOf } from "../../src/testing/play/bytes.ts";
import { playTurn } from "../../src/testing/play/play-turn.ts";
import { completeTurn } from "../../src/testing/scripted-turn.ts";
import { begun, calls, end, more, role } from "../clients/chat-chunks.ts";
import { answering, chunk, done, events, passedThrough, ways } from "../clients/passed-through.ts";
import { chat } from "../clients/requests.ts";

/** The end of an answer waited for that of the connection, which gateways keep open for a minute, and clients do not wait for. */
const urls = {
  "openai-chat": chat.url,
  "openai-responses": "https://host.example/v1/responses",
  anthropic: "https://host.example/v1/messages",
  ollama: "http://127.0.0.1:11434/api/chat",
} as const satisfies Partial<Record<WireFormat, string>>;

const request = { model: "m", stream: true, max_tokens: 9, messages: [], input: "Hi." };

const turns = {
  "with calls": completeTurn(
    { text: "Let me look.", calls: [{ id: "call_1", name: "find", arguments: { a: 1 } }] },
    1,
    "m",
  ),
  "of text": completeTurn({ text: "Let me look." }, 1, "m"),
};

/** What a client has got of pieces, some time after the last of them, from a connection that stays open. */
async function gotFrom(
  pieces: readonly Uint8Array[],
  format: keyof typeof urls,
  toolCalls: "hold" | "stream",
): Promise<string> {
  const rest = [...pieces];
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = rest.shift();
        if (piece === undefined) return new Promise(() => undefined);
        controller.enqueue(piece.slice());
        return undefined;
      },
    },
    { highWaterMark: 0 },
  );
  const type = format === "ollama" ? "application/x-ndjson" : "text/event-stream";
  const fetch = wrapFetch({ fetch: answering(body, type), toolCalls, logger: false });
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(request) };
  const reader = ((await fetch(urls[format], init)).body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let text = "";
  const wait = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), 40));
  for (;;) {
    const read = await Promise.race([reader.read(), wait]);
    if (read?.value === undefined) break;
    text += decoder.decode(read.value, { stream: true });
  }
  await reader.cancel();
  return text;
}

describe.each(Object.keys(urls) as (keyof typeof urls)[])("the connection stays open, %s", (format) => {
  test.each(Object.entries(turns))("a turn %s passes as it came when it is over", async (_, turn) => {
    const pieces = bytesOf(playTurn(turn, format, []));
    const whole = Buffer.concat(pieces).toString();
    for (const toolCalls of ["hold", "stream"] as const) expect(await gotFrom(pieces, format, toolCalls)).toBe(whole);
  });
});

const answer = events(chunk({ role: "assistant", content: "Hi." }), chunk({}, "stop"), done);

describe.each(ways)("in pieces of $size, calls: $toolCalls", (way) => {
  test.each([
    ["a comment", ": bye\n\n"],
    ["a blank line", "\n"],
    ["the mark once more", done],
    ["half a comment", ": by"],
  ])("%s behind the mark passes as it came", async (_, rest) => {
    const body = answer + rest;
    expect(await passedThrough({ ...chat, ...way, body })).toMatchObject({ text: body, error: undefined });
  });

  test("a piece of text in one chunk with the reason is heard before the error", async () => {
    const body = events(
      chunk({ role: "assistant", content: "First. " }),
      calls(begun(0, "find", '{"a"')),
      chunk({ content: "Last." }, "length"),
      done,
    );
    const { text, error } = await passedThrough({ ...chat, ...way, body });
    expect(error).toContain("cut off");
    expect(text).toContain("First. ");
    expect(text).toContain("Last.");
  });
});

test("an answer that comes again behind the mark, and later than that, is left out and told", async () => {
  const again = events(role, calls(begun(0, "find")), calls(more(0, '{"a":1}')), end, done);
  const pieces = [again, again].map((text) => new TextEncoder().encode(text));
  const told: WireRepair[] = [];
  const fetch = wrapFetch({
    fetch: answering(ReadableStream.from(pieces)),
    logger: false,
    onRepair: (repair) => void (repair.side === "response" && told.push(repair)),
  });
  const response = await fetch(chat.url, { method: "POST", body: JSON.stringify(chat.request) });
  expect(await response.text()).toBe(again + done); // a second mark says nothing
  expect(told).toMatchObject([{ side: "response", isChanged: true }]);
});

test("who leaves behind the mark is told nothing of an event that had begun there", async () => {
  const pieces = [answer, "data: {"].map((text) => new TextEncoder().encode(text));
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece); // and the connection stays open
    },
  });
  const told: WireRepair[] = [];
  const fetch = wrapFetch({
    fetch: answering(body),
    logger: false,
    onRepair: (repair) => void (repair.side === "response" && told.push(repair)),
  });
  const response = await fetch(chat.url, { method: "POST", body: JSON.stringify(chat.request) });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  expect(new TextDecoder().decode((await reader.read()).value)).toBe(answer);
  const rest = reader.read();
  await new Promise((resolve) => setTimeout(resolve));
  await reader.cancel();
  expect(await rest).toMatchObject({ done: true });
  expect(told).toEqual([]);
});
